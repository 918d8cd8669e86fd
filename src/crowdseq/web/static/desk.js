// The desk: one dispute after the other, by keyboard or mouse, without loading a page.
import { get } from "./asking.js";
import { drawLanes, drawSentence, phrase } from "./drawing.js";
import { draftOf, merge, moveBegin, moveEnd, pick, setLabel, split } from "./editing.js";
import { byId, count, el, hue, isTyping, name, notice, percent, shown, wired } from "./elements.js";
import { idle, save } from "./saving.js";

const AHEAD = 8;
const disputes = new Map();
const sentences = new Map();
const own = new Map(); // sentence to the version that our last save made
const form = byId("wishes");
let labels = [];
let plain = false;
let line = []; // the dispute on screen, and those that come
let past = [];
let draft = null;
let whole = false;
let left = 0;
let fetching = null;

function wishes() {
  const given = Object.fromEntries(new FormData(form));
  const pair = form.elements.pair.selectedOptions[0];
  delete given.pair;
  return { ...given, first: pair?.dataset.first, second: pair?.dataset.second };
}

function learn(answer) {
  labels = answer.labels;
  plain = answer.plain;
  for (const one of Object.values(answer.sentences)) sentences.set(one.number, one);
  for (const one of answer.disputes) disputes.set(one.number, one);
}

let moves = 0; // an answer that comes after somebody went elsewhere is not shown

async function start(at) {
  const move = ++moves;
  byId("desk").setAttribute("aria-busy", "true");
  past = [];
  try {
    const answer = await get("/api/queue", { ...wishes(), at, count: AHEAD });
    if (move !== moves) return;
    disputes.clear();
    learn(answer);
    left = answer.fitting;
    line = answer.disputes.map((one) => one.number);
    show();
  } catch (error) {
    notice(error.message);
  }
}

async function again() {
  const before = moves;
  await idle();
  if (before !== moves) return;
  const move = moves;
  await start();
  if (current() && move + 1 === moves) notice("That was the last one; here is the first again.", "note");
}

// Fetch what comes after the last that we know, before it is needed.
function ahead() {
  if (fetching || !line.length || line.length >= AHEAD) return;
  fetching = get("/api/queue", { ...wishes(), after: line.at(-1), count: AHEAD })
    .then((answer) => {
      learn(answer);
      const known = new Set(line);
      line.push(...answer.disputes.map((one) => one.number).filter((number) => !known.has(number)));
    })
    .catch(() => {})
    .finally(() => (fetching = null));
}

const current = () => disputes.get(line[0]);

function show() {
  const dispute = current();
  byId("desk").setAttribute("aria-busy", "false");
  whole = false;
  if (!dispute) {
    // At the end the queue begins again, as long as something is left in it.
    if (left > 0 && past.length) again();
    else finished();
    return;
  }
  const sentence = sentences.get(dispute.sentence);
  const here = sentence.marks.filter((mark) => mark[0] < dispute.end && dispute.begin < mark[1]);
  const begin = Math.min(dispute.begin, ...here.map((mark) => mark[0]));
  const end = Math.max(dispute.end, ...here.map((mark) => mark[1]));
  draft = draftOf(begin, end, here.map((mark) => mark.slice(0, 3)));
  draw();
  byId("desk").focus({ preventScroll: true });
  byId("heard").textContent = `${sentence.tokens.slice(dispute.begin, dispute.end).join(" ")}: ${draft.marks.map((mark) => mark[2]).join(", ") || "nothing"}`;
  ahead();
}

const decidedBy = (sentence, dispute) => sentence.decided.findLast((one) => one.begin <= dispute.begin && dispute.end <= one.end);

function draw() {
  const dispute = current();
  const sentence = sentences.get(dispute.sentence);
  const look = {
    labels,
    plain,
    whole,
    onDispute: open,
    onPick: (at) => change(pick(draft, at)),
    onWhole: () => {
      whole = true;
      draw();
    },
    head: heading(sentence, dispute),
    onLane: takeLane,
  };
  const kinds = dispute.kinds.map((kind) => el("span.chip", {}, kind));
  byId("where").replaceChildren(
    el("span", {}, name(sentence.doc ?? ""), sentence.doc ? " · " : "", name(sentence.id)),
    el("span.chips", {}, ...kinds),
    el("span.grow"),
    el("span", { id: "left" }, `${count(left)} left`),
  );
  byId("text").replaceChildren(drawSentence(sentence, dispute, draft, look));
  byId("lanes").replaceChildren(drawLanes(sentence, dispute, draft, look));
  drawLabels();
  drawActions();
  byId("said").replaceChildren(...sentence.said.map((one) => el("p.said", {}, el("strong", {}, name(one.reviewer)), one.gap ? " (guideline gap): " : ": ", el("span", { dir: "auto" }, shown(one.comment)))), ...extras(sentence));
}

