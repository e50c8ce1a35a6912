// offline.js: a service worker: what the log page and the calculator need is
// kept, so that both open again without a network. Everything else goes its
// usual way. The cache is named for all files of the site: a change in any of
// them asks the server for these again.
const KEPT = "oomkb-{{edition}}";
const FILES = [
  "style.css", "icon.svg", "engine.js", "log.js", "calculator.js",
  "en/log.html", "zh/log.html", "en/calculator.html", "zh/calculator.html",
  {{engine_files}}
];

self.addEventListener("install", (event) => {
  self.skipWaiting();
  const asked = FILES.map((file) => new Request(file, { cache: "no-cache" }));
  event.waitUntil(caches.open(KEPT).then((cache) => cache.addAll(asked)));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(caches.keys().then((names) => Promise.all(
    names.filter((name) => name.startsWith("oomkb-") && name !== KEPT).map((name) => caches.delete(name)),
  )));
});

self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  event.respondWith(caches.open(KEPT)
    .then((cache) => cache.match(event.request, { ignoreSearch: true }))
    .then((found) => found ?? fetch(event.request)));
});
