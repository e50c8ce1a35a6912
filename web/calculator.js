// calculator.js: `oomkb fit` in the browser. Fields are facts; the address
// holds them, so that a calculation can be shared.
import { byId, hasEngine, keepOffline, openEngine, say, showHtml } from "./engine.js";

const FLAGS = {
  model: "--model", gpu_name: "--gpu", engine: "--engine", engine_version: "--engine-version",
  tensor_parallel: "--tp", max_model_len: "--max-model-len", concurrency: "--concurrency",
  gpu_memory_utilization: "--gpu-memory-utilization", kv_cache_dtype: "--kv-cache-dtype",
  quantization: "--quantization",
};
const form = byId("fit");

function fields() {
  return [...new FormData(form)].map(([name, value]) => [name, value.trim()])
    .filter(([, value]) => value !== "");
}

const quoted = (word) => (/^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

function commandOf(given) {
  return ["oomkb fit", ...given.map(([name, value]) => `${FLAGS[name]} ${quoted(value)}`)].join(" ");
}

async function compute(kb) {
  const given = fields();
  const { root, lang } = form.dataset;
  history.replaceState(null, "", `#${new URLSearchParams(given)}`);
  try {
    const facts = given.map(([name, value]) => `${name}=${value}`);
    const { text } = await kb.fitWrite({ facts }, "html", { lang, all: true });
    showHtml(byId("report"), text, root);
    byId("command").textContent = commandOf(given);
    byId("answer").hidden = false;
    say("");
  } catch (error) {
    byId("answer").hidden = true;
    say(`${byId("state").dataset.failed}: ${error.message}`);
  }
}

async function main() {
  if (!hasEngine(form)) return;
  const { loading, ready } = byId("state").dataset;
  say(`${loading} …`);
  for (const [name, value] of new URLSearchParams(location.hash.slice(1))) {
    if (name in FLAGS && form.elements[name]) form.elements[name].value = value;
  }
  const opening = openEngine();
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    compute(await opening);
  });
  try {
    const kb = await opening;
    say(ready);
    keepOffline(form.dataset.root);
    if (form.elements.model.value && form.elements.gpu_name.value) compute(kb);
  } catch (error) {
    say(`${byId("state").dataset.failed}: ${error.message}`);
  }
}

main();
