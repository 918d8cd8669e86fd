// Mentions: one row for each surface form; its contexts below; one key settles the ticked ones.
import { get } from "./asking.js";
import { byId, count, el, hue, isTyping, name, notice, percent, plural, shown, wired } from "./elements.js";
import { save } from "./saving.js";

const list = byId("mentions");
const form = byId("wishes");
let labels = [];
let rows = [];
let at = 0;
let total = 0;
let opened = null; // { view, ticked: Set of disputes, choice, row }

const wishes = () => Object.fromEntries(new FormData(form));

async function load(start = 0) {
  try {
    const answer = await get("/api/mentions", { ...wishes(), start });
    ({ labels, total } = answer);
    rows = start ? [...rows, ...answer.rows] : answer.rows;
    if (!start) {
      at = 0;
      opened = null;
    }
    draw();
  } catch (error) {
    notice(error.message);
  }
}

function draw() {
  byId("total").textContent = total ? plural(total, "surface form") : "No mention fits. Show all, or look for other words.";
  byId("more").hidden = rows.length >= total;
  list.replaceChildren(...rows.map(drawRow));
}

function drawRow(row, place) {
  const isOpen = opened?.view.number === row.number;
  const said = row.readings.map(([label, times]) => el(`span.label.${label === null ? "outside" : hue(labels, label)}`, {}, name(label ?? "nothing"), ` ${times}`));
  const head = el(
    "button.mention",
    { type: "button", "aria-expanded": String(isOpen), click: () => (isOpen ? close() : open(place)) },
    el("strong", { dir: "auto" }, name(row.surface.slice(0, 120))),
    el("span.chips", {}, ...said),
    el("span.grow"),
    el("span.note", {}, row.open ? `${count(row.open)} open` : "all decided", row.disputes > row.open ? ` of ${count(row.disputes)}` : ""),
  );
  const made = el(`li${place === at ? ".here" : ""}${isOpen ? ".open" : ""}`, {}, head);
  if (isOpen) made.append(drawContexts());
  row.element = made;
  return made;
}

const marksText = (marks, tokens) =>
  !marks ? [el("span.note", {}, "?")] : marks.length ? marks.flatMap(([begin, end, label]) => [el(`b.${hue(labels, label)}`, { title: tokens.slice(begin, end).join(" ") }, name(label)), end - begin < tokens.length ? el("small", {}, ` ${shown(tokens.slice(begin, end).join(" ")).slice(0, 40)} `) : " "]) : [el("span.label.outside", {}, "nothing")];

function drawContexts() {
  const { view, ticked, choice } = opened;
  const choices = view.choices.map((one, place) =>
    el(
      "button.choice",
      { type: "button", "aria-pressed": String(choice === place), click: () => choose(place) },
      el("kbd", {}, String(place + 1)),
      ...marksText(one.marks, view.tokens),
      el("span.note", {}, ` ${plural(one.people, "vote")}`),
    ),
  );
  const chosen = view.choices[choice];
  const contexts = view.contexts.map((one, place) => {
    const isTicked = ticked.has(one.dispute);
    const box = el("input", { type: "checkbox", "aria-label": `settle in ${one.id}`, checked: isTicked });
    box.addEventListener("change", () => tick(one, box.checked));
    const next = isTicked && chosen ? chosen.marks : one.now;
    return el(
      `li${place === opened.row ? ".here" : ""}${isTicked ? ".ticked" : ""}`,
      { "data-place": place },
      el("label", { dir: one.rtl ? "rtl" : "auto" }, box, el("span.context", {}, one.cut[0] ? "… " : "", `${shown(one.before)} `, el("b.word", {}, shown(one.words)), ` ${shown(one.after)}`, one.cut[1] ? " …" : "")),
      el("span.now", {}, ...marksText(next, view.tokens), isTicked && chosen ? el("span.note", {}, "will be") : one.who ? el("span.note", {}, name(one.who)) : one.confidence == null ? "" : el("span.note", {}, percent(one.confidence))),
    );
  });
  const exceptions = view.contexts.filter((one) => one.open && !ticked.has(one.dispute)).length;
  const told = chosen ? [el("span", {}, plural(ticked.size, "place"), " will be "), ...marksText(chosen.marks, view.tokens), exceptions ? `, ${plural(exceptions, "exception")} stay open` : ""] : ["Choose what it is: ", el("kbd", {}, "1"), "–", el("kbd", {}, String(Math.max(view.choices.length, 1)))];
  return el(
    "div.contexts",
    {},
    el("div.choices", { role: "group", "aria-label": "What it is" }, ...choices),
    el("ul", { "aria-label": "Contexts" }, ...contexts),
    view.left_out ? el("p.note", {}, `${plural(view.left_out, "further place")} come when these are settled.`) : "",
    el(
      "p.row.preview",
      { role: "status" },
      el("button.main", { type: "button", disabled: !chosen || !ticked.size, click: settle }, el("kbd", {}, "↵"), `settle ${count(ticked.size)}`),
      el("button", { type: "button", click: undo }, el("kbd", {}, "u"), "undo"),
      el("a.button", { href: `/disputes?words=${encodeURIComponent(view.tokens.join(" ").slice(0, 200))}` }, "one by one"),
      el("span", {}, ...told),
    ),
  );
}

