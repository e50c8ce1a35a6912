// pages.mjs: every kind of page: accessible (axe) in both languages, light and
// dark; as wide as its window from 360 px on; nothing refused by its own policy;
// readable without JavaScript; found by the search.
import assert from "node:assert/strict";
import fs from "node:fs";
import { createRequire } from "node:module";

const axe = fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
export const KINDS = [
  "index.html", "vllm/kv-cache-too-small.html",
  "search.html?q=cuda", "log.html", "calculator.html", "vllm/index.html",
];
const LANGS = ["en", "zh"];
const WIDTHS = [360, 768, 1280];

// A page that fails where something on it does.
export async function opened(context, address) {
  const page = await context.newPage();
  page.wrong = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) page.wrong.push(message.text());
  });
  page.on("pageerror", (error) => page.wrong.push(error.message));
  await page.goto(address, { waitUntil: "networkidle" });
  return page;
}

export async function accessible(page, what) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => axe.run(document, {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  }));
  const said = violations.map((one) =>
    `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`);
  assert.deepEqual(said, [], what);
}

async function asWideAsItsWindow(page, what) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${what}: ${wide} px too wide`);
}

export async function everyKind(browser, base, shots) {
  for (const lang of LANGS) {
    for (const kind of KINDS) {
      for (const colorScheme of ["light", "dark"]) {
        const context = await browser.newContext({ colorScheme, viewport: { width: 1280, height: 900 } });
        const page = await opened(context, `${base}${lang}/${kind}`);
        const what = `${lang}/${kind} ${colorScheme}`;
        await accessible(page, what);
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 900 });
          await asWideAsItsWindow(page, `${what} at ${width}`);
          if (shots && (colorScheme === "light" || width === 360)) {
            const name = `${lang}-${kind.replace(/\W+/g, "-")}-${width}-${colorScheme}.png`;
            await page.screenshot({ path: `${shots}/${name}` });
          }
        }
        assert.deepEqual(page.wrong, [], what);
        await context.close();
      }
    }
  }
}

export async function withoutScripts(browser, base) {
  const context = await browser.newContext({ javaScriptEnabled: false });
  for (const lang of LANGS) {
    for (const kind of KINDS) {
      const page = await opened(context, `${base}${lang}/${kind}`);
      const text = await page.locator("main").innerText();
      assert.ok(text.length > 40, `${lang}/${kind}: ${text}`);
    }
    const page = await opened(context, `${base}${lang}/log.html`);
    assert.match(await page.locator("main").innerText(), /oomkb crash\.log/);
  }
  const missing = await opened(context, `${base}en/there/is/none.html`);
  assert.match(await missing.locator("main").innerText(), /Not found[^]*找不到页面/);
  await context.close();
}

// Its own title finds an entry, in the language of the title.
export async function findsByTitle(browser, base) {
  const context = await browser.newContext();
  for (const lang of LANGS) {
    const page = await opened(context, `${base}${lang}/search.html`);
    const [first, all] = await page.evaluate(async (script) => {
      const { search, prepared } = await import(script);
      const rows = prepared(await (await fetch("search.json")).json());
      const entries = rows.filter((row) => row.text);
      return [entries.filter((row) => search(rows, row.title)[0] === row).length, entries.length];
    }, `${base}search.js`);
    assert.ok(first / all > 0.95, `${lang}: ${first} of ${all}`);
    await page.fill("#words", lang === "en" ? "KV cache cannot hold one request" : "KV 缓存装不下请求");
    await page.press("#words", "Enter");
    await page.waitForSelector("#results a[href='vllm/kv-cache-too-small.html']");
    assert.match(page.url(), /\?q=/);
    console.log(`     search ${lang}: ${first} of ${all} titles find their entry first`);
  }
  const page = await opened(context, `${base}en/index.html`);
  await page.fill("header input", "RuntimeError: CUDA out of memory");
  await page.press("header input", "Enter");
  await page.waitForSelector("#results a[href^='pytorch/']");
  await context.close();
}
