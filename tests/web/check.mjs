// check.mjs SITE PROGRAM LOG [SHOTS]: the site of `oomkb site --html` in a
// browser: CHROMIUM, or where Debian has it.
import fs from "node:fs";
import path from "node:path";
import { chromium } from "playwright-core";
import * as log from "./log.mjs";
import * as pages from "./pages.mjs";
import { serve } from "./serve.mjs";

const [site, program, logPath, shots] = process.argv.slice(2);
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const args = process.getuid() === 0 ? ["--no-sandbox"] : [];
const server = await serve(path.resolve(site));
const browser = await chromium.launch({ executablePath, args });
const text = fs.readFileSync(logPath, "utf8");
const hasEngine = fs.existsSync(path.join(site, "wasm/oomkb.wasm"));
if (shots) fs.mkdirSync(shots, { recursive: true });

const cases = {
  "every kind of page": () => pages.everyKind(browser, server.base, shots),
  "without JavaScript": () => pages.withoutScripts(browser, server.base),
  "search": () => pages.findsByTitle(browser, server.base),
};
const engineCases = {
  "the log page answers": () => log.answers(browser, server.base, program, text, shots),
  "a log stays text": () => log.staysText(browser, server.base),
  "nothing leaves the page": () => log.staysHere(browser, server, text),
  "the page never stops": () => log.neverStops(browser, server.base, text),
  "a short paste": () => log.pastesShort(browser, server.base),
  "the calculator": () => log.calculates(browser, server.base, program),
};

let failed = 0;
for (const [name, run] of Object.entries(hasEngine ? { ...cases, ...engineCases } : cases)) {
  try {
    await run();
    console.log(`ok   ${name}`);
  } catch (error) {
    failed++;
    console.log(`FAIL ${name}: ${error.message}`);
  }
}
if (!hasEngine) console.log("skipped: the log page and the calculator need `make wasm`");
await browser.close();
server.close();
process.exit(failed === 0 ? 0 : 1);
