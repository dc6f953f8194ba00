"use strict";
// Tables are whole without this: it makes them sort and filter.
const value = (row, at) => {
  const cell = row.cells[at];
  const number = cell.dataset.v;
  return number === undefined ? cell.textContent : number === "" ? NaN : Number(number);
};
const compare = (a, b) => {
  if (typeof a === "string" || typeof b === "string") {
    return String(a).localeCompare(String(b), undefined, { numeric: true });
  }
  // What is absent comes last, whichever way.
  return Number.isNaN(a) - Number.isNaN(b) || a - b;
};
for (const table of document.querySelectorAll("table.data")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, at) => {
    // (Buttons would not be repeated on the pages of a printed table.)
    head.tabIndex = 0;
    head.title = "sort by " + head.textContent;
    head.addEventListener("keydown", (it) => {
      if (it.key !== "Enter" && it.key !== " ") return;
      it.preventDefault();
      head.click();
    });
    head.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((it) => it.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...body.rows].map((row) => [value(row, at), row]);
      rows.sort(([a], [b]) => {
        const order = compare(a, b);
        const absent = Number.isNaN(a) || Number.isNaN(b);
        return down && !absent ? -order : order;
      });
      body.append(...rows.map((it) => it[1]));
    });
  });
  // A long table shows its first rows, and all of them when asked to.
  const rows = body.rows.length;
  const short = (on) => {
    table.classList.toggle("short", on);
    all.textContent = on ? `show all ${rows} rows` : "show the first 30 rows";
  };
  const all = document.createElement("button");
  if (rows > 40) {
    all.className = "all";
    all.type = "button";
    all.addEventListener("click", () => short(!table.classList.contains("short")));
    table.closest(".table").append(all);
    short(true);
  }
  if (rows > 8) {
    const find = document.createElement("input");
    find.type = "search";
    find.className = "find";
    find.placeholder = "filter rows";
    find.setAttribute("aria-label", "filter the rows of " + table.getAttribute("aria-label"));
    find.addEventListener("input", () => {
      if (rows > 40) {
        short(!find.value);
        all.hidden = find.value !== "";
      }
      const words = find.value.toLowerCase().split(/\s+/);
      let shown = 0;
      for (const row of body.rows) {
        const text = [...row.cells].map((it) => it.textContent.toLowerCase());
        row.hidden = !words.every((word) => text.some((it) => it.includes(word)));
        shown += !row.hidden;
      }
      found.textContent = find.value ? `${shown} of ${body.rows.length}` : "";
    });
    const found = document.createElement("span");
    found.className = "found";
    found.setAttribute("role", "status");
    table.closest(".table").querySelector(".head").append(find, found);
  }
}
// Paper has no lid to open.
let closed = [];
addEventListener("beforeprint", () => {
  closed = [...document.querySelectorAll("details:not([open])")];
  for (const it of closed) it.open = true;
});
addEventListener("afterprint", () => {
  for (const it of closed) it.open = false;
});
