// The player: one film, its controls, and what is drawn for each frame.
import { drawBars, makeBars } from "./bars.js";
import { drawCells, makeCells } from "./cells.js";
import { drawClaims, makeClaims } from "./claims.js";
import { element, svgElement, write } from "./draw.js";
import { framesOf } from "./frames.js";
import { drawGraph, makeGraph } from "./graph.js";
import { drawHistory, makeHistory } from "./history.js";
import { drawPlane, makePlane } from "./plane.js";
import { drawTable, makeTable } from "./table.js";

const PANELS = {
  plane: [makePlane, drawPlane], bars: [makeBars, drawBars], history: [makeHistory, drawHistory],
  graph: [makeGraph, drawGraph], cells: [makeCells, drawCells], table: [makeTable, drawTable],
};
// Signs of the buttons as paths: not every font has them.
const SIGNS = {
  first: "M3 3h2v10H3zM13 3v10L6 8z", back: "M11 3v10L4 8z", play: "M4 2v12l9-6z", pause: "M4 3h3v10H4zM9 3h3v10H9z",
  on: "M5 3v10l7-5z", last: "M11 3h2v10h-2zM3 3v10l7-5z",
};
const SPEEDS = [0.25, 0.5, 1, 2, 4, 8];

let mounted = 0;

