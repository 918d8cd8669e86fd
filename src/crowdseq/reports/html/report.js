"use strict";
// All of the page reads without this: it only adds filters and sortable columns.
(() => {
  const made = (name, words, kind) => {
    const one = document.createElement(name);
    one.textContent = words;
    if (kind) one.className = kind;
    return one;
  };

  // A row of buttons, one of which is pressed; says which.
  const chips = (names, place, chosen) => {
    const row = made("div", "", "chips");
    const buttons = names.map(([name, number]) => {
      const button = made("button", number === undefined ? name : `${name} (${number})`);
      button.type = "button";
      button.addEventListener("click", () => {
        buttons.forEach((other) => other.setAttribute("aria-pressed", String(other === button)));
        chosen(name);
      });
      return button;
    });
    buttons[0].setAttribute("aria-pressed", "true");
    row.append(...buttons);
    place.before(row);
  };
  const counted = (lists) => {
    const numbers = new Map();
    lists.flat().forEach((name) => numbers.set(name, (numbers.get(name) || 0) + 1));
    return [...numbers];
  };

  const articles = [...document.querySelectorAll(".sentences article")];
  const place = document.querySelector(".sentences");
  if (articles.length > 5) {
    const label = made("label", "", "filter");
    const words = made("span", "Show only sentences with");
    const input = document.createElement("input");
    input.type = "search";
    input.placeholder = "a word, label, annotator or id";
    label.append(words, input);
    place.before(label);
    const none = made("p", "", "note");
    none.hidden = true;
    place.before(none);
    const texts = articles.map((article) => article.textContent.toLowerCase().replaceAll("\u00a0", " "));
    const kinds = articles.map((article) => (article.dataset.kinds || "").split(";").filter(Boolean));
    const fold = document.querySelector("#sentences > details");
    const elsewhere = Number(place.dataset.left || 0);
    let kind = "";
    const show = () => {
      const wanted = input.value.trim().toLowerCase();
      if (fold && (wanted || kind)) fold.open = true;
      articles.forEach((article, number) => {
        article.hidden = !texts[number].includes(wanted) || (kind !== "" && !kinds[number].includes(kind));
      });
      const left = articles.filter((article) => !article.hidden).length;
      words.textContent = wanted || kind ? `Show only sentences with (${left} of ${articles.length})` : "Show only sentences with";
      none.hidden = left > 0;
      none.textContent = `Nothing found among the ${articles.length} hardest sentences` +
        (elsewhere ? `; ${elsewhere.toLocaleString("en")} sentences are not on this page.` : ".");
    };
    input.addEventListener("input", show);
    const found = counted(kinds);
    if (found.length > 1) {
      chips([["all"], ...found], none, (name) => {
        kind = name === "all" ? "" : name;
        show();
      });
    }
  }

  const table = document.querySelector(".ranking");
  if (!table) return;
  const body = table.tBodies[0];
  const people = [...document.querySelectorAll("[data-verdict]")];
  const verdicts = counted([...body.rows].map((row) => [row.dataset.verdict]));
  if (verdicts.length > 1) {
    chips([["all"], ...verdicts], table.parentElement, (name) => {
      people.forEach((one) => {
        one.hidden = name !== "all" && one.dataset.verdict !== name;
      });
      const fold = document.querySelector("#annotators > details");
      if (fold && name !== "all") fold.open = true;
    });
  }
  const heads = [...table.tHead.rows[0].cells];
  const key = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value);
  };
  heads.forEach((head, column) => {
    if (!head.textContent.trim() || head.classList.contains("plot") || head.classList.contains("why")) return;
    const button = made("button", head.textContent);
    button.type = "button";
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
