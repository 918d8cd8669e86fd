// Mentions: one screen of places after the other. All of it stands as suggested; exceptions take a key each.
import { get } from "./asking.js";
import { byId, count, el, hue, isTyping, name, notice, plural, wired } from "./elements.js";
import { clear, drawPlace, edit, HINTS, isChanged, isEdit, placeOf, relabel, sent, setAll, told, turn } from "./places.js";
import { save } from "./saving.js";

const ENOUGH = 8; // places elsewhere that are worth a screen of their own at once
const ELSEWHERE = { elsewhere: true, disputes: [], words: [], more: 0, readings: [] };
const list = byId("mentions");
const form = byId("wishes");
const asked = new URLSearchParams(location.search);
let labels = [];
let plain = false;
let rows = [];
let total = 0;
let elsewhere = 0;
let put = 0; // of these, how many were put off
let at = 0; // the row in hand
let places = null; // of the row that is open
let row = -1; // the place in hand, -1 for all of them
let after = null; // an undo that was asked for meanwhile
let busy = false; // keys pressed before the next screen is seen do not count for it

const wishes = () => ({
  ...Object.fromEntries(new FormData(form)),
  ...Object.fromEntries(["mention", "first", "second"].map((key) => [key, asked.get(key)])),
  wide: asked.has("as") ? "1" : null,
});
const isFiltered = () => Object.entries(wishes()).some(([key, value]) => value && `${key}=${value}` !== "state=open");

async function load(start = 0) {
  const answer = await get("/api/mentions", { ...wishes(), start });
  ({ labels, plain, total } = answer);
  elsewhere = isFiltered() ? 0 : answer.elsewhere;
  rows = start ? [...rows, ...answer.rows] : answer.rows;
  placeElsewhere();
  if (!start) at = 0;
}

// What waits elsewhere comes first when it is enough for a screen, else last.
function placeElsewhere() {
  rows = rows.filter((one) => !one.elsewhere);
  if (elsewhere >= ENOUGH + put) rows.unshift(ELSEWHERE);
  else if (elsewhere && rows.length >= total) rows.push(ELSEWHERE);
}

async function guarded(act) {
  if (busy) return;
  busy = true;
  list.setAttribute("aria-busy", "true");
  try {
    await act();
  } catch (error) {
    notice(error.message);
  }
  busy = false;
  list.setAttribute("aria-busy", "false");
  const wanted = after;
  after = null;
  wanted?.();
}

async function begin() {
  await load();
  await open(0);
}

async function open(number) {
  places = null;
  row = -1;
  at = Math.max(0, Math.min(number, rows.length - 1));
  if (rows[at]) {
    const answer = rows[at].elsewhere ? await get("/api/elsewhere") : await get("/api/mention", { disputes: rows[at].disputes.join(",") });
    places = answer.places.map(placeOf);
    const wanted = asked.get("as");
    if (wanted !== null) for (const one of places) if (one.open) setAll(one, labels.includes(wanted) ? wanted : null);
  }
  draw();
  if (rows[at]) rows[at].element.scrollIntoView({ block: at ? "start" : "nearest" });
}

function close() {
  places = null;
  draw();
  rows[at]?.element.querySelector("button").focus({ preventScroll: true });
  rows[at]?.element.scrollIntoView({ block: "nearest" });
}

function draw() {
  byId("total").textContent = rows.length ? `${plural(total, "screen")} left${elsewhere ? `, ${plural(elsewhere, "place")} elsewhere` : ""}` : isFiltered() ? "Nothing is left that fits. Show all, or look for other words." : "Every place is decided.";
  byId("more").hidden = rows.length >= total;
  list.replaceChildren(...rows.map(drawRow));
}

const question = ([first, second]) => (first === second ? ["Where ", name(first ?? "nothing"), " begins and ends"] : [name(first ?? "nothing"), " or ", name(second ?? "nothing")]);

