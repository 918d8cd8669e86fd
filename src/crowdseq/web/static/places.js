// Places of a screen of mentions: what each will be settled as, and how it is drawn.
import { draftOf, merge, moveBegin, moveEnd, same, setLabel, split } from "./editing.js";
import { el, hue, name, percent, shown } from "./elements.js";

// The keys that turn a place to its next reading; those that do something else on this page are left out.
export const HINTS = [..."123456789qwertasdfhv"];

export function placeOf(view) {
  const [, begin, end] = view.place;
  const place = { ...view, blind: !view.chosen, turns: view.readings, turn: 0, ticked: view.open && view.chosen, chosen: view.chosen };
  place.draft = draftOf(begin, end, view.chosen ? view.readings[0] : []);
  return place;
}

const become = (place, draft) => {
  place.draft = draft;
  place.chosen = true;
  place.ticked = true;
};
const drawn = (place, marks) => draftOf(place.place[1], place.place[2], marks);

// The next reading; where one was set for all, the first is what was suggested here.
export function turn(place) {
  place.turn = place.chosen ? (place.turn + 1) % place.turns.length : 0;
  become(place, drawn(place, place.turns[place.turn]));
}

export function setAll(place, label) {
  const first = place.readings[0] ?? [];
  const marks = label === null ? [] : first.length ? first.map(([begin, end]) => [begin, end, label]) : [[place.place[1], place.place[2], label]];
  place.turns = [marks, ...place.readings.filter((one) => !same(one, marks))];
  place.turn = 0;
  become(place, drawn(place, marks));
}

const EDITS = {
  "[": (draft, wall) => moveBegin(draft, -1, wall),
  "]": (draft, wall) => moveBegin(draft, 1, wall),
  "{": (draft, wall) => moveEnd(draft, -1, wall),
  "}": (draft, wall) => moveEnd(draft, 1, wall),
  x: (draft) => split(draft),
  m: (draft) => merge(draft),
};
export const isEdit = (key) => key in EDITS;
export function edit(place, key) {
  const made = EDITS[key](place.draft, place.wall);
  if (made !== place.draft) become(place, made);
}
export const relabel = (place, label) => become(place, setLabel(place.draft, label));
export const clear = (place) => become(place, drawn(place, []));

export const sent = (place) => [...place.place, place.dispute, place.version, place.draft.marks];
export const isChanged = (place) => place.chosen && !place.blind && !same(place.draft.marks, place.was ?? place.readings[0]);

const chip = (labels, label) => el(`b.${hue(labels, label)}`, {}, name(label));
export const told = (labels, marks) => (marks.length ? [...new Set(marks.map((mark) => mark[2]))].map((label) => chip(labels, label)) : [el("span.label.outside", {}, "nothing")]);

const before = (labels, was, now) => {
  const texts = [was, now].map((marks) => told(labels, marks).map((one) => one.textContent).join());
  return texts[0] === texts[1] ? ["other edges"] : ["was ", ...told(labels, was)];
};

// The words around the place, with what it will be as marks among them.
function context(place, labels) {
  const { tokens, low, draft } = place;
  const made = [];
  const words = (begin, end) => {
    const some = tokens.slice(Math.max(begin - low, 0), Math.max(end - low, 0));
    if (some.length) made.push(shown(some.join(" ")), " ");
  };
  let at = low;
  words(at, draft.begin);
  at = draft.begin;
  const inner = [];
  for (const [begin, end, label] of draft.marks) {
    if (at < begin) inner.push(el("b.word", {}, shown(tokens.slice(at - low, begin - low).join(" "))), " ");
    inner.push(el(`mark.${hue(labels, label)}`, {}, el("bdi", {}, shown(tokens.slice(begin - low, end - low).join(" "))), el("small", {}, name(label))), " ");
    at = end;
  }
  if (at < draft.end) inner.push(el("b.word", {}, shown(tokens.slice(at - low, draft.end - low).join(" "))), " ");
  made.push(...inner);
  words(draft.end, low + tokens.length);
  return el("span.context", {}, place.cut[0] ? "… " : "", ...made, place.cut[1] ? "…" : "");
}

export function drawPlace(place, number, look) {
  const { labels, here, onTurn, onTick } = look;
  const hint = HINTS[number];
  const box = el("input", { type: "checkbox", "aria-label": `settle in ${place.id}`, checked: place.ticked });
  box.addEventListener("change", () => onTick(number, box.checked));
  const state = isChanged(place) ? el("span.note.changed", {}, ...before(labels, place.was ?? place.readings[0], place.draft.marks)) : place.who ? el("span.note", {}, name(place.who)) : place.confidence == null ? "" : el("span.note", {}, percent(place.confidence));
  return el(
    `li${here ? ".here" : ""}${place.ticked ? ".ticked" : ""}`,
    { "data-place": number },
    box,
    el(
      "button.turn",
      { type: "button", dir: place.rtl ? "rtl" : "auto", "aria-keyshortcuts": hint ?? null, title: "Next reading", click: () => onTurn(number) },
      el("kbd", {}, hint ?? "·"),
      context(place, labels),
    ),
    el("span.now", {}, ...(place.chosen ? told(labels, place.draft.marks) : [el("span.note", {}, "?")]), state),
  );
}
