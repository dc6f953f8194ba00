// What must hold for every page, seen by a browser: see tools/page-check.
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { chromium } from "playwright-core";

const [, , folder, ...rest] = process.argv;
const shots = rest[0] === "--shots" ? rest[1] : null;
if (shots) mkdirSync(shots, { recursive: true });

const WIDTHS = [380, 900, 1200, 1600];
const SCHEMES = ["light", "dark"];
// What a sheet of A4 leaves between the margins of the style.
const SHEET = 688;
const LARGEST = 2_000_000;

const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
  ],
});

let wrong = 0;
const complain = (where, what) => {
  wrong += 1;
  console.error(`${where}: ${what}`);
};

// What flows over, is cut, has no text in its place, or cannot be told from what is behind it.
const measured = (paper) => {
  const found = [];
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) found.push("the page is wider than its window");
  for (const it of document.querySelectorAll("body *")) {
    const inside = it.closest(".scroll") || (it.closest("svg") && it.tagName !== "svg");
    const box = it.getBoundingClientRect();
    if (box.width && box.right > width + 0.5 && (paper || !inside)) {
      found.push(`${it.tagName} "${it.textContent.slice(0, 30)}" ends at ${box.right} of ${width}`);
    }
  }
  for (const svg of document.querySelectorAll("svg")) {
    const frame = svg.getBoundingClientRect();
    const name = svg.getAttribute("aria-label");
    if (!name || svg.getAttribute("role") !== "img") found.push("a figure without a text in its place");
    if (!frame.width) continue;
    for (const text of svg.querySelectorAll("text")) {
      const box = text.getBoundingClientRect();
      const out = Math.max(frame.left - box.left, box.right - frame.right, frame.top - box.top, box.bottom - frame.bottom);
      if (out > 1) found.push(`"${text.textContent}" is ${out.toFixed(1)} px outside of: ${name.slice(0, 50)}`);
    }
    // Names and numbers that cover one another; what is turned has a box larger than itself.
    const texts = [...svg.querySelectorAll("text")].filter((it) => !it.getAttribute("transform"));
    const boxes = texts.map((it) => it.getBoundingClientRect());
    for (let a = 0; a < boxes.length; a++) {
      for (let b = 0; b < a; b++) {
        const across = Math.min(boxes[a].right, boxes[b].right) - Math.max(boxes[a].left, boxes[b].left);
        const down = Math.min(boxes[a].bottom, boxes[b].bottom) - Math.max(boxes[a].top, boxes[b].top);
        // Boxes of texts have room above and below the letters.
        if (across > 1 && down > 0.35 * Math.min(boxes[a].height, boxes[b].height)) {
          found.push(`"${texts[a].textContent}" covers "${texts[b].textContent}" in: ${name.slice(0, 50)}`);
        }
      }
    }
    const drawn = svg.querySelectorAll("path, circle, line, rect").length;
    if (drawn < 4) found.push(`nothing is drawn of: ${name}`);
  }
  for (const it of document.querySelectorAll(".scroll")) {
    if (it.scrollHeight > it.clientHeight + 1) found.push(`rows of "${it.getAttribute("aria-label")}" are cut`);
  }
  // Cards side by side use the width that there is.
  for (const flow of paper || width < 1100 ? [] : document.querySelectorAll(".flow")) {
    const rows = new Map();
    for (const card of flow.children) rows.set(card.offsetTop, card.getBoundingClientRect().right);
    const [left, right] = [flow.getBoundingClientRect().left, flow.getBoundingClientRect().right];
    for (const [, end] of rows) {
      if (right > left && end - left < 0.5 * (right - left)) found.push("cards leave half of the width empty");
    }
  }
  for (const it of document.querySelectorAll("figure, .table")) {
    const link = it.querySelector("a.csv");
    const text = link && decodeURIComponent(link.href.split(",").slice(1).join(","));
    if (!text || text.trim().split("\n").length < 2) found.push(`no data of "${it.querySelector("h3")?.textContent}"`);
  }
  const ids = [...document.querySelectorAll("[id]")].map((it) => it.id);
  if (new Set(ids).size !== ids.length) found.push("two elements of one name");
  if (paper) {
    for (const it of document.querySelectorAll("details")) {
      const inside = it.querySelector("h3, .lead");
      if (inside && !inside.getBoundingClientRect().height) found.push(`closed on paper: ${it.textContent.slice(0, 40)}`);
    }
  }
  // Contrast as the WCAG has it: of texts 4.5, of marks 3.
  const channel = (it) => (it <= 0.04045 ? it / 12.92 : ((it + 0.055) / 1.055) ** 2.4);
  const light = (color) => {
    const probe = document.createElement("i");
    probe.style.color = color;
    document.body.append(probe);
    const [red, green, blue] = getComputedStyle(probe).color.match(/[\d.]+/g).slice(0, 3).map((it) => channel(it / 255));
    probe.remove();
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (one, other) => {
    const [a, b] = [light(`var(--${one})`), light(`var(--${other})`)];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  };
  for (const [one, other, least] of [
    ["ink", "bg", 4.5], ["ink", "card", 4.5], ["ink", "mark", 4.5], ["soft", "bg", 4.5], ["soft", "card", 4.5],
    ["a", "card", 4.5], ["axis", "card", 3], ["b", "card", 3], ["c", "card", 3], ["d", "card", 3], ["e", "card", 3],
    ["f", "card", 3], ["g", "card", 3],
  ]) {
    const ratio = contrast(one, other);
    if (ratio < least) found.push(`contrast of ${one} on ${other}: ${ratio.toFixed(2)} < ${least}`);
  }
  return found.slice(0, 8);
};

