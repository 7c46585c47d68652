// Numbers over the frames: lines up to this frame, faint after it.
import { children, colour, cover, element, layers, picture, say, scale, set, svgElement, text, ticks } from "./draw.js";

const LEFT = 52, RIGHT = 12, TOP = 8, BOTTOM = 22;

export function makeHistory(parent, panel, width = 480, height = 220) {
  const view = picture(parent, width, height, panel.title);
  const plot = { left: LEFT + 3, top: 0, width: width - LEFT - RIGHT, height: height - BOTTOM - 1 };
  return { view, layer: layers(view.svg), future: cover(view, element(view.drawing, "div", { class: "future" }), plot) };
}

export function drawHistory({ view, layer, future }, panel, context) {
  say(view, panel);
  const { width, height } = view;
  const { low, high, log } = context.cached(`history-${context.place}`, () => range(context.all));
  const to = (value) => (log ? Math.log10(Math.max(value, 1e-300)) : value);
  const x = scale(0, Math.max(1, context.all.length - 1), LEFT, width - RIGHT);
  const y = scale(low, high, height - BOTTOM, TOP);
  view.svg.scales = log ? undefined : { x, y, last: context.all.length - 1 };
  set(view.svg, { "aria-label": `${panel.title}: ${panel.names.slice(0, 8).map((name, i) => `${name} ${text(panel.values[i])}`).join(", ")}` });
  const axes = layer("axes", "g", { class: "axes" });
  const key = JSON.stringify([low, high, log, context.all.length]);
  if (axes.dataset.key !== key) {
    axes.dataset.key = key;
    axes.replaceChildren();
    svgElement(axes, "path", { d: `M${LEFT} ${TOP}V${height - BOTTOM}H${width - RIGHT}` });
    for (const at of ticks(low, high, 3).filter((each) => !log || Number.isInteger(each)))
      svgElement(axes, "text", { x: LEFT - 5, y: y(at) + 4, "text-anchor": "end" }).textContent = log ? `1e${at}` : text(at);
    svgElement(axes, "text", { x: LEFT, y: height - 6 }).textContent = `state ${context.steps[0]}`;
    svgElement(axes, "text", { x: width - RIGHT, y: height - 6, "text-anchor": "end" }).textContent = String(context.steps[context.steps.length - 1]);
  }
  // The whole lines are drawn once; what veils their future is pushed to the right, and nothing is painted again.
  const count = panel.values.length;
  future.style.transform = `translateX(${(100 * context.at) / Math.max(1, context.all.length - 1)}%)`;
  const lines = children(layer("lines"), "path", count);
  const heads = children(layer("heads"), "circle", count);
  for (let i = 0; i < count; i += 1) {
    const d = context.cached(`line-${context.place}-${i}`, () => path(context.all.map((each) => each.values[i]), x, (value) => y(to(value))));
    set(lines[i], { d, stroke: colour(i), class: "curve" });
    const value = panel.values[i] ?? null;
    set(heads[i], { cx: x(context.at), cy: value === null ? -99 : y(to(value)), r: 3, fill: colour(i) });
  }
}

function path(values, x, y) {
  let pen = "M", d = "";
  values.forEach((value, k) => {
    if (value === null || value === undefined) { pen = "M"; return; }
    d += `${pen}${x(k).toFixed(1)} ${y(value).toFixed(1)}`;
    pen = "L";
  });
  return d;
}

function range(panels) {
  const values = panels.flatMap((panel) => panel.values).filter((value) => value !== null);
  if (!values.length) return { low: 0, high: 1, log: false };
  let low = Infinity, high = -Infinity;
  for (const value of values) { low = Math.min(low, value); high = Math.max(high, value); }
  const log = low > 0 && high / low > 50;
  if (log) [low, high] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const pad = low === high ? Math.abs(low) || 1 : log ? 0 : 0.06 * (high - low);
  return { low: low - pad, high: high + pad, log };
}
