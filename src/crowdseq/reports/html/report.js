"use strict";
// All of the page reads without this: it only adds a filter and sortable columns.
(() => {
  const articles = [...document.querySelectorAll(".sentences article")];
  const place = document.querySelector(".sentences");
  if (articles.length > 5) {
    const label = document.createElement("label");
    label.className = "filter";
    const words = document.createElement("span");
    words.textContent = "Show only sentences with";
    const input = document.createElement("input");
    input.type = "search";
    input.placeholder = "a word, label, annotator or id";
    label.append(words, input);
    place.before(label);
    const texts = articles.map((article) => article.textContent.toLowerCase().replaceAll("\u00a0", " "));
    const fold = document.querySelector("#sentences > details");
    input.addEventListener("input", () => {
      const wanted = input.value.trim().toLowerCase();
      if (fold && wanted) fold.open = true;
      articles.forEach((article, number) => {
        article.hidden = !texts[number].includes(wanted);
      });
      const left = articles.filter((article) => !article.hidden).length;
      words.textContent = wanted ? `Show only sentences with (${left} of ${articles.length})` : "Show only sentences with";
    });
  }

  const table = document.querySelector(".ranking");
  if (!table) return;
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const key = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value);
  };
  heads.forEach((head, column) => {
    if (!head.textContent.trim() || head.classList.contains("plot")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") === "descending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const rows = [...body.rows].sort((first, second) => {
        const [a, b] = [key(first, column), key(second, column)];
        const order = typeof a === "number" ? a - b : a.localeCompare(b);
        return up ? order : -order;
      });
      body.append(...rows);
    });
  });
})();