// A table of some rows sorts by a column of numbers, both ways, and filters.
const worked = async (page) => {
  const table = page.locator("table.data").filter({ has: page.locator("td.n") }).first();
  if (!(await table.count()) || !(await table.isVisible())) return [];
  const found = [];
  const head = table.locator("th.n").first();
  const order = () =>
    table.evaluate((it) => {
      const at = [...it.tHead.rows[0].cells].findIndex((cell) => cell.className === "n");
      const values = [...it.tBodies[0].rows].map((row) => row.cells[at].dataset.v);
      return values.filter((value) => value !== "").map(Number);
    });
  const sorted = (all, sign) => all.every((it, at) => at === 0 || sign * (it - all[at - 1]) >= 0);
  await head.click();
  if (!sorted(await order(), 1)) found.push("a table does not sort");
  await head.click();
  if (!sorted(await order(), -1)) found.push("a table does not sort downwards");
  const find = page.locator(".find").first();
  if ((await find.count()) && (await find.isVisible())) {
    const own = page.locator(".table", { has: page.locator(".find") }).first();
    const before = await own.locator("tbody tr:visible").count();
    const word = (await own.locator("tbody tr").last().locator("td").first().textContent()).trim();
    await find.fill(word);
    const after = await own.locator("tbody tr:visible").count();
    if (after < 1 || (before > 20 && after === before)) found.push(`a filter leaves ${after} of ${before} rows`);
    await find.fill("no row has this");
    if (await own.locator("tbody tr:visible").count()) found.push("a filter hides nothing");
    await find.fill("");
  }
  return found;
};

const names = readdirSync(folder).filter((it) => it.endsWith(".html")).sort();
if (names.length < 10) complain(folder, `${names.length} pages only`);
for (const name of names) {
  const bytes = statSync(`${folder}/${name}`).size;
  if (bytes > LARGEST) complain(name, `${bytes} bytes`);
  for (const colorScheme of SCHEMES) {
    const page = await browser.newPage({ colorScheme });
    let where = `${name}, ${colorScheme}`;
    page.on("console", (it) => complain(where, `console: ${it.text()}`));
    page.on("pageerror", (it) => complain(where, `error: ${it}`));
    page.on("request", (it) => {
      if (!/^(file|data):/.test(it.url())) complain(where, `asks for ${it.url()}`);
    });
    await page.goto(`file://${folder}/${name}`);
    for (const width of WIDTHS) {
      where = `${name}, ${colorScheme}, ${width} px`;
      await page.setViewportSize({ width, height: 900 });
      // Behind their lids things are as wide as before them.
      for (const open of [true, false]) {
        await page.evaluate((open) => document.querySelectorAll("details").forEach((it) => (it.open = open)), open);
        for (const it of await page.evaluate(measured, false)) complain(where, it);
      }
      if (shots) await page.screenshot({ path: `${shots}/${name.replace(".html", "")}-${width}-${colorScheme}.png`, fullPage: true });
    }
    for (const it of await worked(page)) complain(where, it);
    if (colorScheme === "light") {
      where = `${name}, on paper`;
      await page.emulateMedia({ media: "print" });
      await page.setViewportSize({ width: SHEET, height: 900 });
      for (const it of await page.evaluate(measured, true)) complain(where, it);
      const pdf = await page.pdf({ format: "A4", path: shots ? `${shots}/${name.replace(".html", ".pdf")}` : undefined });
      if (pdf.subarray(0, 5).toString() !== "%PDF-") complain(where, "no PDF");
    }
    await page.close();
  }
  console.log(`${name}: ${bytes} bytes, seen`);
}
await browser.close();
console.log(wrong ? `${wrong} faults` : `${names.length} pages without a fault`);
process.exit(wrong ? 1 : 0);
