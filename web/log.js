// log.js: the page that reads a log. The log goes to worker.js as a file and
// nowhere else: the page has no way to send it, and keeps no copy.
//
// A link to a case carries facts (settings, numbers) and the entry's id behind
// the #, which browsers do not send to servers either. Opened, it shows them,
// and counts them as answers for the next log.
import { Engine, byId, hasEngine, keepOffline, say, showHtml } from "./engine.js";

const LONG = 200 * 1000; // characters: a longer paste is kept as a file
const form = byId("log");
const text = byId("text");
const words = byId("state").dataset;
const bar = byId("progress");
const { root, lang } = form.dataset;
let engine, last, pasted;

const wishes = () => ({ lang, redact: byId("redact").checked, all: byId("all").checked });

// ---- the answer ----

function field(question) {
  const label = document.createElement("label");
  const input = document.createElement("input");
  input.name = question.fact;
  input.autocomplete = "off";
  input.spellcheck = false;
  label.append(question.ask, " ", input);
  return label;
}

function showAnswer(answer) {
  last = answer;
  showHtml(byId("report"), answer.html, root);
  byId("asked").replaceChildren(...answer.questions.map(field));
  byId("questions").hidden = answer.questions.length === 0;
  byId("link-box").hidden = true;
  byId("answer").hidden = false;
}

function busy(is) {
  bar.hidden = !is;
  byId("stop").hidden = !is;
  byId("go").disabled = is;
  byId("again").hidden = is || !last;
}

async function asked(call, done) {
  try {
    const answer = await call;
    if (answer) showAnswer(answer);
    say(answer ? done : "");
    return Boolean(answer);
  } catch (error) {
    say(`${words.failed}: ${error.message}`);
    return false;
  }
}

async function read(file, name) {
  busy(true);
  bar.value = 0;
  say(`${words.reading}: ${name}`);
  const started = performance.now();
  const onProgress = (part) => { bar.value = part; };
  const facts = linkedFacts().map(([fact, value]) => `${fact}=${value}`);
  const is = await asked(engine.call("read", { file, wishes: { ...wishes(), answers: facts } }, onProgress),
    words.done);
  busy(false);
  if (is) {
    byId("answer").focus({ preventScroll: true });
    byId("answer").scrollIntoView({ block: "start" });
    byId("report").dataset.ms = Math.round(performance.now() - started);
  }
}

function readText() {
  if (pasted) return read(pasted, words.pasted);
  if (text.value.trim() === "") return say(words.empty);
  return read(new Blob([text.value]), words.pasted);
}

// ---- links ----

function linked() {
  return [...new URLSearchParams(location.hash.slice(1))]
    .filter(([name, value]) => /^[a-z_0-9]{1,40}$/.test(name) && value.length <= 200);
}

const linkedFacts = () => linked().filter(([name]) => name !== "entry");

// What the report says of settings and sizes; what was taken out of it for
// naming people, machines or paths is taken out here, too.
function factsOf(report) {
  const facts = new Map();
  const main = report.findings.find((finding) => finding.role === "root") ?? report.findings[0];
  const all = [...Object.values(report.context ?? {}), ...(main?.facts ?? [])];
  for (const fact of all) {
    const isOwn = fact.source === "log" || fact.source === "user";
    const value = String(fact.value);
    if (isOwn && typeof fact.value !== "object" && !/[<>\s/\\]{1}.*[<>]|^[/~]/.test(value)) {
      if (["text", "version", "tokens", "count", "bytes", "ratio", "bool"].includes(fact.unit)) facts.set(fact.name, value);
    }
  }
  if (main) facts.set("entry", main.entry);
  return [...facts];
}

function showLinked() {
  const given = linked();
  const entry = given.find(([name]) => name === "entry")?.[1] ?? "";
  const isEntry = /^[a-z0-9.-]+\/[a-z0-9.-]+$/.test(entry) && !entry.includes("..");
  byId("linked").hidden = given.length === 0;
  byId("linked-entry").hidden = !isEntry;
  if (isEntry) {
    const link = byId("linked-entry").querySelector("a");
    link.textContent = entry;
    link.href = `${root}${lang}/${entry}.html`;
  }
  byId("linked-facts").textContent = linkedFacts().map(([name, value]) => `${name}=${value}`).join("\n");
}

async function copied(what, button) {
  await navigator.clipboard.writeText(what);
  say(words.copied);
  button.focus();
}

async function copyLink() {
  const link = new URL(location.href);
  link.hash = new URLSearchParams(factsOf(last.json));
  byId("link-text").textContent = `${link}`;
  byId("link-box").hidden = false;
  await copied(`${link}`, byId("link"));
}

// ---- what the user does ----

function listen() {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    readText();
  });
  byId("file").addEventListener("change", (event) => {
    const [file] = event.target.files;
    if (file) read(file, file.name);
  });
  // A text field with 20 MB in it stops the page: a long paste goes past it.
  text.addEventListener("paste", (event) => {
    const given = event.clipboardData.getData("text/plain");
    if (given.length <= LONG) return;
    event.preventDefault();
    pasted = new Blob([given]);
    text.value = `${given.slice(0, 2000)}\n…`;
    readText();
  });
  text.addEventListener("input", () => { pasted = undefined; });
  for (const [name, isOver] of [["dragover", true], ["dragleave", false], ["drop", false]]) {
    document.addEventListener(name, (event) => {
      event.preventDefault();
      form.classList.toggle("over", isOver);
      const [file] = name === "drop" ? event.dataTransfer.files : [];
      if (file) read(file, file.name);
    });
  }
  byId("stop").addEventListener("click", () => engine.call("stop"));
  byId("again").addEventListener("click", () => {
    last = pasted = undefined;
    text.value = byId("file").value = "";
    byId("answer").hidden = true;
    busy(false);
    say(words.ready);
    text.focus();
  });
  byId("questions").addEventListener("submit", (event) => {
    event.preventDefault();
    const facts = [...new FormData(event.target)].filter(([, value]) => value.trim() !== "")
      .map(([fact, value]) => `${fact}=${value.trim()}`);
    if (facts.length > 0) asked(engine.call("answer", { facts, wishes: wishes() }), words.done);
  });
  for (const id of ["redact", "all"]) {
    byId(id).addEventListener("change", () => {
      if (last) asked(engine.call("show", { wishes: wishes() }), words.done);
    });
  }
  byId("copy").addEventListener("click", () => copied(last.markdown, byId("copy")));
  byId("link").addEventListener("click", copyLink);
  window.addEventListener("hashchange", showLinked);
}

async function main() {
  showLinked();
  if (!hasEngine(form)) return;
  byId("go").disabled = true;
  say(`${words.loading} …`);
  engine = new Engine();
  listen();
  try {
    await engine.call("open");
    byId("go").disabled = false;
    say(words.ready);
    keepOffline(root);
  } catch (error) {
    say(`${words.failed}: ${error.message}`);
  }
}

main();