function title(one) {
  if (one.elsewhere) return [el("strong", {}, "The same words elsewhere"), el("span.note.about", {}, "Nobody differed there, but it is not what you decided.")];
  if (one.mention !== null) return [el("strong", { dir: "auto" }, name(one.words[0])), el("span.chips", {}, ...one.readings.map(([label, times]) => el(`span.label.${label === null ? "outside" : hue(labels, label)}`, {}, name(label ?? "nothing"), ` ${times}`)))];
  const words = one.words.flatMap((word, place) => [place ? ", " : "", name(word.slice(0, 40))]);
  return [el("strong", {}, ...question(one.pair)), el("span.note.about", { dir: "auto" }, ...words, one.more ? ` and ${count(one.more)} more` : "")];
}

function drawRow(one, number) {
  const isOpen = number === at && places !== null;
  const head = el(
    "button.mention",
    { type: "button", "aria-expanded": String(isOpen), click: () => (isOpen ? close() : guarded(() => open(number))) },
    ...title(one),
    el("span.grow"),
    el("span.note", {}, plural(one.elsewhere ? elsewhere : one.disputes.length, "place")),
  );
  one.element = el(`li${number === at ? ".here" : ""}${isOpen ? ".open" : ""}`, {}, head);
  if (isOpen) one.element.append(drawScreen());
  return one.element;
}

function drawScreen() {
  const ticked = places.filter((one) => one.ticked).length;
  const changed = places.filter((one) => one.ticked && isChanged(one)).length;
  const open = places.filter((one) => one.open && !one.ticked).length;
  const forAll = [...labels, ...(plain ? [] : [null])].map((label, number) => {
    const key = label === null ? "n" : number < 9 ? `Alt ${number + 1}` : "";
    return el(`button.label.${label === null ? "outside" : hue(labels, label)}`, { type: "button", click: () => give(label) }, key ? el("kbd", {}, key) : "", name(label ?? "nothing"));
  });
  const look = { labels, onTurn: turnAt, onTick: tickAt };
  return el(
    "div.contexts",
    {},
    el("ul", { "aria-label": "Places" }, ...places.map((one, number) => drawPlace(one, number, { ...look, here: number === row }))),
    el("div.choices", { role: "group", "aria-label": "What it is" }, el("span.note", {}, row < 0 ? "all of them:" : "the place in hand:"), ...forAll),
    el(
      "p.row.preview",
      { role: "status" },
      el("button.main", { type: "button", disabled: !ticked, click: () => guarded(settle) }, el("kbd", {}, "↵"), `settle ${count(ticked)}`),
      el("button", { type: "button", click: () => guarded(later) }, el("kbd", {}, "z"), "later"),
      el("button", { type: "button", click: () => guarded(() => again("undo")) }, el("kbd", {}, "u"), "undo"),
      places.some((one) => one.dispute !== null) ? el("a.button", { href: `/disputes?at=${(places[row] ?? places[0]).dispute}` }, "one by one") : "",
      el("span", {}, changed ? plural(changed, "change") : "all as suggested", changed && changed < ticked ? ", the rest as shown" : "", open ? `; ${plural(open, "place")} left open` : ""),
    ),
  );
}

function turnAt(number) {
  if (!places?.[number]) return;
  row = number;
  turn(places[number]);
  redraw();
}

function tickAt(number, wanted = !places?.[number]?.ticked) {
  if (!places?.[number]) return;
  row = number;
  places[number].ticked = wanted && places[number].chosen;
  redraw();
}

// A label, or null for nothing: for the place in hand, else for all that are open or ticked.
function give(label) {
  if (!places || (label === null && plain)) return;
  const one = places[row];
  if (one) label === null ? clear(one) : relabel(one, label);
  else for (const some of places) if (some.open || some.ticked) setAll(some, label);
  redraw();
}

// Only the screen in hand is drawn again. What was reached by keyboard has the focus again; after a click
// nothing has it, so that Enter settles.
function redraw() {
  const active = document.activeElement;
  const focus = active?.matches(":focus-visible") ? [...list.querySelectorAll("button, input, a")].indexOf(active) : -1;
  rows[at].element.replaceWith(drawRow(rows[at], at));
  if (focus >= 0) [...list.querySelectorAll("button, input, a")][focus]?.focus({ preventScroll: true });
  list.querySelector(".contexts li.here")?.scrollIntoView({ block: "nearest" });
}

