// One horizontal bar a name.
import { children, colour, layers, picture, say, scale, set, svgElement, text, write } from "./draw.js";

const WIDTH = 480, ROW = 17, LEFT = 122, RIGHT = 56, MOST = 40;

export function makeBars(parent, panel) {
  const view = picture(parent, WIDTH, 40, panel.title);
  return { view, layer: layers(view.svg) };
}

export function drawBars({ view, layer }, panel, context) {
  // Where there are many, those that are ever largest in the film are drawn.
  const chosen = context.cached(`bars-${context.place}`, () => largest(context.all)).filter((i) => i < panel.names.length);
  say(view, { ...panel, note: [panel.note, chosen.length < panel.names.length ? `the ${chosen.length} largest of ${panel.names.length} bars` : ""].filter(Boolean).join("; ") });
  const height = chosen.length * ROW + 8;
  set(view.svg, { viewBox: `0 0 ${WIDTH} ${height}`, "aria-label": `${panel.title}: ${chosen.slice(0, 12).map((i) => `${panel.names[i]} ${text(panel.values[i])}`).join(", ")}` });
  // The range of the whole film, wider where an altered answer goes beyond it.
  const [least, most] = context.cached(`range-${context.place}`, () => range(context.all));
  const low = Math.min(least, ...panel.values), high = Math.max(most, ...panel.values);
  // With a bound, lengths are square roots: what has come near it stays visible beside what was far.
  const to = panel.bound === null ? (value) => value : (value) => Math.sign(value) * Math.sqrt(Math.abs(value));
  const along = scale(to(low), to(high), LEFT, WIDTH - RIGHT), x = (value) => along(to(value));
  view.svg.scales = { x, y: (i) => chosen.indexOf(i) * ROW + ROW / 2 + 1 };
  const bars = children(layer("bars"), "rect", chosen.length);
  const names = children(layer("names", "g", { class: "axes" }), "text", chosen.length);
  const values = children(layer("values", "g", { class: "axes" }), "text", chosen.length);
  chosen.forEach((i, row) => {
    const value = panel.values[i] ?? 0, top = row * ROW + 4;
    set(bars[row], { x: Math.min(x(0), x(value)), y: top, width: Math.abs(x(value) - x(0)), height: ROW - 5, fill: colour(panel.group[i]) });
    set(names[row], { x: LEFT - 6, y: top + 10, "text-anchor": "end" });
    set(values[row], { x: WIDTH - RIGHT + 6, y: top + 10 });
    write(names[row], panel.names[i].length > 19 ? `${panel.names[i].slice(0, 18)}…` : panel.names[i]);
    write(values[row], text(panel.values[i]));
  });
  const lines = panel.bound === null ? [0] : [0, panel.bound, ...(low < 0 ? [-panel.bound] : [])];
  const rules = children(layer("rules"), "line", lines.length);
  lines.forEach((at, i) => set(rules[i], { x1: x(at), x2: x(at), y1: 0, y2: height, class: i ? "bound" : "zero" }));
}

function largest(panels) {
  const longest = panels.reduce((one, other) => (other.names.length > one.names.length ? other : one));
  const size = longest.names.map((_, i) => Math.max(...panels.map((panel) => Math.abs(panel.values[i] ?? 0))));
  const order = size.map((_, i) => i);
  if (order.length <= MOST) return order;
  return order.sort((a, b) => size[b] - size[a]).slice(0, MOST).sort((a, b) => a - b);
}

function range(panels) {
  let low = 0, high = 0;
  for (const panel of panels) {
    for (const value of panel.values) { low = Math.min(low, value ?? 0); high = Math.max(high, value ?? 0); }
    high = Math.max(high, panel.bound ?? 0);
    if (low < 0) low = Math.min(low, -(panel.bound ?? 0));
  }
  return low === high ? [0, 1] : [low, high];
}
