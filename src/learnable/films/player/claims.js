// The claims of the certificate: a bar each, which moves towards its bound.
import { element, set, text, write } from "./draw.js";

const BOUND = 0.3;  // where the bound stands on each track, as a share of its width

export function makeClaims(parent, frames) {
  const list = element(parent, "ul", { class: "claims" });
  const largest = new Map();
  for (const frame of frames)
    for (const claim of frame.claims) largest.set(keyOf(claim), Math.max(largest.get(keyOf(claim)) ?? 0, reach(claim)));
  return { list, largest, rows: new Map() };
}

// Statements that differ in their numbers only are the same claim at another state.
function keyOf(claim) {
  return `${claim.id} ${claim.statement.replace(/[-+\d.e]+/g, "#")} ${claim.bound === null}`;
}

// How far a value lies beyond its bound, in powers of ten; where the bound is 0, in units.
function reach(claim) {
  if (claim.bound === null || claim.value === null) return 0;
  if (claim.value <= claim.bound) return 0;
  return claim.bound > 0 ? Math.log10(claim.value / claim.bound) : Math.log10(1 + 1e6 * (claim.value - claim.bound));
}

function width(claim, largest) {
  if (claim.value === null) return 1;
  if (claim.value > claim.bound) return BOUND + (1 - BOUND) * Math.min(1, reach(claim) / Math.max(largest, 1));
  if (claim.bound <= 0) return claim.value < claim.bound ? 0 : BOUND;
  // Below the bound: ten powers of ten to the left edge.
  return BOUND * Math.max(0, 1 + Math.log10(Math.max(claim.value, 1e-300) / claim.bound) / 10);
}

export function drawClaims(made, frame) {
  const { list, largest, rows } = made;
  const seen = new Map();
  for (const claim of frame.claims) {
    const key = keyOf(claim), turn = (seen.get(key) ?? 0) + 1;
    seen.set(key, turn);
    const name = `${key} ${turn}`;
    if (!rows.has(name)) rows.set(name, makeRow(list, claim));
    drawRow(rows.get(name), claim, largest.get(key), frame.status !== "");
    rows.get(name).used = frame;
  }
  for (const row of rows.values()) row.item.hidden = row.used !== frame;
}

function makeRow(list, claim) {
  const item = element(list, "li");
  const id = element(item, "span", { class: "id" }, claim.id);
  const statement = element(item, "span", { class: "statement" });
  const track = element(item, "div", { class: "track", role: "img" });
  const bar = element(track, "div", { class: "bar" });
  if (claim.bound !== null) element(track, "div", { class: "limit" });
  else track.hidden = true;
  const figures = element(item, "span", { class: "figures" });
  return { item, id, statement, track, bar, figures };
}

function drawRow(row, claim, largest, ended) {
  write(row.statement, claim.statement);
  const words = { proved: "holds", refuted: ended ? "fails" : "not yet", "nothing asserted": claim.bound === null ? "" : "open" };
  const said = claim.bound === null ? text(claim.value) : `${text(claim.value)} ≤ ${text(claim.bound)}`;
  write(row.figures, `${said} ${words[claim.verdict]}`);
  set(row.item, { "data-verdict": claim.verdict });
  set(row.track, { "aria-label": `${claim.statement}: ${said}, ${words[claim.verdict] || "stated"}` });
  if (claim.bound !== null) row.bar.style.width = `${(100 * width(claim, largest)).toFixed(2)}%`;
}