const extras = (sentence) => {
  const pairs = Object.entries(sentence.extras);
  if (!pairs.length) return [];
  const rows = pairs.flatMap(([key, value]) => [el("dt", {}, name(key)), el("dd", {}, name(value.slice(0, 500)))]);
  return [el("details", {}, el("summary", {}, "What came with this sentence"), el("dl.facts", {}, ...rows))];
};

function heading(sentence, dispute) {
  const decided = decidedBy(sentence, dispute);
  const words = draft.touched ? ["your change"] : decided ? ["decided by ", name(decided.reviewer)] : dispute.blind ? ["not decided"] : ["suggestion ", el("small", {}, percent(dispute.confidence))];
  return [el("button.lane", { type: "button", title: "Accept (Enter)", click: accept }, el("kbd", {}, "↵"), el("span", {}, ...words))];
}

function drawLabels() {
  const now = draft.marks[draft.at]?.[2];
  byId("labels").replaceChildren(
    ...labels.map((label, at) =>
      el(
        `button.label.${hue(labels, label)}`,
        { type: "button", "aria-pressed": String(label === now), title: at < 9 ? `Alt+${at + 1}` : null, click: () => change(setLabel(draft, label)) },
        at < 9 ? el("kbd", {}, `Alt ${at + 1}`) : "",
        name(label),
      ),
    ),
  );
}

function drawActions() {
  const button = (keys, text, click, kind = "") =>
    el(`button${kind}`, { type: "button", click, "aria-keyshortcuts": keys }, el("kbd", {}, keys === "Enter" ? "↵" : keys), text);
  const edges = plain
    ? []
    : [
        button("n", "nothing", nothing),
        el(
          "span.group",
          {},
          button("[", "begin ◂", () => change(moveBegin(draft, -1, wall()))),
          button("]", "begin ▸", () => change(moveBegin(draft, 1, wall()))),
          button("{", "end ◂", () => change(moveEnd(draft, -1, wall()))),
          button("}", "end ▸", () => change(moveEnd(draft, 1, wall()))),
        ),
        el("span.group", {}, button("x", "split", () => change(split(draft))), button("m", "merge", () => change(merge(draft)))),
      ];
  byId("actions").replaceChildren(
    button("Enter", "accept", accept, ".main"),
    ...edges,
    el("span.group", {}, button("z", "skip", skip), button("c", "comment", () => ask("comment")), button("g", "gap", () => ask("gap"))),
    el("span.group", {}, button("u", "undo", () => turn("undo")), button("U", "redo", () => turn("redo"))),
    el("span.group", {}, button("k", "back", back), button("j", "next", next)),
  );
}

function change(made) {
  if (made === draft) return;
  draft = made;
  draw();
}

// How far a mark may grow before it meets a neighbour.
function wall() {
  const { marks, tokens } = sentences.get(current().sentence);
  const before = marks.filter((mark) => mark[1] <= draft.begin).map((mark) => mark[1]);
  const after = marks.filter((mark) => mark[0] >= draft.end).map((mark) => mark[0]);
  return [Math.max(0, ...before), Math.min(tokens.length, ...after)];
}

function next() {
  if (!line.length) return;
  past.push(line.shift());
  show();
}

async function back() {
  if (!past.length && line.length) {
    const answer = await get("/api/queue", { ...wishes(), before: line[0], count: AHEAD }).catch((error) => notice(error.message));
    if (answer) {
      learn(answer);
      past = answer.disputes.map((one) => one.number);
    }
  }
  if (past.length) {
    line.unshift(past.pop());
    show();
  }
}

async function open(number) {
  moves += 1;
  if (!disputes.has(number)) learn(await get("/api/queue", { ...wishes(), at: number, count: 0 }));
  line = [number, ...line.filter((one) => one !== number)];
  show();
}

function accept() {
  if (!current()) return;
  if (current().blind && !draft.touched && !decidedBy(sentences.get(current().sentence), current())) {
    notice("Blind mode: decide first, with a lane (1–9), a label (Alt+1–9) or n for nothing.", "note");
    return;
  }
  if (plain && draft.marks.length < draft.end - draft.begin) {
    notice("Choose a label first.", "note");
    return;
  }
  decide(draft.marks, draft.touched ? "change" : "accept");
}

const nothing = () => !plain && current() && decide([], "nothing");

