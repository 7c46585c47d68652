// The theory pages: sample sizes, growth functions, shattering, coverage of intervals, a bound tried out.
import { colour, element, svgElement, text } from "../player/draw.js";
import { post } from "./api.js";
import { chart } from "./charts.js";

const ask = (question, asked) => post("ask/theory", { question, ...asked });
let shown = false, queue = Promise.resolve();

export function showTheory(root) {
  if (shown) return;
  shown = true;
  const cards = element(root, "div", { class: "cards" });
  samples(card(cards, "How many examples?", "By every bound that applies: m examples bring the true error below ε with probability 1 − δ."));
  growth(card(cards, "How fast may a class grow?", "Dichotomies of m points, as powers of two: all of them up to the VC dimension d, then at most Sauer's sum."));
  shattering(card(cards, "What is shattered?", "Drag the points. Each small picture is a labelling with a hypothesis that has it, checked in rational arithmetic; where one is missing, the reason is shown."));
  intervals(card(cards, "Do intervals cover?", "Simulated samples of n rows, an interval for the error rate from each, and the exact coverage beside it."));
  tried(card(cards, "A bound tried out", "The tightest rectangle around the positive points, learned from many samples of m points: its true error against what the bound promises."));
}

function card(root, title, about) {
  const made = element(root, "section", { class: "card", "aria-label": title });
  element(made, "h2", {}, title);
  element(made, "p", { class: "note" }, about);
  return made;
}

// Fields of a form; questions follow one another, the newest last, since there is one process for them.
function fields(root, wanted, question, draw) {
  const form = element(root, "form", { class: "fields" });
  const made = {};
  for (const { name, label, value, choices, ...rest } of wanted) {
    const holder = element(form, "label", {}, label);
    made[name] = choices ? element(holder, "select", {}) : element(holder, "input", { type: "number", step: "any", ...rest });
    for (const choice of choices ?? []) element(made[name], "option", { value: choice }, choice.replaceAll("_", " "));
    made[name].value = value;
  }
  const out = element(root, "div", { class: "wide", "aria-live": "polite" });
  let turn = 0;
  const go = () => {
    const mine = (turn += 1);
    queue = queue.then(async () => {
      if (mine !== turn) return;
      try {
        const answer = await ask(question, Object.fromEntries(Object.entries(made).map(([name, field]) => [name, field.tagName === "SELECT" ? field.value : Number(field.value)])));
        out.replaceChildren();
        draw(out, answer, made);
      } catch (fault) {
        out.replaceChildren();
        element(out, "p", { class: "answer", "data-good": "no" }, fault.message);
      }
      root.dataset.answered = "yes";
    });
  };
  form.addEventListener("input", go);
  form.addEventListener("submit", (event) => { event.preventDefault(); go(); });
  go();
  return { form, made, go };
}

function samples(root) {
  fields(root, [
    { name: "epsilon", label: "Error ε", value: 0.1, min: 0.001, max: 0.99 }, { name: "delta", label: "Failure δ", value: 0.05, min: 0.0001, max: 0.99 },
    { name: "d", label: "VC dimension d", value: 3, min: 1, step: 1 }, { name: "training_error", label: "Training error", value: 0, min: 0, max: 0.9 },
  ], "samples", (out, { answers }) => {
    const table = element(out, "table");
    const head = element(element(table, "thead"), "tr");
    for (const name of ["bound", "examples", "row", "assumes"]) element(head, "th", { scope: "col" }, name);
    const body = element(table, "tbody");
    for (const each of answers) {
      const row = element(body, "tr");
      element(row, "td", {}, each.bound.replaceAll("_", " "));
      element(row, "td", {}, each.m === null ? "–" : String(Math.round(each.m)));
      element(row, "td", {}, each.row);
      element(row, "td", { title: (each.assumptions ?? []).join("; ") }, each.why || (each.assumptions ?? []).slice(-1)[0] || "");
    }
    chart(out, {
      title: "Examples needed, as ε moves (logarithmic)", x: "ε", y: "m", log: true,
      lines: answers.filter((each) => each.curve?.length).map((each, i) => ({ name: each.bound.replaceAll("_", " "), points: each.curve, group: i })),
    });
  });
}

