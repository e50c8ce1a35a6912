// engine.js: the engine in a Worker, as the npm package beside the pages has it,
// and what the log page and the calculator share.
const CLIENT = "wasm/client.mjs";

// A KnowledgeBase of the package whose calls are promises.
export async function openEngine() {
  const { openWorker } = await import(new URL(CLIENT, import.meta.url));
  return openWorker();
}

export const byId = (id) => document.getElementById(id);

export function say(text) {
  byId("state").textContent = text;
}

// The engine escapes what it writes; the page has a policy that runs no script
// of it either. Its headings go below the page's own.
export function showHtml(place, html, root) {
  const inert = document.createElement("template");
  inert.innerHTML = html;
  const made = inert.content.querySelector("article");
  for (const level of [2, 1]) {
    for (const old of made.querySelectorAll(`h${level}`)) {
      const heading = document.createElement(`h${level + 1}`);
      heading.append(...old.childNodes);
      old.replaceWith(heading);
    }
  }
  for (const code of made.querySelectorAll(".id code")) {
    const link = document.createElement("a");
    link.href = `${root}${document.documentElement.lang}/${code.textContent}.html`;
    code.replaceWith(link);
    link.append(code);
  }
  place.replaceChildren(made);
}

// Between two pieces of work the page answers its user.
export const pause = () => new Promise((resolve) => setTimeout(resolve));

// Pages that were opened once open again without a network.
export function keepOffline(root) {
  if (!("serviceWorker" in navigator) || !window.isSecureContext) return;
  navigator.serviceWorker.register(`${root}offline.js`).catch(() => {});
}

// Is the engine beside the pages? Says so where it is not.
export function hasEngine(form) {
  const has = form.dataset.engine === "yes" && typeof WebAssembly === "object";
  form.hidden = !has;
  byId("no-engine").hidden = has;
  return has;
}
