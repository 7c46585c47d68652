// The chapter map: every row of the syllabus with its formula, its page, its film, and its examples run.
import { element } from "../player/draw.js";
import { post } from "./api.js";

let shown = null;

export async function showMap(root, wanted = "") {
  shown ??= make(root);
  const open = await shown;
  if (wanted) open(wanted);
}

async function make(root) {
  const state = element(root, "p", { class: "note", role: "status" }, "The rows are being read …");
  const { chapters } = await post("ask/rows");
  const all = chapters.flatMap((chapter) => chapter.rows);
  state.textContent = `${all.length} rows in ${chapters.length} chapters. “Page” says what computes a row and which test states its law; “Film” runs an algorithm that shows it; “Run it” runs its examples here.`;
  const search = element(root, "input", { type: "search", placeholder: "Find a row: lasso, VC, margin …", "aria-label": "Find a row" });
  const places = new Map();
  const lists = chapters.map(({ letters, title, rows }) => {
    const chapter = element(root, "details", { class: "chapter" });
    const head = element(chapter, "summary", {}, `${title} `);
    element(head, "span", { class: "counted" }, `${letters}1–${letters}${rows.length}`);
    const list = element(chapter, "div", { class: "rows" });
    return { chapter, made: rows.map((row) => { const made = makeRow(list, row); places.set(row.id, { chapter, made }); return { row, made }; }) };
  });
  lists[0].chapter.open = true;
  search.addEventListener("input", () => {
    const words = search.value.trim().toLowerCase();
    for (const { chapter, made } of lists) {
      let found = 0;
      for (const { row, made: place } of made) {
        const fits = !words || `${row.id} ${row.shows} ${row.object} ${row.formula}`.toLowerCase().includes(words);
        place.hidden = !fits;
        found += fits;
      }
      chapter.hidden = !found;
      if (words) chapter.open = found > 0;
    }
  });
  root.dataset.ready = "yes";
  return (id) => { const place = places.get(id); if (place) { place.chapter.open = true; place.made.scrollIntoView(); } };
}

function makeRow(list, row) {
  const made = element(list, "div", { class: "row", id: `row-${row.id}` });
  element(made, "span", { class: "id" }, row.id);
  const middle = element(made, "div");
  element(middle, "div", {}, row.shows);
  if (row.formula) element(middle, "div", { class: "formula" }, row.formula);
  element(middle, "div", { class: "object" }, row.object);
  const buttons = element(made, "div", { class: "buttons" });
  const detail = element(made, "div", { class: "detail", hidden: "", "aria-live": "polite" });
  let open = "";
  const button = (label, about, action) => element(buttons, "button", { type: "button", "aria-label": `${label}: ${row.id}, ${about}`, title: about }, label).addEventListener("click", action);
  const unfold = async (what, draw) => {
    if (open === what) { detail.hidden = true; open = ""; return; }
    open = what;
    detail.hidden = false;
    detail.replaceChildren();
    element(detail, "p", { class: "note" }, "a moment …");
    try {
      const answer = await post(`ask/${what}`, { id: row.id });
      detail.replaceChildren();
      draw(answer);
    } catch (fault) { detail.replaceChildren(); element(detail, "p", { class: "ko" }, fault.message); }
  };
  button("Page", "what computes it, and which test states its law", () => unfold("row", (page) => {
    element(detail, "p", {}, `${page.object}${page.signature}`);
    element(detail, "pre", { tabindex: "0" }, page.text);
    element(detail, "p", { class: "note" }, `Guide: ${page.guide}. Its law: ${page.test}.`);
  }));
  if (row.film) button("Film", `${row.film} as a film`, () => { location.hash = `#/run/${encodeURIComponent(row.film)}`; });
  button("Run it", "run the examples of its docstring", () => unfold("example", (ran) => {
    if (ran.said) { element(detail, "p", { class: "note" }, ran.said); return; }
    element(detail, "pre", { tabindex: "0" }, ran.lines.map(({ source, got }) => `${source.split("\n").map((line, i) => `${i ? "..." : ">>>"} ${line}`).join("\n")}${got ? `\n${got}` : ""}`).join("\n"));
    element(detail, "p", { class: ran.as_promised ? "ok" : "ko" }, ran.as_promised ? "Every line gave what its docstring promises." : "A line did not give what its docstring promises.");
  }));
  return made;
}
