// Tampering: numbers of the answer are dragged in the picture or moved below it, and the certificate is computed again.
import { element, svgElement, text } from "../player/draw.js";
import { post } from "./api.js";

export function makeTamper(root, slot, player, made) {
  const moves = new Map();
  let handles = made.handles, waiting = null, asking = false, held = null, attribute = 0, focused = 0;
  let values = made.numbers;
  const box = element(root, "section", { class: "tamper", "aria-label": "Tamper with the answer" });
  element(box, "h2", {}, "Tamper with the answer");
  if (!values.length) {
    element(box, "p", { class: "note" }, "The certificate of this algorithm answers for no number that could be moved here.");
    return { close() {} };
  }
  const graspable = handles.length ? "Drag an orange handle in the picture, or move a number here" : "Move a number";
  element(box, "p", { class: "note" }, `${graspable}: the certificate is computed again from the altered answer and the data, and says which claim breaks.`);
  const result = element(box, "p", { class: "result", role: "status", "data-verdict": made.verdict }, `The answer as it was found: ${words(made.verdict)}.`);
  const broken = element(box, "ul", { class: "broken" });
  const bar = element(box, "div", { class: "buttons" });
  const select = element(bar, "select", { "aria-label": "Attribute of the fitted model" });
  values.forEach((each, i) => element(select, "option", { value: i }, `${each.said}: ${each.shape.length ? each.shape.join(" × ") : "one number"}, ${each.column}`));
  const back = element(bar, "button", { type: "button", disabled: "" }, "Put it back");
  const slide = element(box, "div", { class: "slide" });
  const named = element(slide, "span", { class: "note" });
  const slider = element(slide, "input", { type: "range", min: -100, max: 100, value: 0, "aria-label": "Move the chosen number" });
  const grid = element(box, "div", { class: "numbers" });

  select.addEventListener("change", () => { attribute = Number(select.value); focused = 0; listNumbers(); });
  back.addEventListener("click", () => {
    moves.clear();
    values = made.numbers;
    handles = made.handles;
    player.show(player.frames.length - 1);
    listNumbers();
    said({ verdict: made.verdict, broken: [], done: [] });
    placeHandles();
  });
  slider.addEventListener("input", () => {
    const was = made.numbers[attribute].values[focused] ?? 0;
    move([place(attribute, focused, was + (Number(slider.value) / 100) * span(attribute))]);
  });

  // How far a slider goes: as far as the numbers of the attribute do.
  function span(which) {
    const sizes = made.numbers[which].values.map((value) => Math.abs(value ?? 0));
    return made.numbers[which].whole ? Math.max(3, ...sizes) : Math.max(...sizes, 1e-12) || 1;
  }

  function place(which, k, value) {
    const { attribute: name, part, shape, whole } = made.numbers[which];
    const index = [];
    for (let rest = k, i = shape.length - 1; i >= 0; i -= 1) { index.unshift(rest % shape[i]); rest = Math.floor(rest / shape[i]); }
    return { attribute: name, part, index, value: whole ? Math.round(value) : value };
  }

  function listNumbers() {
    grid.replaceChildren();
    const { shape, values: numbers, said: name } = values[attribute];
    numbers.forEach((value, k) => {
      const at = place(attribute, k, 0);
      const label = element(grid, "label", {}, at.index.length ? `[${at.index.join(", ")}]` : name);
      if (moves.has(keyOf(at))) label.dataset.moved = "yes";
      const field = element(label, "input", { type: "number", step: "any", value: value === null ? "" : Number(value.toPrecision(6)) });
      field.addEventListener("focus", () => { focused = k; showSlider(); });
      field.addEventListener("change", () => { if (field.value !== "") move([place(attribute, k, Number(field.value))]); });
    });
    const all = shape.reduce((a, b) => a * b, 1);
    if (all > numbers.length) element(grid, "p", { class: "note" }, `the first ${numbers.length} of ${all}`);
    showSlider();
  }

  function showSlider() {
    const at = place(attribute, focused, 0), was = made.numbers[attribute].values[focused] ?? 0;
    const now = moves.get(keyOf(at))?.value ?? was;
    named.textContent = `${made.numbers[attribute].said}${at.index.length ? `[${at.index.join(", ")}]` : ""} = ${text(now)}`;
    slider.value = Math.round((100 * (now - was)) / span(attribute));
  }

  // The numbers below follow the hand.
  function follow(handle) {
    const which = made.numbers.findIndex((each) => each.attribute === handle.attribute && (each.part ?? null) === (handle.part ?? null));
    if (which < 0) return;
    attribute = which;
    select.value = which;
    const { shape } = made.numbers[which];
    focused = (handle.index ?? [handle.row, 0]).reduce((at, i, k) => at * shape[k] + i, 0);
  }

  function keyOf({ attribute: name, part, index }) { return JSON.stringify([name, part ?? null, index]); }

  function move(list) {
    for (const each of list) moves.set(keyOf(each), each);
    back.disabled = false;
    waiting = [...moves.values()];
    if (!asking) ask();
  }

  // One question at a time; while it is on its way only the newest one waits.
  async function ask() {
    asking = true;
    while (waiting) {
      const asked = waiting;
      waiting = null;
      try {
        const answer = await post(`${slot}/tamper`, { moves: asked });
        if (!moves.size) break;
        handles = answer.handles.length ? answer.handles : handles;
        values = answer.values;
        player.preview(answer.frame);
        said(answer);
        placeHandles();
        if (!grid.contains(document.activeElement)) listNumbers(); else showSlider();
        root.dataset.tampered = String(Number(root.dataset.tampered ?? 0) + 1);
      } catch (fault) {
        result.textContent = fault.message;
        delete result.dataset.verdict;  // an answer that did not come refutes nothing
      }
    }
    asking = false;
  }

  function said({ verdict, broken: claims, done }) {
    result.dataset.verdict = verdict;
    const what = done.length ? done.slice(-3).join(", ") : "The answer as it was found";
    const count = claims.length === 1 ? "one claim breaks" : `${claims.length} claims break`;
    result.textContent = `${what}: ${claims.length ? `refuted, ${count}` : words(verdict)}.`;
    broken.replaceChildren();
    for (const claim of claims) element(broken, "li", {}, `${claim.id}: ${claim.sentence}.`);
    back.disabled = !done.length;
  }

  // Handles lie on the pictures of the last state.
  const groups = new Map();
  function placeHandles() {
    const shown = player.at === player.frames.length - 1;
    for (const group of groups.values()) if (!held) group.replaceChildren();
    handles.forEach((handle, k) => {
      const svg = player.picture(handle.panel);
      if (!svg?.scales || !shown) return;
      let group = groups.get(svg);
      if (!group) { group = svgElement(svg, "g", { class: "handles" }); groups.set(svg, group); }
      if (!held) grasp(group, svg, handle, k);
    });
  }

  function grasp(group, svg, handle, k) {
    const { x, y } = svg.scales;
    const common = { class: "handle", tabindex: "0", role: "slider", "aria-label": labelOf(handle), "aria-valuenow": text(handle.value ?? handle.at?.[0]) };
    let shape;
    if (handle.kind === "bar") shape = svgElement(group, "circle", { ...common, cx: x(handle.value), cy: y(handle.bar), r: 5 });
    else if (handle.kind === "head") shape = svgElement(group, "circle", { ...common, cx: x(svg.scales.last), cy: y(handle.value), r: 5 });
    else if (handle.kind === "point") shape = svgElement(group, "circle", { ...common, cx: x(handle.at[0]), cy: y(handle.at[1]), r: 9 });
    else {
      const ends = endsOf(handle, x, y);
      if (!ends) return;
      if (handle.kind === "turn") {
        handle.pivot = [(ends[0] + ends[2]) / 2, (ends[1] + ends[3]) / 2];
        handle.at = handle.pivot.map((middle, j) => middle + 0.7 * (ends[2 + j] - middle));
        shape = svgElement(group, "circle", { ...common, cx: x(handle.at[0]), cy: y(handle.at[1]), r: 9 });
      } else shape = svgElement(group, "line", { ...common, x1: x(ends[0]), y1: y(ends[1]), x2: x(ends[2]), y2: y(ends[3]) });
    }
    Object.assign(shape.dataset, { handle: k, kind: handle.kind });
    shape.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      shape.setPointerCapture(event.pointerId);
      shape.classList.add("held");
      // Units are those of the moment of the grasp: the picture may be rescaled while it is held.
      follow(handle);
      held = { handle, from: inside(svg, event), units: unitsOf(svg.scales, handle) };
      player.pause();
    });
    shape.addEventListener("pointermove", (event) => {
      if (!held || held.handle !== handle) return;
      const [u, v] = inside(svg, event), [u0, v0] = held.from;
      set(shape, { transform: shiftOf(handle, u - u0, v - v0) });
      move(movesOf(handle, (u - u0) * held.units[0], (v - v0) * held.units[1]));
    });
    const release = () => {
      if (!held) return;
      held = null;
      shape.classList.remove("held");
      placeHandles();
    };
    shape.addEventListener("pointerup", release);
    shape.addEventListener("pointercancel", release);
    shape.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: [-8, 0], ArrowRight: [8, 0], ArrowUp: [0, -8], ArrowDown: [0, 8] }[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      const [wide, high] = unitsOf(svg.scales, handle);
      follow(handle);
      move(movesOf(handle, step[0] * wide, step[1] * high));
    });
  }

  function movesOf(handle, dx, dy) {
    if (handle.kind === "bar" || handle.kind === "head") {
      return [{ attribute: handle.attribute, part: null, index: handle.index, value: handle.value + (handle.kind === "bar" ? dx : dy) }];
    }
    if (handle.kind === "point") {
      return handle.values.map((value, j) => ({ attribute: handle.attribute, part: null, index: [handle.row, j], value: value + dx * handle.across[j] + dy * handle.up[j] }));
    }
    if (handle.kind === "cut") return [{ attribute: handle.attribute, part: handle.part, index: handle.index, value: handle.value + (handle.axis === 0 ? dx : dy) }];
    const [a, b] = handle.line;
    if (handle.kind === "turn") return turned(handle, handle.at[0] + dx - handle.pivot[0], handle.at[1] + dy - handle.pivot[1]);
    return [{ attribute: handle.attribute, part: null, index: handle.index, value: handle.value - a * dx - b * dy }];
  }

  const watching = new MutationObserver(() => { if (!held && !asking) placeHandles(); });
  watching.observe(root.querySelector(".film"), { attributes: true, attributeFilter: ["data-at"] });
  listNumbers();
  placeHandles();
  return { close() { watching.disconnect(); } };
}