function growth(root) {
  fields(root, [{ name: "d", label: "VC dimension d", value: 3, min: 1, step: 1 }, { name: "m", label: "Points m up to", value: 30, min: 2, step: 1 }], "growth", (out, answer, made) => {
    const d = Number(made.d.value), last = answer.m.length - 1;
    const most = Math.min(answer.m[last], Math.max(...answer.sauer, ...answer.power.filter((value) => value !== null)));
    chart(out, {
      title: "log₂ of the number of dichotomies", x: "points m", y: "log₂",
      box: [answer.m[0], answer.m[last], 0, most * 1.06],
      lines: [
        { name: "all: 2^m", points: answer.m.map((m, i) => [m, answer.all[i]]), group: -1, dashed: true },
        { name: "Sauer: Σ C(m, i), i ≤ d", points: answer.m.map((m, i) => [m, answer.sauer[i]]), group: 0 },
        { name: "(em/d)^d", points: answer.m.map((m, i) => [m, answer.power[i]]), group: 1, dashed: true },
      ],
    });
    const exact = answer.exact[last], long = exact.length > 12 ? `about ${text(Number(exact))}` : exact;
    element(out, "p", { class: "answer" }, `${answer.m[last]} points have at most ${long} labellings in a class of VC dimension ${d}; no ${answer.break_point} points are shattered.`);
  });
}

const SIZE = 260, REACH = 3;
const across = (x, size = SIZE) => ((x + REACH) / (2 * REACH)) * size, up = (y, size = SIZE) => size - across(y, size);