function takeLane(lane, wholeSentence) {
  if (!lane?.saw) return;
  if (wholeSentence) {
    settle({ lane: lane.name, way: "lane of the sentence" }, { begin: 0, end: Infinity });
    return;
  }
  const { begin, end } = current();
  const marks = lane.marks.filter((mark) => mark[0] < end && begin < mark[1]);
  decide(marks, "lane");
}

function decide(marks, way) {
  const begin = Math.min(draft.begin, ...marks.map((mark) => mark[0]));
  const end = Math.max(draft.end, ...marks.map((mark) => mark[1]));
  settle({ begin, end, marks, way }, { begin, end });
}

// The next dispute comes at once; the answer of the disk comes when it comes, and the mark above tells it.
function settle(what, range) {
  const dispute = current();
  const sentence = sentences.get(dispute.sentence);
  const wasOpen = dispute.state !== "decided";
  const seen = sentence.version;
  const make = () => ({ ...what, sentence: sentence.number, dispute: dispute.number, page: "disputes", version: Math.max(seen, own.get(sentence.number) ?? 0) });
  save("/api/save", make).then(
    (answer) => {
      own.set(sentence.number, answer.version);
      renew(answer.sentence);
      if (answer.suggested) tellSuggested(answer.suggested);
    },
    (error) => (error.status === 409 ? conflict(error.answer, what, dispute) : failed(error, dispute)),
  );
  const covered = sentence.disputes.filter(([, begin, end]) => range.begin <= begin && end <= range.end).map(([number]) => number);
  for (const number of covered) if (disputes.has(number)) disputes.get(number).state = "decided";
  if (wishes().state !== "any" && wasOpen) left = Math.max(left - covered.filter((number) => number === dispute.number || line.includes(number)).length, 0);
  past.push(line.shift());
  if (wishes().state !== "any") line = line.filter((number) => !covered.includes(number));
  show();
}

function tellSuggested({ marks, confidence }) {
  notice(`The suggestion was: ${marks.map((mark) => mark[2]).join(", ") || "nothing"} (${percent(confidence)}).`, "note");
}

function failed(error, dispute) {
  notice(`Not saved: ${error.message}.`);
  dispute.state = "open";
  line = [dispute.number, ...line.filter((number) => number !== dispute.number)];
  show();
}

function conflict(answer, what, dispute) {
  const { sentence } = answer;
  sentences.set(sentence.number, sentence);
  const { begin, end } = dispute;
  const last = answer.theirs.at(-1);
  byId("mine").replaceChildren(phrase(sentence.tokens, begin, end, answer.mine, labels));
  byId("theirs").replaceChildren(phrase(sentence.tokens, begin, end, sentence.marks, labels));
  byId("theirs-title").replaceChildren(last ? name(last.reviewer) : "Now");
  const box = byId("conflict");
  box.returnValue = "theirs";
  box.showModal();
  box.addEventListener(
    "close",
    () => {
      if (box.returnValue !== "mine") {
        renew(sentence);
        return;
      }
      const make = () => ({ ...what, sentence: sentence.number, page: "disputes", version: sentence.version });
      save("/api/save", make).then(
        (saved) => {
          own.set(sentence.number, saved.version);
          renew(saved.sentence);
        },
        (error) => (error.status === 409 ? conflict(error.answer, what, dispute) : failed(error, dispute)),
      );
    },
    { once: true },
  );
}

// A sentence that changed; the draft on screen stays if somebody is at it.
function renew(sentence) {
  sentences.set(sentence.number, sentence);
  for (const [number, , , state] of sentence.disputes) {
    if (disputes.has(number)) disputes.get(number).state = state;
  }
  const dispute = current();
  if (dispute?.sentence === sentence.number && !draft.touched) show();
}

function skip() {
  const dispute = current();
  if (!dispute) return;
  remark("skip", "", dispute);
  if (["open", "skipped"].includes(wishes().state)) left = Math.max(left - (wishes().state === "open" ? 1 : 0), 0);
  past.push(line.shift());
  show();
}

const remark = (kind, text, dispute) =>
  save("/api/note", () => ({ kind, text, sentence: dispute.sentence, begin: dispute.begin, end: dispute.end, page: "disputes" })).then(
    (answer) => {
      own.set(answer.sentence.number, answer.version);
      renew(answer.sentence);
    },
    (error) => notice(error.message),
  );

