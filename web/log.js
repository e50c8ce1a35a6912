// log.js: the page that reads a log. The log goes to the engine's Worker and
// nowhere else: the page has no way to send it, and keeps no copy.
//
// A link to a case carries facts (settings, numbers) and the entry's id behind
// the #, which browsers do not send to servers either. Opened, it shows them.
import { byId, hasEngine, keepOffline, openEngine, pause, say, showHtml } from "./engine.js";

const LONG = 200 * 1000; // bytes: of a longer text the field shows the head
const HEAD = 2000;
const PIECE = 1 << 20; // characters that are turned into bytes at a time
const form = byId("log");
const text = byId("text");
const words = byId("state").dataset;
const { root, lang } = form.dataset;
let kb, report, shown, pasted, reading, hasClipboard;

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

// What the report is at the moment, in every form that the page needs.
async function show() {
  const [html, markdown, data] = await Promise.all([
    report.write("html", wishes()), report.markdown(wishes()),
    report.toObject({ ...wishes(), redact: true })]);
  shown = { markdown, data };
  showHtml(byId("report"), html, root);
  await pause();
  byId("asked").replaceChildren(...data.questions.map(field));
  byId("questions").hidden = data.questions.length === 0;
  byId("link-box").hidden = true;
  await pause();
  byId("answer").hidden = false;
}

function busy(is) {
  byId("progress").hidden = !is;
  byId("stop").hidden = !is;
  byId("go").disabled = is;
  byId("again").hidden = is || !report;
}

// What goes wrong is said, where the user is; true: nothing did.
async function tried(what, place = byId("state")) {
  byId("copied").textContent = byId("refused").textContent = "";
  try {
    await what();
    say(words.done);
    return true;
  } catch (error) {
    place.textContent =
      error.name === "AbortError" ? words.ready : `${words.failed}: ${error.message}`;
    return false;
  }
}

async function read(log, name) {
  busy(true);
  byId("progress").value = 0;
  say(`${words.reading}: ${name}`);
  reading = new AbortController();
  const is = await tried(async () => {
    report?.free();
    report = undefined;
    report = await kb.diagnose(log, {
      ...wishes(), signal: reading.signal,
      onProgress: (bytes, all) => { byId("progress").value = bytes / (all || bytes); },
    });
    await show();
  });
  busy(false);
  await pause();
  if (is) {
    byId("answer").focus({ preventScroll: true });
    byId("answer").scrollIntoView({ block: "start" });
  }
}

function readText() {
  if (pasted) return read(pasted, words.pasted);
  if (text.value.trim() === "") return say(words.empty);
  return read(text.value, words.pasted);
}

// ---- text that is pasted or dropped ----
//
// 20 MB stop the page where they are a text of the clipboard, a value of the
// field or an argument of the Worker. As a Blob they do not.

// Chromium has the clipboard as a Blob, made in another thread, and gives it to a
// page in which its user pastes. It is also who knows a permission of this name;
// elsewhere there is the text alone, and the browser takes its time for it.
async function findClipboard() {
  hasClipboard = await navigator.permissions?.query({ name: "clipboard-read" })
    .then(() => Boolean(navigator.clipboard?.read), () => false);
}

async function ofClipboard() {
  const [item] = await navigator.clipboard.read();
  return item.getType("text/plain");
}

async function ofText(given) {
  const pieces = [];
  for (let at = 0, end; at < given.length; at = end) {
    end = at + PIECE;
    if (/[\uD800-\uDBFF]/.test(given[end - 1])) end++;
    pieces.push(new Blob([given.slice(at, end)]));
    await pause();
  }
  return new Blob(pieces);
}

async function take(log) {
  if (log.size <= LONG) {
    text.focus();
    document.execCommand("insertText", false, await log.text()); // can be undone
    return;
  }
  text.value = `${(await log.slice(0, HEAD).text()).replace(/\uFFFD+$/, "")}\n…`;
  pasted = log;
  if (!byId("go").disabled) readText();
}

async function takePaste(event) {
  if (!event.clipboardData.types.includes("text/plain")) return;
  event.preventDefault();
  const given = hasClipboard ? ofClipboard() : ofText(event.clipboardData.getData("text/plain"));
  try {
    await take(await given);
  } catch (error) {
    hasClipboard = false;
    say(`${words.failed}: ${error.message}`);
  }
}

async function takeDrop({ dataTransfer }) {
  const [file] = dataTransfer.files;
  if (file) return read(file, file.name);
  return take(await ofText(dataTransfer.getData("text/plain")));
}

// ---- links ----

function linked() {
  return [...new URLSearchParams(location.hash.slice(1))]
    .filter(([name, value]) => /^[a-z_0-9]{1,40}$/.test(name) && value.length <= 200);
}

// What the log and the user say of settings and sizes. What names people,
// machines or paths was taken out of data, and what stands for it is left out.
function factsOf(data) {
  const main = data.findings.find((finding) => finding.role === "root") ?? data.findings[0];
  const facts = new Map();
  for (const fact of [...Object.values(data.context ?? {}), ...(main?.facts ?? [])]) {
    const isSaid = fact.source === "log" || fact.source === "user";
    const value = String(fact.value);
    if (isSaid && value.length <= 100 && !/[<>\\]|^[/~.]/.test(value)) facts.set(fact.name, value);
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
  const facts = given.filter(([name]) => name !== "entry");
  byId("linked-facts").textContent = facts.map(([name, value]) => `${name}=${value}`).join("\n");
  byId("linked-fit").querySelector("a").href = `calculator.html#${new URLSearchParams(facts)}`;
  byId("linked-fit").hidden = !facts.some(([name]) => name === "model");
}

async function copied(what, button) {
  await navigator.clipboard.writeText(what);
  byId("copied").textContent = byId("copied").dataset.done;
  button.focus();
}

async function copyLink() {
  const link = new URL(location.href);
  link.hash = new URLSearchParams(factsOf(shown.data));
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
  text.addEventListener("paste", takePaste);
  text.addEventListener("input", () => { pasted = undefined; });
  for (const [name, isOver] of [["dragover", true], ["dragleave", false], ["drop", false]]) {
    document.addEventListener(name, (event) => {
      event.preventDefault();
      form.classList.toggle("over", isOver);
      if (name === "drop") takeDrop(event);
    });
  }
  byId("stop").addEventListener("click", () => reading?.abort());
  byId("again").addEventListener("click", () => {
    report?.free();
    report = pasted = undefined;
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
    if (facts.length > 0) {
      tried(async () => { await report.answer(facts); await show(); }, byId("refused"));
    }
  });
  for (const id of ["redact", "all"]) {
    byId(id).addEventListener("change", () => { if (report) tried(show); });
  }
  byId("copy").addEventListener("click", () => tried(() =>
    copied(shown.markdown, byId("copy")), byId("copied")));
  byId("link").addEventListener("click", () => tried(copyLink, byId("copied")));
  window.addEventListener("hashchange", showLinked);
}

async function main() {
  showLinked();
  if (!hasEngine(form)) return;
  byId("go").disabled = true;
  say(`${words.loading} …`);
  listen();
  findClipboard();
  try {
    kb = await openEngine();
    byId("go").disabled = false;
    say(words.ready);
    keepOffline(root);
  } catch (error) {
    say(`${words.failed}: ${error.message}`);
  }
}

main();
