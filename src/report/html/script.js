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
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    button.title = "sort by " + head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
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
  if (body.rows.length > 8) {
    const find = document.createElement("input");
    find.type = "search";
    find.className = "find";
    find.placeholder = "filter rows";
    find.setAttribute("aria-label", "filter the rows of " + table.getAttribute("aria-label"));
    find.addEventListener("input", () => {
      const words = find.value.toLowerCase().split(/\s+/);
      for (const row of body.rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
      }
    });
    table.closest(".table").querySelector(".head").append(find);
  }
}
// Paper has no lid to open.
addEventListener("beforeprint", () => {
  for (const it of document.querySelectorAll("details")) it.open = true;
});
