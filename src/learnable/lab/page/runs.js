// Running: an algorithm of a chapter, a table, parameters; one film or two side by side.
import { element } from "../player/draw.js";
import { mount } from "../player/player.js";
import { download, get, post, send } from "./api.js";
import { makeSketch } from "./sketch.js";
import { makeTamper } from "./tamper.js";

const PAIRS = [["Lars", "Lasso"], ["ID3Classifier", "DecisionTreeClassifier"], ["KMeans", "GaussianMixture"]];
const FIRST = "Perceptron";
const $ = (id) => document.getElementById(id);

export function startRuns(catalogue, own) {
  const byName = new Map(catalogue.algorithms.map((each) => [each.name, each]));
  const tables = new Map(catalogue.tables.map((each) => [each.name, each]));
  const stages = { first: stageOf("first"), second: stageOf("second") };
  let running = 0;

  for (const { letters, title } of catalogue.chapters) {
    const count = catalogue.algorithms.filter((each) => each.chapter === letters).length;
    if (count) element($("chapter"), "option", { value: letters }, `${title} (${count})`);
  }
  fill($("table"), catalogue.tables.map((each) => [each.name, each.name === "example" ? each.title : `${each.name}: ${each.title}`]));
  fill($("second"), catalogue.algorithms.map((each) => [each.name, each.name]));
  PAIRS.forEach(([one, other], i) => {
    const pair = element($("pairs"), "a", { href: "#/run", role: "button" }, `${one} and ${other}`);
    pair.addEventListener("click", (event) => { event.preventDefault(); choose(one, other); });
    if (i < PAIRS.length - 1) $("pairs").append(", ");
  });
  const sketch = makeSketch($("sketch"), () => { if (!drawing()) return; $("state").textContent = `${sketch.points.length} points`; });

  $("chapter").addEventListener("change", () => { listAlgorithms(); algorithmChosen(true); });
  $("algorithm").addEventListener("change", () => algorithmChosen(true));
  $("second").addEventListener("change", () => showParameters($("parameters-second"), byName.get($("second").value), true));
  $("both").addEventListener("change", () => both($("both").checked));
  $("table").addEventListener("change", () => { draw(false); tableChosen(); });
  $("draw").addEventListener("click", () => draw(!drawing()));
  $("file").addEventListener("change", () => upload($("file").files[0]));
  $("form").addEventListener("submit", (event) => { event.preventDefault(); run(); });
  $("cancel").addEventListener("click", () => { for (const slot of slots()) post(`${slot}/cancel`).catch(() => {}); });

  function stageOf(slot) {
    return { slot, root: document.querySelector(`.stage[data-slot="${slot}"]`), player: null, tamper: null };
  }

  function slots() { return $("both").checked ? ["first", "second"] : ["first"]; }
  function drawing() { return $("draw").getAttribute("aria-pressed") === "true"; }

  function listAlgorithms() {
    const letters = $("chapter").value;
    fill($("algorithm"), catalogue.algorithms.filter((each) => each.chapter === letters).map((each) => [each.name, each.name]));
  }

  function algorithmChosen(newTable) {
    const chosen = byName.get($("algorithm").value);
    $("about").textContent = `${chosen.about} Rows ${chosen.rows.join(", ") || "none"}.`;
    showParameters($("parameters"), chosen, $("both").checked);
    if (newTable && !drawing() && !tables.get($("table").value)?.uploaded) $("table").value = chosen.table;
    if (newTable && !drawing()) tableChosen();
  }

  // For models of sequences no column is the target, but one may say where a sequence ends.
  function tableChosen() {
    const table = tables.get($("table").value), sequences = byName.get($("algorithm").value)?.task === "sequence";
    const columns = (table?.columns ?? []).map((name) => [name, name]);
    const kept = $("target").dataset.table === table?.name ? $("target").value : "";
    $("target").dataset.table = table?.name ?? "";
    $("target-label").hidden = !columns.length;
    $("target-name").textContent = sequences ? "Sequences by" : "Target";
    fill($("target"), sequences ? [["", "all rows are one"], ...columns] : columns);
    if (kept || (table?.target && !sequences)) $("target").value = kept || table.target;
  }

  function both(on) {
    $("both").checked = on;
    $("other").hidden = !on;
    $("parameters-second").hidden = !on;
    stages.second.root.hidden = !on;
    $("stages").classList.toggle("two", on);
    algorithmChosen(false);
    if (on) showParameters($("parameters-second"), byName.get($("second").value), true);
  }

  function draw(on) {
    $("draw").setAttribute("aria-pressed", String(on));
    $("sketch").hidden = !on;
    $("table").disabled = on;
    if (on) $("target-label").hidden = true; else tableChosen();
  }

  async function upload(file) {
    if (!file) return;
    if (file.size > catalogue.limits.body) { fail(`${file.name} has ${file.size} bytes; the lab takes ${catalogue.limits.body} at most.`); return; }
    try { added(await send(`tables?name=${encodeURIComponent(file.name)}`, file)); } catch (fault) { fail(fault.message); }
  }

  function added(table) {
    const columns = table.columns.map((column) => column.name);
    const known = tables.has(table.name);
    tables.set(table.name, { name: table.name, columns, target: columns[columns.length - 1], uploaded: true });
    if (!known) element($("table"), "option", { value: table.name }, `${table.name}: ${table.rows} rows, ${columns.length} columns`);
    draw(false);
    $("table").value = table.name;
    tableChosen();
    $("state").textContent = `${table.name}: ${table.rows} rows`;
  }

  // The table of the command line: an algorithm that suits its last column is run at once.
  function suited(table) {
    added(table);
    const numbers = table.columns[table.columns.length - 1].kind === "number";
    const name = numbers ? "LinearRegression" : "LogisticRegression";
    $("chapter").value = byName.get(name).chapter;
    listAlgorithms();
    $("algorithm").value = name;
    algorithmChosen(false);
    run();
  }

  // Called with names: both are run on the table of the first.
  function choose(one, other = null) {
    if (!byName.has(one)) return;
    $("chapter").value = byName.get(one).chapter;
    listAlgorithms();
    $("algorithm").value = one;
    if (other) $("second").value = other;
    both(other !== null);
    draw(false);
    if (tables.get($("table").value)?.uploaded) $("table").value = "example";
    algorithmChosen(true);
    if (other && byName.get(other).table !== "example" && $("table").value === "example") { $("table").value = byName.get(other).table; tableChosen(); }
    run();
  }

  function fail(sentence) {
    $("state").dataset.bad = "yes";
    $("state").textContent = sentence;
  }

  function wantedTable() {
    if (drawing()) return { name: "drawn points", points: sketch.points };
    const table = tables.get($("table").value);
    return { name: table.name, target: $("target").value || undefined, uploaded: table.uploaded };
  }

  async function run() {
    const turn = (running += 1), table = wantedTable();
    delete $("state").dataset.bad;
    $("state").textContent = "running …";
    $("go").disabled = true;
    $("cancel").disabled = false;
    const done = await Promise.all(slots().map(async (slot) => {
      const name = slot === "first" ? $("algorithm").value : $("second").value;
      const parameters = read($(slot === "first" ? "parameters" : "parameters-second"));
      try {
        await post(`${slot}/run`, { algorithm: name, parameters, table, frames: Number($("frames").value) || 200 });
        const made = await news(slot);
        if (made.state === "cancelled") return "cancelled";
        show(stages[slot], made, name);
        return "";
      } catch (fault) {
        nothing(stages[slot], fault.message);
        return fault.message;
      }
    }));
    if (turn !== running) return;
    $("go").disabled = false;
    $("cancel").disabled = true;
    const faults = done.filter(Boolean);
    if (faults.length) fail(faults.join("; ")); else $("state").textContent = "done";
    document.documentElement.dataset.runs = String(Number(document.documentElement.dataset.runs ?? 0) + 1);
  }

  async function news(slot) {
    let steps = -1;
    for (;;) {
      const answer = await get(`${slot}/run?steps=${steps}`);
      if (answer.state !== "running") return answer;
      steps = answer.steps;
      const far = answer.steps ? `${answer.steps} states` : answer.seconds < 4 ? "starting" : "starting (the first run of an algorithm compiles it, which takes a while)";
      $("state").textContent = `running: ${far}, ${answer.seconds} s`;
    }
  }

  function emptied(stage) {
    stage.tamper?.close();
    stage.player?.close();
    stage.player = stage.tamper = null;
    stage.root.replaceChildren();
  }

  function nothing(stage, sentence) {
    emptied(stage);
    element(stage.root, "p", { class: "empty" }, sentence);
  }

  function show(stage, made, name) {
    emptied(stage);
    const { root, slot } = stage;
    if (made.why) element(root, "p", { class: "why" }, made.why);
    if (made.said) element(root, "p", { class: "note said" }, `The table: ${made.said}.`);
    const film = element(root, "div", { class: "film" });
    stage.player = mount(film, made.film);
    stage.tamper = makeTamper(root, slot, stage.player, made);
    const exports = element(root, "div", { class: "buttons exports", role: "group", "aria-label": "Export" });
    element(exports, "span", { class: "note" }, "Take it along:");
    for (const [what, label, file] of [["film", "Film (HTML)", `${name}.html`], ["code", "Code (Python)", `${name}.py`], ["certificate", "Certificate (JSON)", `${name}.json`]]) {
      const button = element(exports, "button", { type: "button" }, label);
      button.addEventListener("click", async () => {
        try { $("state").textContent = `${file}: ${await download(`${slot}/export/${what}`, file)} bytes`; } catch (fault) { fail(fault.message); }
      });
    }
    if (stage.player.frames.length > 1) stage.player.play();
  }

  $("chapter").value = byName.get(FIRST).chapter;
  listAlgorithms();
  $("algorithm").value = FIRST;
  $("second").value = "LogisticRegression";
  for (const id of ["chapter", "algorithm", "table", "go"]) $(id).disabled = false;
  algorithmChosen(true);
  if (own) send("tables?own=1", "").then(suited).catch((fault) => nothing(stages.first, fault.message));
  else run();
  return { choose };
}

