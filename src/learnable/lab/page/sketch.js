// Points drawn by hand: clicks and strokes of the mouse, a finger, or the arrow keys.
import { colour, element, svgElement } from "../player/draw.js";

const SIZE = 280, REACH = 3, KEPT = "learnable lab: points", MOST = 2000;
const NAMES = ["first class", "second class", "third class"];

export function makeSketch(root, changed) {
  let points = kept(), group = 0, rubber = false, cursor = [0, 0], last = null;
  const tools = element(root, "div", { class: "buttons", role: "group", "aria-label": "Colours and tools" });
  const picks = NAMES.map((name, i) => {
    const pick = element(tools, "button", { type: "button", "aria-pressed": String(i === 0), "aria-label": name, title: name });
    const dot = svgElement(svgElement(pick, "svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }), "circle", { cx: 8, cy: 8, r: 6 });
    dot.setAttribute("fill", colour(i));
    pick.addEventListener("click", () => choose(i));
    return pick;
  });
  const eraser = element(tools, "button", { type: "button", "aria-pressed": "false" }, "Erase");
  eraser.addEventListener("click", () => choose(group, !rubber));
  const clear = element(tools, "button", { type: "button" }, "Clear");
  clear.addEventListener("click", () => { points.length = 0; drawn(); });
  const svg = svgElement(root, "svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, class: "sketch", tabindex: "0", role: "application",
    "aria-label": "Drawing area: click or drag to add points; with the keyboard, arrows move the cursor, Enter adds a point, 1 to 3 choose the colour, Delete erases" });
  const clouds = element(root, "div", { class: "buttons" });
  for (const [name, apart] of [["Two clouds", 1.6], ["Overlapping", 0.55]]) {
    const button = element(clouds, "button", { type: "button" }, name);
    button.addEventListener("click", () => { points.length = 0; cloud(-apart, -apart * 0.6, 0); cloud(apart, apart * 0.6, 1); drawn(); });
  }
  element(root, "p", { class: "note" }, "Click adds a point, a stroke adds many. Where a number is to be predicted, the height is the target.");
  const dots = svgElement(svg, "g"), mark = svgElement(svg, "circle", { class: "cursor", r: 9, visibility: "hidden" });

  const across = (x) => ((x + REACH) / (2 * REACH)) * SIZE, up = (y) => SIZE - across(y);
  const place = (event) => {
    const box = svg.getBoundingClientRect();
    return [((event.clientX - box.left) / box.width) * 2 * REACH - REACH, REACH - ((event.clientY - box.top) / box.height) * 2 * REACH];
  };

  function choose(which, erasing = false) {
    group = which;
    rubber = erasing;
    picks.forEach((pick, i) => pick.setAttribute("aria-pressed", String(i === group && !rubber)));
    eraser.setAttribute("aria-pressed", String(rubber));
  }

  function touch([x, y]) {
    if (Math.abs(x) > REACH || Math.abs(y) > REACH) return;
    if (rubber) {
      const left = points.filter(([a, b]) => Math.hypot(a - x, b - y) > 0.25);
      points.splice(0, points.length, ...left);
    } else if (points.length < MOST) points.push([Number(x.toFixed(3)), Number(y.toFixed(3)), group]);
    drawn();
  }

  function cloud(x, y, which) {
    for (let i = 0; i < 30; i += 1) {
      const angle = 2 * Math.PI * Math.random(), radius = 0.7 * Math.sqrt(-2 * Math.log(1 - 0.95 * Math.random()));
      points.push([Number((x + 0.8 * radius * Math.cos(angle)).toFixed(3)), Number((y + 0.8 * radius * Math.sin(angle)).toFixed(3)), which]);
    }
  }

  svg.addEventListener("pointerdown", (event) => { svg.setPointerCapture(event.pointerId); last = place(event); touch(last); });
  svg.addEventListener("pointermove", (event) => {
    if (last === null) return;
    const at = place(event);
    // A stroke scatters its points a little, so that a cloud comes out and not a line.
    if (Math.hypot(at[0] - last[0], at[1] - last[1]) < 0.14) return;
    last = at;
    touch(rubber ? at : [at[0] + 0.3 * (Math.random() - 0.5), at[1] + 0.3 * (Math.random() - 0.5)]);
  });
  for (const ending of ["pointerup", "pointercancel"]) svg.addEventListener(ending, () => { last = null; });
  svg.addEventListener("focus", () => { mark.setAttribute("visibility", "visible"); moved(0, 0); });
  svg.addEventListener("blur", () => mark.setAttribute("visibility", "hidden"));
  const STEPS = { ArrowLeft: [-0.15, 0], ArrowRight: [0.15, 0], ArrowUp: [0, 0.15], ArrowDown: [0, -0.15] };
  svg.addEventListener("keydown", (event) => {
    if (event.key in STEPS) moved(...STEPS[event.key]);
    else if (event.key === "Enter" || event.key === " ") touch(cursor);
    else if (event.key === "Delete" || event.key === "Backspace") { const before = rubber; rubber = true; touch(cursor); rubber = before; }
    else if ("123".includes(event.key)) choose(Number(event.key) - 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });

  function moved(dx, dy) {
    cursor = [Math.min(REACH, Math.max(-REACH, cursor[0] + dx)), Math.min(REACH, Math.max(-REACH, cursor[1] + dy))];
    mark.setAttribute("cx", across(cursor[0]));
    mark.setAttribute("cy", up(cursor[1]));
  }

  function drawn() {
    dots.replaceChildren();
    for (const [x, y, of] of points) svgElement(dots, "circle", { cx: across(x).toFixed(1), cy: up(y).toFixed(1), r: 4, fill: colour(of), class: "dot" });
    localStorage.setItem(KEPT, JSON.stringify(points));
    changed();
  }

  drawn();
  return { get points() { return points; } };
}

// What was drawn before, in this browser.
function kept() {
  try {
    const points = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
    return Array.isArray(points) ? points.filter((point) => Array.isArray(point) && point.length === 3) : [];
  } catch { return []; }
}