async function settle() {
  const ticked = places?.filter((one) => one.ticked) ?? [];
  if (!ticked.length) {
    notice("Nothing is ticked: turn a place to a reading first, or leave it with z.", "note");
    return;
  }
  const changed = ticked.filter(isChanged).length;
  const passed = rows[at].elsewhere ? places.filter((one) => !one.ticked).map((one) => one.place) : [];
  try {
    const answer = await save("/api/settle", () => ({ ticked: ticked.map(sent), passed, exceptions: changed, page: "mentions" }));
    notice(`${plural(answer.settled, "place")} settled; u takes all of them back.`, "note");
    if (!isFiltered()) elsewhere = answer.elsewhere;
    await next();
  } catch (error) {
    if (error.status !== 409) throw error;
    notice("Somebody decided one of these places meanwhile. Here they are as they stand now.");
    await open(at);
  }
}

// The row in hand is done with, for now or for good.
async function next() {
  if (!rows[at].elsewhere) total = Math.max(total - 1, 0);
  rows.splice(at, 1);
  placeElsewhere();
  if (!rows.length) await load();
  await open(rows[0]?.elsewhere ? 0 : at);
}

async function later() {
  if (!places) return;
  if (rows[at].elsewhere) put = elsewhere;
  if (at + 1 < rows.length) await open(at + 1);
  else if (rows.length < total) {
    await load(rows.length);
    await open(at + 1);
  } else await open(0);
}

async function again(way) {
  const answer = await save(`/api/${way}`, () => ({}));
  notice(`${plural(answer.turned, "decision")} ${way === "undo" ? "taken back" : "brought back"}.`, "note");
  const sentence = answer.place?.sentence.number;
  await load();
  const touched = new Set(answer.place?.sentence.disputes.map(([number]) => number));
  const place = sentence === undefined ? -1 : rows.findIndex((one) => one.disputes.some((number) => touched.has(number)));
  await open(Math.max(place, 0));
}

function step(by) {
  if (places) {
    row = Math.min(Math.max(row + by, 0), places.length - 1);
    redraw();
    return;
  }
  at = Math.min(Math.max(at + by, 0), rows.length - 1);
  draw();
  rows[at]?.element.scrollIntoView({ block: "nearest" });
}

function letGo() {
  if (!places) return;
  if (row < 0) close();
  else {
    row = -1;
    redraw();
  }
}

const KEYS = {
  j: () => step(1),
  k: () => step(-1),
  n: () => give(null),
  Enter: () => guarded(places ? settle : () => open(at)),
  " ": () => tickAt(row),
  Escape: letGo,
  z: () => guarded(later),
  u: () => guarded(() => again("undo")),
  U: () => guarded(() => again("redo")),
  "/": () => form.elements.words.focus(),
};

function meant(event) {
  const digit = /^(?:Digit|Numpad)([1-9])$/.exec(event.code)?.[1];
  if (event.altKey) return digit && labels[digit - 1] !== undefined ? () => give(labels[digit - 1]) : null;
  if (KEYS[event.key]) return KEYS[event.key];
  if (!places) return null;
  if (isEdit(event.key)) return () => places[row] && !plain && (edit(places[row], event.key), redraw());
  const number = HINTS.indexOf(digit ?? event.key.toLowerCase());
  if (number < 0) return null;
  return event.shiftKey ? () => tickAt(number) : () => turnAt(number);
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && event.target instanceof HTMLInputElement) event.target.blur();
  if (isTyping(event) || event.ctrlKey || event.metaKey) return;
  const onControl = event.target instanceof Element && event.target.closest("button, a, summary, input");
  if (onControl && (event.key === " " || (event.key === "Enter" && !event.target.matches("input")))) return;
  const act = meant(event);
  if (!act) return;
  event.preventDefault();
  if (!busy) act();
  else if ("uU".includes(event.key)) after = act;
});
form.addEventListener("change", () => guarded(begin));
form.addEventListener("submit", (event) => {
  event.preventDefault();
  guarded(begin);
});
byId("more").addEventListener("click", () =>
  guarded(async () => {
    await load(rows.filter((one) => !one.elsewhere).length);
    draw();
  }),
);
document.addEventListener("blind", () => guarded(begin));

wired(byId("main"));
await guarded(begin);
