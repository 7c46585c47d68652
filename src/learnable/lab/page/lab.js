// The page: which of its parts is shown, and the one session it has with the server.
import { get, openSession, say, tokenFound } from "./api.js";
import { showMap } from "./map.js";
import { startRuns } from "./runs.js";
import { showTheory } from "./theory.js";

const PAGES = ["run", "theory", "map"];
let runs = null;

function turn() {
  const [page, ...rest] = location.hash.replace(/^#\/?/, "").split("/");
  const shown = PAGES.includes(page) ? page : "run";
  for (const each of PAGES) document.getElementById(each).hidden = each !== shown;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("href") === `#/${shown}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (runs === null) return;
  if (shown === "theory") showTheory(document.getElementById("theory"));
  if (shown === "map") showMap(document.getElementById("map"), rest[0]);
  if (shown === "run" && rest.length) { runs.choose(decodeURIComponent(rest[0])); history.replaceState(null, "", "#/run"); }
}

async function start() {
  addEventListener("hashchange", turn);
  if (!tokenFound()) {
    say("Open the address that `learnable lab` printed: it ends in the token that this page needs.");
    return;
  }
  turn();
  const opened = await openSession();
  const catalogue = await get("catalogue");
  runs = startRuns(catalogue, opened.table);
  turn();
  document.documentElement.dataset.ready = "yes";
}

start().catch((fault) => { if (!document.getElementById("trouble").textContent) say(`The page could not start: ${fault.message}.`); });