function words(verdict) {
  return { proved: "proved, every claim holds", refuted: "refuted", "nothing asserted": "not proved" }[verdict] ?? verdict;
}

function labelOf(handle) {
  if (handle.kind === "turn") return "coef_: turn the boundary by dragging, or with the arrow keys";
  const where = handle.kind === "point" ? `[${handle.row}]` : `${handle.part ? `.${handle.part}` : ""}[${handle.index.join(", ")}]`;
  return `${handle.attribute}${where}: drag, or use the arrow keys`;
}

// The boundary through its pivot along (u, v): its normal keeps its length and the side it points to.
function turned({ line: [a, b], pivot, values, indices, across, up, origin, intercept }, u, v) {
  const length = Math.hypot(u, v);
  if (!length) return [];
  const side = Math.sign(b * u - a * v) || 1, size = (side * Math.hypot(a, b)) / length;
  const [na, nb] = [-v * size, u * size];
  const coef = values.map((value, j) => value + (na - a) * across[j] + (nb - b) * up[j]);
  const offset = coef.reduce((sum, value, j) => sum - value * origin[j], -(na * pivot[0] + nb * pivot[1]));
  return [...coef.map((value, j) => ({ attribute: "coef_", part: null, index: indices[j], value })),
    { attribute: "intercept_", part: null, index: intercept, value: offset }];
}