// Mounts a film in an element; returns { frames, show, preview, play, pause, close, picture, at } for whoever drives it.
export function mount(root, film) {
  const frames = framesOf(film);
  const steps = frames.map((frame) => frame.step);
  const memory = new Map();
  const cached = (key, compute) => { if (!memory.has(key)) memory.set(key, compute()); return memory.get(key); };
  const closing = new AbortController(), number = (mounted += 1);
  let at = 0, playing = null, resting = null, speed = 1;

  root.replaceChildren();
  const head = element(root, "header");
  element(head, "h1", {}, film.title);
  const verdict = element(head, "p", { class: "verdict" });
  const caption = element(root, "p", { class: "caption" });
  const controls = element(root, "div", { class: "controls", role: "group", "aria-label": "Controls of the film" });
  const button = (label, sign, action) => {
    const made = element(controls, "button", { type: "button", "aria-label": label, title: label });
    const icon = svgElement(made, "svg", { viewBox: "0 0 16 16", "aria-hidden": "true" });
    made.sign = svgElement(icon, "path", { d: SIGNS[sign] });
    made.addEventListener("click", action);
    return made;
  };
  button("First state (Home)", "first", () => { pause(); show(0); });
  button("One state back (left arrow)", "back", () => { pause(); show(at - 1); });
  const toggle = button("Play (space)", "play", () => (playing === null ? play() : pause()));
  button("One state on (right arrow)", "on", () => { pause(); show(at + 1); });
  button("Last state (End)", "last", () => { pause(); show(frames.length - 1); });
  const scrub = element(controls, "input", { type: "range", min: 0, max: frames.length - 1, step: 1, "aria-label": "State" });
  scrub.addEventListener("input", () => { pause(); show(Number(scrub.value)); });
  const counter = element(controls, "span", { class: "counter" });
  const faster = element(element(controls, "label", {}, "Speed "), "select", { "aria-label": "Speed" });
  for (const each of SPEEDS) element(faster, "option", { value: each }, `${each}×`);
  faster.value = "1";
  faster.addEventListener("change", () => { speed = Number(faster.value); if (playing !== null) { pause(); play(); } });

  const columns = element(root, "div", { class: "columns" });
  const left = element(columns, "section", { class: "pictures", "aria-label": "Picture" });
  const right = element(columns, "section", { "aria-label": "Claims" });
  element(right, "h2", {}, "What is proved here");
  const legend = element(right, "p", { class: "note" }, "Each bar is a value, the mark is its bound: the claim holds where the bar ends before it.");
  const claims = makeClaims(right, frames);
  const below = element(root, "section", { class: "trace", "aria-label": "Trace" });
  const footer = element(root, "p", { class: "note" }, [film.thinned && `Shown: ${film.thinned}.`, "Keys: space plays, arrows step, Home and End jump, + and − change the speed."].filter(Boolean).join(" "));
  footer.id = "keys";
  const live = element(root, "p", { class: "unseen", "aria-live": "polite" });

  const names = [...new Set(frames.flatMap((frame) => Object.keys(frame.numbers)))];
  const charts = names.filter(isNew()).map((name) => {
    const all = frames.map((frame) => ({ values: [frame.numbers[name] ?? null] }));
    const words = name.replaceAll("_", " ");
    return { name, all, words, made: makeHistory(below, { title: words }, 300, 130) };
  });

  // Panels are made once for each place and kind, and hidden where a frame has none.
  const made = new Map();
  function drawPanels(frame) {
    const used = new Set();
    frame.panels.forEach((panel, place) => {
      const key = `${place} ${panel.kind}`;
      used.add(key);
      const [make, draw] = PANELS[panel.kind];
      if (!made.has(key)) {
        const holder = element(left, "div");
        made.set(key, { holder, view: make(holder, panel) });
      }
      const like = cached(`all ${key}`, () => frames.map((each) => each.panels[place]).map((each) => (each && each.kind === panel.kind ? each : panel)));
      draw(made.get(key).view, panel, {
        caption: frame.caption, place: `${number} ${key}`, at, steps, cached, all: like,
        get before() { return like.slice(0, at + 1); },
      });
    });
    for (const [key, { holder }] of made) holder.hidden = !used.has(key);
    left.classList.toggle("several", used.size > 1);
  }

  function show(wanted) {
    at = Math.min(frames.length - 1, Math.max(0, wanted));
    paint(frames[at]);
  }

  // A frame that is none of the film's: the answer as somebody has altered it.
  function preview(frame) {
    pause();
    at = frames.length - 1;
    paint(frame);
  }

  function paint(frame) {
    drawPanels(frame);
    drawClaims(claims, frame);
    legend.hidden = !frame.claims.some((claim) => claim.bound !== null);
    charts.forEach(({ name, all, words, made: chart }) => drawHistory(chart,
      { title: `${words} ${shown(frame.numbers[name])}`, names: [words], values: [frame.numbers[name] ?? null], note: "" },
      { all, at, steps, cached, place: `${number} trace ${name}` }));
    scrub.value = at;
    const state = `state ${frame.step} of ${steps[steps.length - 1]}`;
    write(counter, state);
    scrub.setAttribute("aria-valuetext", `${state}. ${frame.caption}`);
    write(caption, frame.caption);
    const ended = frame.status !== "";
    const judged = { proved: "every claim holds", refuted: ended ? "a claim fails" : "not all claims hold yet", "nothing asserted": frame.claims.length ? "not proved" : "nothing to prove here" };
    const said = ended ? `${frame.status.replaceAll("_", " ")}: ${frame.sentence}; ${judged[frame.verdict]}` : judged[frame.verdict];
    write(verdict, said);
    const short = ["budget_spent", "diverged", "inaccurate"].includes(frame.status);
    verdict.dataset.verdict = short || (frame.verdict === "refuted" && !ended) ? "open" : frame.verdict;
    root.dataset.at = at;
    // Read out where the film comes to rest, not at every state on the way.
    clearTimeout(resting);
    if (playing === null) resting = setTimeout(() => write(live, `${state}. ${frame.caption} ${said}`), 200);
  }

  // Quantities that are the same number in every frame are drawn once, those that are always 0 not at all.
  function isNew() {
    const known = new Set();
    return (name) => {
      const key = JSON.stringify(frames.map((frame) => frame.numbers[name] ?? null));
      const idle = name !== "objective" && frames.every((frame) => !frame.numbers[name]);
      return !idle && !known.has(key) && known.add(key);
    };
  }

  function shown(value) {
    return value === null || value === undefined ? "" : Number(value.toPrecision(4)).toString();
  }

  // A film of any length takes about as long: between 8 and 0.04 seconds a frame.
  function pause() {
    if (playing !== null) cancelAnimationFrame(playing);
    playing = null;
    toggle.sign.setAttribute("d", SIGNS.play);
    toggle.setAttribute("aria-label", "Play (space)");
    root.dataset.playing = "no";
  }

  function play() {
    if (at === frames.length - 1) show(0);
    const wait = Math.min(1000, Math.max(40, 12000 / frames.length)) / speed;
    let due = performance.now() + wait;
    toggle.sign.setAttribute("d", SIGNS.pause);
    toggle.setAttribute("aria-label", "Pause (space)");
    root.dataset.playing = "yes";
    const turn = (now) => {
      if (now >= due) {
        const ahead = Math.max(1, Math.floor((now - due) / wait) + 1);
        due += ahead * wait;
        show(at + ahead);
        if (at === frames.length - 1) { pause(); show(at); return; }
      }
      playing = requestAnimationFrame(turn);
    };
    playing = requestAnimationFrame(turn);
  }

  function quicken(by) {
    const next = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, SPEEDS.indexOf(speed) + by))];
    faster.value = String(next);
    faster.dispatchEvent(new Event("change"));
  }

  const KEYS = {
    " ": () => (playing === null ? play() : pause()), ArrowRight: () => { pause(); show(at + 1); },
    ArrowLeft: () => { pause(); show(at - 1); }, Home: () => { pause(); show(0); },
    End: () => { pause(); show(frames.length - 1); }, "+": () => quicken(1), "-": () => quicken(-1),
  };
  root.ownerDocument.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || !(event.key in KEYS)) return;
    const own = event.target.closest?.("button, select, input, textarea, a, summary, [tabindex]");
    if (own && !root.contains(own)) return;
    if (own && (event.key === " " ? own.tagName === "BUTTON" : own.tagName === "SELECT")) return;
    event.preventDefault();
    KEYS[event.key]();
  }, { signal: closing.signal });

  pause();
  show(0);
  const close = () => { pause(); clearTimeout(resting); closing.abort(); root.replaceChildren(); root.player = null; };
  // The picture at a place of the last frame; `svg.scales` says where its numbers stand.
  const picture = (place) => made.get(`${place} ${frames[frames.length - 1].panels[place]?.kind}`)?.view.view.svg ?? null;
  const player = { frames, show, preview, play, pause, close, picture, get at() { return at; } };
  root.player = player;
  return player;
}
