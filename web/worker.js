// worker.js: the engine, off the page's main thread. One log at a time; its
// report is kept, so that an answer to a question needs no second reading.
//
//   page -> worker   {id, do: "open" | "read" | "answer" | "fit" | "explain" | "free", ...}
//   worker -> page   {id, progress} while a log is read, then {id, result} or {id, error}
//
// A log stays in this thread: nothing here writes, stores or sends it.
import { open } from "./wasm/js/browser.js";

const PIECE = 256 * 1024;
let kb, scan, report, stopped;

function shown(wishes) {
  const questions = [];
  for (let i = 0; i < report.questionCount(); i++) questions.push(report.question(i, wishes.lang));
  return {
    html: report.write("html", wishes),
    markdown: report.write("markdown", wishes),
    json: JSON.parse(report.write("json", { ...wishes, redact: true })),
    questions,
  };
}

function drop() {
  report?.free();
  scan?.free();
  report = scan = undefined;
}

// A pause now and then, in which a message to stop can arrive.
const pause = () => new Promise((resolve) => setTimeout(resolve));

async function read(id, { file, wishes }) {
  drop();
  stopped = false;
  scan = kb.scan(wishes);
  for (let at = 0; at < file.size; at += PIECE) {
    scan.feed(new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer()));
    postMessage({ id, progress: Math.min(1, (at + PIECE) / file.size) });
    await pause();
    if (stopped) {
      drop();
      return null;
    }
  }
  report = scan.finish();
  scan = undefined;
  return shown(wishes);
}

const calls = {
  async open() {
    kb = await open();
    return { version: kb.version() };
  },
  read,
  answer(id, { facts, wishes }) {
    for (const fact of facts) report.answer(fact);
    return shown(wishes);
  },
  show: (id, { wishes }) => shown(wishes),
  fit: (id, { facts, wishes }) => ({ html: kb.fit(facts, "html", wishes) }),
  stop() {
    stopped = true;
    return null;
  },
};

onmessage = async ({ data }) => {
  const { id } = data;
  try {
    postMessage({ id, result: await calls[data.do](id, data) });
  } catch (error) {
    postMessage({ id, error: String(error.message ?? error) });
  }
};
