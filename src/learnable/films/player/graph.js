// Nodes and edges at given places.
import { children, colour, layers, picture, say, set, write } from "./draw.js";

const WIDTH = 480, HEIGHT = 340, EDGE = 30;

export function makeGraph(parent, panel) {
  const view = picture(parent, WIDTH, HEIGHT, panel.title);
  return { view, layer: layers(view.svg) };
}

export function drawGraph({ view, layer }, panel, context) {
  say(view, panel);
  const joined = panel.edges.filter((edge) => edge[2] !== "faint").length;
  set(view.svg, { "aria-label": `${panel.title}: ${panel.labels.length} nodes, ${joined} edges. ${context.caption}` });
  const boxed = panel.shape === "box";
  const side = boxed ? 52 : EDGE;
  const x = panel.x.map((at) => side + at * (WIDTH - 2 * side)), y = panel.y.map((at) => EDGE + at * (HEIGHT - 2 * EDGE));
  const longest = Math.max(...panel.labels.map((label) => label.length), 1);
  const radius = panel.labels.length > 40 ? 4 : longest > 3 ? 8 : 12;
  const lines = children(layer("edges"), "line", panel.edges.length);
  const heads = children(layer("heads"), "path", panel.edges.length);
  panel.edges.forEach(([from, to, style, group, width], i) => {
    const gone = x[from] === undefined || x[to] === undefined;
    const dx = gone ? 1 : x[to] - x[from], dy = gone ? 0 : y[to] - y[from], length = Math.hypot(dx, dy) || 1;
    const end = gone ? [0, 0] : [x[to] - (dx / length) * (radius + 1), y[to] - (dy / length) * (radius + 1)];
    const ink = style === "faint" ? "var(--line)" : colour(group);
    set(lines[i], { x1: gone ? 0 : x[from], y1: gone ? 0 : y[from], x2: style === "arrow" ? end[0] : gone ? 0 : x[to], y2: style === "arrow" ? end[1] : gone ? 0 : y[to],
      stroke: ink, "stroke-width": width ?? 1.5, "stroke-dasharray": style === "dashed" ? "5 4" : null });
    const [ux, uy] = [dx / length, dy / length];
    set(heads[i], { fill: ink, d: style === "arrow" && !gone
      ? `M${end[0]} ${end[1]}l${-9 * ux - 4 * uy} ${-9 * uy + 4 * ux}l${8 * uy} ${-8 * ux}z` : "" });
  });
  const nodes = children(layer("nodes"), boxed ? "rect" : "circle", x.length);
  const labels = children(layer("labels", "g", { class: "labels" }), "text", x.length);
  x.forEach((at, i) => {
    const ink = colour(panel.group[i]);
    const wide = Math.min(104, 6.2 * panel.labels[i].length + 10);
    if (boxed) set(nodes[i], { x: at - wide / 2, y: y[i] - 9, width: wide, height: 18, rx: 4, stroke: ink, class: "node" });
    else set(nodes[i], { cx: at, cy: y[i], r: radius, fill: ink, class: "node" });
    const inside = boxed || longest <= 3;
    set(labels[i], { x: at, y: inside ? y[i] + 4 : y[i] - radius - 4, "text-anchor": "middle", class: !boxed && inside ? "on" : null });
    const label = panel.labels.length > 40 && !boxed ? "" : panel.labels[i];
    write(labels[i], boxed && label.length > 17 ? `${label.slice(0, 16)}…` : label);
  });
}
