// A matrix of numbers as coloured cells, with texts and arrows on them.
import { COLOURS, children, layers, picture, say, set, text, write } from "./draw.js";

const WIDTH = 480, TALLEST = 360;

export function makeCells(parent, panel) {
  const view = picture(parent, WIDTH, 200, panel.title);
  return { view, layer: layers(view.svg) };
}

export function drawCells({ view, layer }, panel, context) {
  say(view, panel);
  const rows = panel.values.length, columns = rows ? panel.values[0].length : 1;
  const left = panel.rows.length ? 70 : 4, top = panel.columns.length ? 20 : 4;
  const wide = (WIDTH - left - 4) / columns, high = Math.min(wide * 0.75, (TALLEST - top) / rows, 64);
  set(view.svg, { viewBox: `0 0 ${WIDTH} ${top + rows * high + 4}`, "aria-label": `${panel.title}: ${rows} by ${columns} cells. ${context.caption}` });
  const largest = context.cached(`cells-${context.place}`, () => Math.max(1e-300, ...context.all.flatMap((each) => each.values.flat().map((value) => Math.abs(value ?? 0)))));
  const flat = panel.values.flat();
  const rects = children(layer("cells"), "rect", flat.length), labels = children(layer("texts", "g", { class: "labels" }), "text", flat.length);
  flat.forEach((value, k) => {
    const i = Math.floor(k / columns), j = k % columns;
    const strength = Math.sqrt(Math.abs(value ?? 0) / largest);
    set(rects[k], { x: left + j * wide, y: top + i * high, width: wide - 1, height: high - 1, class: value === null ? "wall" : null,
      fill: value === null ? null : COLOURS[value < 0 ? 5 : 0], "fill-opacity": value === null ? null : (0.04 + 0.6 * strength).toFixed(3) });
    const said = panel.texts.length ? panel.texts[i][j] : wide > 26 ? text(value) : "";
    set(labels[k], { x: left + (j + 0.5) * wide, y: top + (i + (panel.arrows.length ? 0.86 : 0.5)) * high + (panel.arrows.length ? 0 : 4), "text-anchor": "middle" });
    write(labels[k], value === null && !panel.texts.length ? "" : said);
  });
  const arrows = children(layer("arrows"), "path", panel.arrows.length);
  panel.arrows.forEach(([i, j, right, down], k) => {
    const x = left + (j + 0.5) * wide, y = top + (i + 0.4) * high, reach = 0.24 * Math.min(wide, high);
    const [ax, ay] = [right * reach, down * reach];
    set(arrows[k], { class: "arrow", d: `M${x - ax} ${y - ay}L${x + ax} ${y + ay}m${-0.6 * ax - 0.5 * ay} ${-0.6 * ay + 0.5 * ax}L${x + ax} ${y + ay}l${-0.6 * ax + 0.5 * ay} ${-0.6 * ay - 0.5 * ax}` });
  });
  const names = children(layer("names", "g", { class: "axes" }), "text", panel.rows.length + panel.columns.length);
  panel.rows.forEach((name, i) => write(set(names[i], { x: left - 5, y: top + (i + 0.5) * high + 4, "text-anchor": "end" }), name.slice(0, 11)));
  panel.columns.forEach((name, j) => write(set(names[panel.rows.length + j], { x: left + (j + 0.5) * wide, y: 14, "text-anchor": "middle" }), name.slice(0, Math.max(2, Math.floor(wide / 6.5)))));
}
