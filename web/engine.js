// engine.js: the page's side of worker.js: calls that are promises, and what
// the log page and the calculator share.

export class Engine {
  constructor() {
    this.worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
    this.waiting = new Map();
    this.next = 1;
    this.worker.onmessage = ({ data }) => this.#take(data);
    this.worker.onerror = (event) => {
      for (const { reject } of this.waiting.values()) reject(new Error(event.message || "worker"));
      this.waiting.clear();
    };
  }

  #take({ id, progress, result, error }) {
    const call = this.waiting.get(id);
    if (!call) return;
    if (progress !== undefined) {
      call.onProgress?.(progress);
      return;
    }
    this.waiting.delete(id);
    if (error !== undefined) call.reject(new Error(error));
    else call.resolve(result);
  }

  call(what, data = {}, onProgress) {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, onProgress });
      this.worker.postMessage({ id, do: what, ...data });
    });
  }
}

export const byId = (id) => document.getElementById(id);

export function say(text) {
  byId("state").textContent = text;
}

// The engine escapes what it writes; the page has a policy that runs no script
// of it either. Its headings go below the page's own.
export function showHtml(place, html, root) {
  const made = new DOMParser().parseFromString(html, "text/html").querySelector("article");
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
  place.replaceChildren(document.adoptNode(made));
}

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