function fill(select, options) {
  select.replaceChildren();
  for (const [value, words] of options) element(select, "option", { value }, words);
}

// The first parameters are in view, the rest can be unfolded; each says in its title what its docstring says.
function showParameters(root, algorithm, titled) {
  root.replaceChildren();
  if (titled) element(root, "h3", {}, algorithm.name);
  const rest = algorithm.parameters.length > 6 ? element(root, "details", { class: "more" }) : root;
  if (rest !== root) element(rest, "summary", {}, `${algorithm.parameters.length - 6} more`);
  const inside = rest === root ? root : element(rest, "div");
  algorithm.parameters.forEach((parameter, i) => {
    const label = element(i < 6 ? root : inside, "label", { title: parameter.about }, parameter.name);
    const field = parameter.choices.length
      ? element(label, "select", { "data-parameter": parameter.name })
      : element(label, "input", { type: "text", "data-parameter": parameter.name, spellcheck: "false", autocomplete: "off" });
    for (const choice of parameter.choices) element(field, "option", { value: choice }, choice);
    field.value = parameter.value;
  });
  if (rest !== root) root.append(rest);
}

function read(root) {
  return Object.fromEntries([...root.querySelectorAll("[data-parameter]")].map((field) => [field.dataset.parameter, field.value]));
}
