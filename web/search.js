// Search over search.json: every word has to be found somewhere in an entry;
// words in a title count most, then in its messages, then in its text. Chinese
// is looked for by pairs of characters. Rare words count more than common ones.
const form = document.getElementById("search");
const field = document.getElementById("words");
const list = document.getElementById("results");
const state = document.getElementById("state");
const MOST = 40;
const WEIGHTS = { id: 4, title: 5, words: 3, text: 1 };

// "KV 缓存太小" -> ["kv", "缓存", "存太", "太小"]
export function wordsOf(text) {
  const found = [];
  for (const [run] of text.toLowerCase().matchAll(/[\p{sc=Han}]+|[a-z0-9_.+]+/gu)) {
    if (!/\p{sc=Han}/u.test(run)) {
      found.push(run.replace(/^[.]+|[.]+$/g, ""));
    } else if (run.length === 1) {
      found.push(run);
    } else {
      for (let i = 0; i + 1 < run.length; i++) found.push(run.slice(i, i + 2));
    }
  }
  return [...new Set(found.filter(Boolean))];
}

function scoreOf(row, word) {
  let score = 0;
  for (const [part, weight] of Object.entries(WEIGHTS)) {
    if (row[part] && row.low[part].includes(word)) score += weight;
  }
  return score;
}

// A row that has few of the words is no answer to many: half of them, and of
// one or two all.
export function search(rows, text) {
  const words = wordsOf(text);
  if (words.length === 0) return [];
  const scores = words.map((word) => rows.map((row) => scoreOf(row, word)));
  const rarity = scores.map((of) =>
    Math.log(1 + rows.length / (1 + of.filter(Boolean).length)));
  const needed = words.length < 3 ? words.length : Math.ceil(words.length / 2);
  return rows
    .map((row, i) => ({
      row,
      has: scores.filter((of) => of[i] > 0).length,
      score: scores.reduce((sum, of, w) => sum + of[i] * rarity[w], 0),
    }))
    .filter((hit) => hit.has >= needed)
    .sort((a, b) => b.has - a.has || b.score - a.score)
    .slice(0, MOST)
    .map((hit) => hit.row);
}

export function prepared(rows) {
  for (const row of rows) {
    row.low = {};
    for (const part of Object.keys(WEIGHTS)) {
      row.low[part] = (row[part] ?? "").toLowerCase();
    }
  }
  return rows;
}

function element(name, text, parent) {
  const made = document.createElement(name);
  made.textContent = text;
  parent.append(made);
  return made;
}

function show(rows, text) {
  list.replaceChildren();
  const found = search(rows, text);
  for (const row of found) {
    const item = element("li", "", list);
    const link = element("a", row.title.replaceAll("`", ""), item);
    link.href = `${row.id}.html`;
    element("p", row.id, item).className = "dim";
    if (row.text) {
      const short = row.text.replaceAll("`", "");
      element("p", short.length > 160 ? `${short.slice(0, 160)}…` : short, item);
    }
  }
  state.textContent =
    text.trim() === "" ? ""
    : found.length > 0 ? `${state.dataset.results}: ${found.length}`
    : state.dataset.none;
}

async function main() {
  const answer = await fetch("search.json");
  const rows = prepared(await answer.json());
  const asked = new URLSearchParams(location.search).get("q") ?? "";
  const find = () => {
    const here = new URL(location);
    here.searchParams.set("q", field.value);
    history.replaceState(null, "", here);
    show(rows, field.value);
  };
  field.value = asked;
  show(rows, asked);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    find();
  });
  let wait;
  field.addEventListener("input", () => {
    clearTimeout(wait);
    wait = setTimeout(find, 150);
  });
}

if (form) main();