function shattering(root) {
  const points = [[-1.5, -1], [1.5, -1], [0, 1.5]];
  const bar = element(root, "div", { class: "fields" });
  const kind = element(element(bar, "label", {}, "Class"), "select", { "aria-label": "Class of hypotheses" });
  for (const name of ["half-planes", "rectangles", "stumps"]) element(kind, "option", { value: name }, name);
  const count = element(element(bar, "label", {}, "Points"), "input", { type: "number", min: 1, max: 6, step: 1, value: 3 });
  const svg = svgElement(root, "svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, class: "sketch shatter", role: "group", "aria-label": "Points to be shattered" });
  const under = svgElement(svg, "g"), dots = svgElement(svg, "g");
  const said = element(root, "p", { class: "answer", role: "status" });
  const why = element(root, "p", { class: "note" });
  const list = element(root, "div", { class: "labellings" });
  let waiting = false, asking = false, chosen = null;

  kind.addEventListener("change", go);
  count.addEventListener("input", () => {
    const wanted = Math.min(6, Math.max(1, Math.round(Number(count.value) || 1)));
    const spare = [[-1.5, 1.2], [1.6, 1.4], [0, -2], [-2.2, 0.2], [2.2, -0.3], [0.4, 0.3]];
    while (points.length < wanted) points.push(spare[points.length % spare.length].slice());
    points.length = wanted;
    go();
  });

  function drawDots(labels = null) {
    dots.replaceChildren();
    points.forEach(([x, y], i) => {
      const dot = svgElement(dots, "circle", { cx: across(x), cy: up(y), r: 9, class: "dot", fill: colour(labels ? (labels[i] ? 1 : 0) : -1), tabindex: "0", role: "slider",
        "aria-label": `point ${i + 1}: drag, or use the arrow keys`, "aria-valuetext": `${text(x)}, ${text(y)}` });
      let held = false;
      dot.addEventListener("pointerdown", (event) => { event.preventDefault(); held = true; dot.setPointerCapture(event.pointerId); });
      dot.addEventListener("pointermove", (event) => {
        if (!held) return;
        const box = svg.getBoundingClientRect();
        put(i, ((event.clientX - box.left) / box.width) * 2 * REACH - REACH, REACH - ((event.clientY - box.top) / box.height) * 2 * REACH);
        dot.setAttribute("cx", across(points[i][0]));
        dot.setAttribute("cy", up(points[i][1]));
      });
      for (const ending of ["pointerup", "pointercancel"]) dot.addEventListener(ending, () => { held = false; });
      dot.addEventListener("keydown", (event) => {
        const step = { ArrowLeft: [-0.2, 0], ArrowRight: [0.2, 0], ArrowUp: [0, 0.2], ArrowDown: [0, -0.2] }[event.key];
        if (!step) return;
        event.preventDefault();
        put(i, points[i][0] + step[0], points[i][1] + step[1]);
        dot.setAttribute("cx", across(points[i][0]));
        dot.setAttribute("cy", up(points[i][1]));
      });
    });
  }

  function put(i, x, y) {
    points[i] = [Math.min(REACH, Math.max(-REACH, x)), Math.min(REACH, Math.max(-REACH, y))].map((value) => Number(value.toFixed(3)));
    go();
  }

  async function go() {
    waiting = true;
    if (asking) return;
    asking = true;
    while (waiting) {
      waiting = false;
      try { show(await ask("shattering", { kind: kind.value, points })); } catch (fault) { said.textContent = fault.message; }
    }
    asking = false;
  }

  function show(answer) {
    said.dataset.good = answer.shattered ? "yes" : "no";
    said.textContent = answer.shattered
      ? `Shattered: all ${answer.of} labellings occur, each with a hypothesis that was checked.`
      : `Not shattered: ${answer.count} of ${answer.of} labellings occur.`;
    const refutation = answer.refutation;
    why.textContent = `${refutation ? `Why: ${refutation.sentence} (${refutation.checked ? "checked in rational arithmetic" : "the check failed"}). ` : ""}VC dimension of the class: ${answer.dimension}; ${answer.argument}.`;
    chosen = null;
    under.replaceChildren();
    if (dots.childElementCount !== points.length) drawDots();
    [...dots.children].forEach((dot, i) => dot.setAttribute("fill", refutation ? colour(refutation.labels[i] ? 1 : 0) : colour(-1)));
    if (refutation?.at) svgElement(under, "circle", { cx: across(refutation.at[0]), cy: up(refutation.at[1]), r: 15, class: "bound", fill: "none", "stroke-width": 2.5 });
    list.replaceChildren();
    answer.labellings.forEach((each) => {
      const button = element(list, "button", { type: "button", "aria-label": `${each.labels.map((label) => (label ? "+" : "−")).join("")}: ${each.realised ? "occurs" : "does not occur"}` });
      if (!each.realised) button.dataset.no = "yes";
      const small = svgElement(button, "svg", { viewBox: "0 0 60 60", "aria-hidden": "true" });
      if (each.hypothesis) drawHypothesis(small, each.hypothesis, 60);
      points.forEach(([x, y], i) => svgElement(small, "circle", { cx: across(x, 60), cy: up(y, 60), r: 4.5, fill: colour(each.labels[i] ? 1 : 0) }));
      button.addEventListener("click", () => {
        chosen = each;
        under.replaceChildren();
        if (each.hypothesis) drawHypothesis(under, each.hypothesis, SIZE);
        [...dots.children].forEach((dot, i) => dot.setAttribute("fill", colour(chosen.labels[i] ? 1 : 0)));
      });
    });
    root.dataset.answered = "yes";
  }

  drawDots();
  go();
}

function drawHypothesis(svg, { kind, w, b, low, high, axis, threshold, positive_above: above }, size) {
  const shade = { fill: colour(1), "fill-opacity": 0.2, stroke: colour(1) };
  if (kind === "Rectangle") {
    if (low[0] > high[0] || low[1] > high[1]) return;
    const pad = 0.18;
    svgElement(svg, "rect", { ...shade, x: across(low[0] - pad, size), y: up(high[1] + pad, size), width: across(high[0] + pad, size) - across(low[0] - pad, size), height: up(low[1] - pad, size) - up(high[1] + pad, size) });
  } else if (kind === "Stump") {
    const at = axis === 0 ? across(threshold, size) : up(threshold, size);
    const rect = axis === 0 ? (above ? [at, 0, size - at, size] : [0, 0, at, size]) : above ? [0, 0, size, at] : [0, at, size, size - at];
    svgElement(svg, "rect", { ...shade, x: rect[0], y: rect[1], width: Math.max(0, rect[2]), height: Math.max(0, rect[3]) });
  } else {
    const corners = [[-REACH, -REACH], [REACH, -REACH], [REACH, REACH], [-REACH, REACH]], kept = [];
    const f = ([x, y]) => w[0] * x + w[1] * y + b;
    corners.forEach((one, i) => {
      const other = corners[(i + 1) % 4], here = f(one), there = f(other);
      if (here >= 0) kept.push(one);
      if (here >= 0 !== there >= 0) { const t = here / (here - there); kept.push([one[0] + t * (other[0] - one[0]), one[1] + t * (other[1] - one[1])]); }
    });
    if (kept.length) svgElement(svg, "polygon", { ...shade, points: kept.map(([x, y]) => `${across(x, size).toFixed(1)},${up(y, size).toFixed(1)}`).join(" ") });
  }
}

function intervals(root) {
  fields(root, [
    { name: "method", label: "Interval", value: "wald", choices: ["wald", "wilson", "clopper_pearson", "agresti_coull", "jeffreys", "hoeffding"] },
    { name: "n", label: "Rows n", value: 30, min: 1, step: 1 }, { name: "p", label: "True rate p", value: 0.1, min: 0, max: 1 },
    { name: "level", label: "Level", value: 0.95, min: 0.5, max: 0.999 }, { name: "repeats", label: "Samples", value: 2000, min: 10, step: 1 }, { name: "seed", label: "Seed", value: 0, min: 0, step: 1 },
  ], "intervals", (out, answer, made) => {
    const level = Number(made.level.value), p = Number(made.p.value);
    element(out, "p", { class: "answer", "data-good": answer.exact >= level ? "yes" : "no" },
      `${(100 * answer.rate).toFixed(1)} % of the simulated intervals cover p (95 % interval ${(100 * answer.rate_low).toFixed(1)} to ${(100 * answer.rate_high).toFixed(1)}); exactly ${(100 * answer.exact).toFixed(2)} %, promised ${(100 * level).toFixed(1)} %. Worst over all p: ${(100 * answer.worst).toFixed(2)} %.`);
    const svg = svgElement(out, "svg", { viewBox: "0 0 520 190", role: "img", "aria-label": `${answer.shown.length} simulated intervals; the line is the true rate ${p}` });
    answer.shown.forEach(([low, high], i) => {
      const x = 10 + (i * 500) / answer.shown.length;
      svgElement(svg, "line", { x1: x, x2: x, y1: 180 - 170 * low, y2: 180 - 170 * high, stroke: colour(answer.covers[i] ? 0 : 5), "stroke-width": 4 });
    });
    svgElement(svg, "line", { x1: 4, x2: 516, y1: 180 - 170 * p, y2: 180 - 170 * p, class: "zero", "stroke-width": 1.5 });
    element(out, "p", { class: "note" }, "The first 60 intervals; those that miss the true rate are orange.");
    chart(out, {
      title: "Exact coverage over all true rates", x: "true rate p", y: "coverage", level, box: [0, 1, Math.max(0, Math.min(0.8, ...answer.curve)), 1],
      lines: [{ name: made.method.value.replaceAll("_", " "), points: answer.curve.map((value, i) => [i / 120, value]), group: 0 }], marks: [[p, answer.exact, 5]],
    });
  });
}

function tried(root) {
  fields(root, [{ name: "m", label: "Examples m", value: 100, min: 1, step: 1 }, { name: "delta", label: "Failure δ", value: 0.1, min: 0.001, max: 0.9 }, { name: "repeats", label: "Samples", value: 400, min: 50, max: 2000, step: 1 }], "tried", (out, answer) => {
    element(out, "p", { class: "answer", "data-good": answer.holds ? "yes" : "no" },
      `The bound promises error ≤ ${text(answer.epsilon)} with probability ${text(1 - answer.delta)}${answer.vacuous ? " (vacuous)" : ""}: it was exceeded in ${(100 * answer.over).toFixed(1)} % of the samples (at most ${(100 * answer.delta).toFixed(1)} % are allowed). An error of ${text(answer.observed)} would have been enough: the bound is ${text(answer.epsilon / Math.max(answer.observed, 1e-12))} times that.`);
    chart(out, {
      title: `Share of samples with at most this error (row ${answer.row})`, x: "true error", y: "share of samples",
      box: [0, Math.max(answer.epsilon, answer.risks[100]) * 1.05, 0, 1.02], level: 1 - answer.delta,
      lines: [{ name: "observed", points: answer.risks.map((risk, i) => [risk, i / 100]), group: 0 }, { name: "the bound ε", points: [[answer.epsilon, 0], [answer.epsilon, 1]], group: 5, dashed: true }],
    });
  });
}
