// Small charts of the theory pages: lines over two axes, one of them perhaps logarithmic.
import { colour, element, scale, svgElement, text, ticks } from "../player/draw.js";

const WIDTH = 520, HEIGHT = 260, LEFT = 58, RIGHT = 14, TOP = 10, BOTTOM = 36;

// lines: [{ name, points: [[x, y], …], group, dashed }]; marks: [[x, y, group], …]
export function chart(parent, { title, x, y, lines, marks = [], log = false, level = null, box = null }) {
  const figure = element(parent, "figure", { class: "panel" });
  element(figure, "figcaption", {}, title);
  const svg = svgElement(figure, "svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": title });
  const to = log ? (value) => Math.log10(Math.max(value, 1e-300)) : (value) => value;
  const all = lines.flatMap((line) => line.points).filter(([, value]) => value !== null);
  if (!all.length) return svg;
  let [left, right, bottom, top] = box ?? [Infinity, -Infinity, Infinity, -Infinity];
  if (!box) for (const [a, b] of all) {
    left = Math.min(left, a); right = Math.max(right, a);
    bottom = Math.min(bottom, to(b)); top = Math.max(top, to(b));
  }
  if (bottom === top) { bottom -= 1; top += 1; }
  const across = scale(left, right, LEFT, WIDTH - RIGHT), up = scale(bottom, top, HEIGHT - BOTTOM, TOP);
  const axes = svgElement(svg, "g", { class: "axes" });
  svgElement(axes, "path", { d: `M${LEFT} ${TOP}V${HEIGHT - BOTTOM}H${WIDTH - RIGHT}` });
  for (const at of ticks(left, right)) svgElement(axes, "text", { x: across(at), y: HEIGHT - BOTTOM + 14, "text-anchor": "middle" }).textContent = text(at);
  for (const at of ticks(bottom, top, 4).filter((each) => !log || Number.isInteger(each))) {
    svgElement(axes, "text", { x: LEFT - 6, y: up(at) + 4, "text-anchor": "end" }).textContent = log ? `1e${at}` : text(at);
  }
  svgElement(axes, "text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 5, "text-anchor": "middle", class: "name" }).textContent = x;
  const upright = svgElement(axes, "text", { x: 11, y: HEIGHT / 2, "text-anchor": "middle", class: "name", transform: `rotate(-90 11 ${HEIGHT / 2})` });
  upright.textContent = y;
  if (level !== null) svgElement(svg, "line", { x1: LEFT, x2: WIDTH - RIGHT, y1: up(to(level)), y2: up(to(level)), class: "bound" });
  for (const line of lines) {
    let pen = "M", d = "";
    for (const [a, b] of line.points) {
      if (b === null || to(b) > top + 1e-9) { pen = "M"; continue; }
      d += `${pen}${across(a).toFixed(1)} ${up(to(b)).toFixed(1)}`;
      pen = "L";
    }
    svgElement(svg, "path", { d, class: "curve", stroke: colour(line.group), "stroke-dasharray": line.dashed ? "5 4" : "none" });
  }
  for (const [a, b, group] of marks) svgElement(svg, "circle", { cx: across(a), cy: up(to(b)), r: 4.5, fill: colour(group) });
  const legend = element(figure, "p", { class: "note" });
  lines.forEach((line, i) => {
    if (i) legend.append(" · ");
    const swatch = svgElement(legend, "svg", { viewBox: "0 0 12 12", class: "swatch", "aria-hidden": "true" });
    svgElement(swatch, "circle", { cx: 6, cy: 6, r: 6, fill: colour(line.group) });
    legend.append(line.name);
  });
  return svg;
}