// Where a boundary or a threshold crosses the picture, in its own units.
function endsOf(handle, x, y) {
  const [left, right] = x.ends, [bottom, top] = y.ends;
  if (handle.kind === "cut") return handle.axis === 0 ? [handle.value, bottom, handle.value, top] : [left, handle.value, right, handle.value];
  const [a, b, c] = handle.line, ends = [];
  for (const u of [left, right]) { const v = -(a * u + c) / b; if (b && v >= bottom && v <= top) ends.push([u, v]); }
  for (const v of [bottom, top]) { const u = -(b * v + c) / a; if (a && u >= left && u <= right) ends.push([u, v]); }
  return ends.length < 2 ? null : [...ends[0], ...ends[ends.length - 1]];
}

function shiftOf(handle, du, dv) {
  if (handle.kind === "bar" || (handle.kind === "cut" && handle.axis === 0)) return `translate(${du} 0)`;
  if (handle.kind === "cut" || handle.kind === "head") return `translate(0 ${dv})`;
  return `translate(${du} ${dv})`;
}

// How much one pixel is worth on each axis: scales are straight lines.
function unitsOf({ x, y }, handle) {
  return [1 / (x(1) - x(0)), handle.kind === "bar" ? 0 : 1 / (y(1) - y(0))];
}

function inside(svg, event) {
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  return [point.x, point.y];
}

function set(target, attributes) {
  for (const [key, value] of Object.entries(attributes)) target.setAttribute(key, value);
}