function ask(kind) {
  const dispute = current();
  if (!dispute) return;
  const box = byId("remark");
  byId("remark-title").textContent = kind === "gap" ? "The guideline has a gap here" : "Comment";
  byId("remark-words").textContent = kind === "gap" ? "What should the guideline say? (may stay empty)" : "What should others know about this place?";
  const field = box.querySelector("textarea");
  field.value = "";
  box.showModal();
  field.focus();
  // On submit and not on close, which comes later: a key pressed right after it must not overtake the remark.
  const onSubmit = (event) => {
    if (event.submitter?.value === "save" && (kind === "gap" || field.value.trim())) remark(kind, field.value, dispute);
  };
  box.addEventListener("submit", onSubmit);
  box.addEventListener("close", () => box.removeEventListener("submit", onSubmit), { once: true });
}

async function turn(way) {
  try {
    const { place } = await save(`/api/${way}`, () => ({}));
    if (!place) return;
    sentences.set(place.sentence.number, place.sentence);
    own.set(place.sentence.number, place.sentence.version);
    renew(place.sentence);
    if (way === "undo" && wishes().state === "open") left += 1;
    if (place.dispute != null) await open(place.dispute);
  } catch (error) {
    notice(error.message);
  }
}

function finished() {
  draft = null;
  const filtered = Object.entries(wishes()).some(([key, value]) => value && !(key === "state" && value === "open") && !(key === "order"));
  for (const id of ["where", "lanes", "labels", "actions", "said"]) byId(id).replaceChildren();
  const text = filtered
    ? ["No dispute fits these wishes. ", el("button", { type: "button", click: reset }, "Show all open"), " or choose others at the side."]
    : ["Every dispute is decided or skipped. ", el("a", { href: "/history" }, "Look at what was decided"), "."];
  byId("text").replaceChildren(el("div.finished", {}, el("h2", {}, "Nothing left here"), el("p", {}, ...text)));
}

function reset() {
  for (const field of form.elements) {
    if (field.type === "checkbox") field.checked = false;
    else if (field.tagName === "SELECT") field.selectedIndex = 0;
    else if (field.tagName === "INPUT") field.value = "";
  }
  changed();
}

function changed() {
  const query = new URLSearchParams(Object.entries(wishes()).filter(([key, value]) => value && `${key}=${value}` !== "state=open" && `${key}=${value}` !== "order=gain"));
  history.replaceState(null, "", query.size ? `?${query}` : location.pathname);
  start();
}

form.addEventListener("change", changed);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  changed();
});
form.addEventListener("reset", (event) => {
  event.preventDefault();
  reset();
});
document.addEventListener("blind", () => start(line[0]));
document.addEventListener("changed", async ({ detail }) => {
  for (const number of detail.changed.filter((one) => sentences.has(one)).slice(0, 20)) {
    const before = sentences.get(number);
    const { sentence } = await get("/api/sentence", { number }).catch(() => ({}));
    if (!sentence || sentence.version <= before.version) continue;
    renew(sentence);
    if (wishes().state === "open") line = line.filter((one, at) => at === 0 || disputes.get(one)?.state === "open");
  }
});

const KEYS = {
  Enter: accept,
  n: nothing,
  "[": () => !plain && change(moveBegin(draft, -1, wall())),
  "]": () => !plain && change(moveBegin(draft, 1, wall())),
  "{": () => !plain && change(moveEnd(draft, -1, wall())),
  "}": () => !plain && change(moveEnd(draft, 1, wall())),
  x: () => !plain && change(split(draft)),
  m: () => !plain && change(merge(draft)),
  z: skip,
  c: () => ask("comment"),
  g: () => ask("gap"),
  j: next,
  k: back,
  Escape: () => current() && show(),
};
const ALWAYS = { u: () => turn("undo"), U: () => turn("redo"), k: back, "/": () => form.elements.words.focus() };

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && event.target instanceof HTMLInputElement) event.target.blur();
  if (isTyping(event) || event.ctrlKey || event.metaKey) return;
  const onButton = event.target instanceof Element && event.target.closest("button, a, summary");
  if (onButton && (event.key === "Enter" || event.key === " ")) return;
  const digit = /^(?:Digit|Numpad)([1-9])$/.exec(event.code)?.[1];
  let act = ALWAYS[event.key];
  if (!act && draft && current()) {
    act = KEYS[event.key];
    if (!act && digit && event.altKey) act = () => labels[digit - 1] && change(setLabel(draft, labels[digit - 1]));
    else if (!act && digit) act = () => takeLane(current().lanes[digit - 1], event.shiftKey);
  }
  if (!act) return;
  event.preventDefault();
  act();
});

wired(byId("main"));
start(new URLSearchParams(location.search).get("at") ?? undefined);
