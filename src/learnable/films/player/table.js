// A small table of texts.
import { element, say } from "./draw.js";

export function makeTable(parent, panel) {
  const figure = element(parent, "figure", { class: "panel" });
  const caption = element(figure, "figcaption", {}, panel.title);
  const scroll = element(figure, "div", { class: "scroll", tabindex: "0", role: "region", "aria-label": panel.title });
  const note = element(figure, "p", { class: "note" });
  return { view: { caption, note }, table: element(scroll, "table") };
}

export function drawTable({ view, table }, panel) {
  say(view, panel);
  table.replaceChildren();
  const head = element(element(table, "thead"), "tr");
  for (const name of panel.columns) element(head, "th", { scope: "col" }, name);
  const body = element(table, "tbody");
  panel.rows.forEach((cells, i) => {
    const row = element(body, "tr", panel.marked.includes(i) ? { class: "marked" } : {});
    for (const cell of cells) element(row, "td", {}, String(cell ?? ""));
  });
}