async function open(place) {
  if (!rows[place]) return;
  try {
    const view = await get("/api/mention", { number: rows[place].number });
    at = place;
    const ticked = new Set(view.contexts.filter((one) => one.open).map((one) => one.dispute));
    opened = { view, ticked, choice: null, row: -1 };
    draw();
    rows[at].element.scrollIntoView({ block: "nearest" });
  } catch (error) {
    notice(error.message);
  }
}

function close() {
  opened = null;
  draw();
  rows[at]?.element.querySelector("button").focus();
}

function choose(place) {
  if (!opened?.view.choices[place]) return;
  opened.choice = place;
  draw();
}

function tick(context, wanted) {
  if (wanted) opened.ticked.add(context.dispute);
  else opened.ticked.delete(context.dispute);
  draw();
}

async function settle() {
  if (!opened || opened.choice === null || !opened.ticked.size) return;
  const { view, ticked, choice } = opened;
  const chosen = view.contexts.filter((one) => ticked.has(one.dispute));
  const exceptions = view.contexts.length - chosen.length;
  try {
    const answer = await save("/api/settle", () => ({ ticked: chosen.map((one) => [one.dispute, one.version]), marks: view.choices[choice].marks, exceptions, page: "mentions" }));
    rows[at].open = Math.max(rows[at].open - chosen.filter((one) => one.open).length, 0);
    opened = null;
    notice(`${plural(answer.settled, "place")} settled; u takes all of them back.`, "note");
    if (rows[at].open && view.left_out) {
      await open(at);
      return;
    }
    at = Math.min(at + 1, rows.length - 1);
    draw();
    rows[at]?.element.scrollIntoView({ block: "nearest" });
  } catch (error) {
    notice(error.status === 409 ? "Somebody decided one of these places meanwhile. Here they are as they stand now." : error.message);
    await open(at);
  }
}

async function undo() {
  try {
    const answer = await save("/api/undo", () => ({}));
    notice(`${plural(answer.turned, "decision")} taken back.`, "note");
    const number = opened?.view.number;
    await load();
    const place = rows.findIndex((row) => row.number === number);
    if (place >= 0) await open(place);
  } catch (error) {
    notice(error.message);
  }
}

function step(by) {
  if (opened) {
    opened.row = Math.min(Math.max(opened.row + by, 0), opened.view.contexts.length - 1);
    draw();
    list.querySelector(".contexts li.here")?.scrollIntoView({ block: "nearest" });
    return;
  }
  at = Math.min(Math.max(at + by, 0), rows.length - 1);
  draw();
  rows[at]?.element.scrollIntoView({ block: "nearest" });
}

function toggle() {
  const context = opened?.view.contexts[opened.row];
  if (context) tick(context, !opened.ticked.has(context.dispute));
}

const KEYS = {
  j: () => step(1),
  k: () => step(-1),
  Enter: () => (opened ? settle() : open(at)),
  " ": toggle,
  Escape: () => opened && close(),
  u: undo,
  U: () => save("/api/redo", () => ({})).then(() => load(), (error) => notice(error.message)),
  "/": () => form.elements.words.focus(),
};
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && event.target instanceof HTMLInputElement) event.target.blur();
  if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
  const onControl = event.target instanceof Element && event.target.closest("button, a, summary, input");
  if (onControl && (event.key === " " || (event.key === "Enter" && !event.target.matches("input")))) return;
  const digit = /^(?:Digit|Numpad)([1-9])$/.exec(event.code)?.[1];
  const act = digit && opened ? () => choose(digit - 1) : KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});
form.addEventListener("change", () => load());
form.addEventListener("submit", (event) => {
  event.preventDefault();
  load();
});
byId("more").addEventListener("click", () => load(rows.length));

wired(byId("main"));
await load();
const wanted = new URLSearchParams(location.search).get("open");
if (wanted !== null) {
  let place = rows.findIndex((row) => String(row.number) === wanted);
  if (place < 0) {
    const view = await get("/api/mention", { number: wanted }).catch((error) => notice(error.message));
    if (view) {
      rows = [view, ...rows];
      place = 0;
    }
  }
  if (place >= 0) await open(place);
}
