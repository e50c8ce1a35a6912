// serve.mjs: a folder as a server has it below /kb/, and every request that came.
import fs from "node:fs";
import http from "node:http";
import path from "node:path";

const TYPES = {
  ".html": "text/html; charset=utf-8", ".css": "text/css", ".js": "text/javascript",
  ".mjs": "text/javascript", ".json": "application/json", ".svg": "image/svg+xml",
  ".wasm": "application/wasm", ".md": "text/markdown; charset=utf-8",
};

export async function serve(folder) {
  const requests = [];
  const server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    requests.push(pathname);
    const name = decodeURIComponent(pathname).replace(/^\/kb\//, "");
    const file = path.join(folder, name.endsWith("/") || name === "" ? `${name}index.html` : name);
    const isThere = pathname.startsWith("/kb/") && file.startsWith(folder) && fs.existsSync(file);
    response.writeHead(isThere ? 200 : 404, {
      "content-type": TYPES[path.extname(isThere ? file : "404.html")] ?? "application/octet-stream",
    });
    response.end(fs.readFileSync(isThere ? file : path.join(folder, "404.html")));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    base: `http://127.0.0.1:${server.address().port}/kb/`,
    requests,
    close: () => server.close(),
  };
}
