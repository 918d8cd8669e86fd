// The audit: read a sentence blind, mark what is there, see what that says of the rest.
import { get, post } from "./asking.js";
import { byId, count, el, hue, isTyping, name, notice, plural, shown, wired } from "./elements.js";
import { save } from "./saving.js";

const NAMES = { precision: "precision", recall: "recall", f1: "F1", accuracy: "accuracy", sentences: "sentences without an error" };
const percent = (share) => `${(100 * share).toFixed(1)}\u00a0%`;
let labels = [];
let plain = false;
let sentence = null;
let marks = [];
let from = 0; // the chosen tokens are those between these two
let to = 0;
let clicked = false;

const low = () => Math.min(from, to);
const high = () => Math.max(from, to) + 1;
const error = () => byId("error").value;

function tell(answer) {
  ({ labels, plain } = answer);
  byId("bound").textContent = answer.words || "Nothing was read yet.";
  byId("figures").replaceChildren(
    ...(answer.audited ? Object.entries(answer.figures) : []).map(([key, one]) =>
      el("tr", {}, el("th", { scope: "row" }, NAMES[key]), ...[one.low, one.estimate, one.high].map((value) => el("td.number", {}, percent(value)))),
    ),
  );
  byId("figures").closest(".wide").hidden = !answer.audited;
  byId("needed").textContent = [answer.audited ? answer.needed : "", answer.waiting ? `${plural(answer.waiting, "answer")} wait for one that was drawn before them` : ""].filter(Boolean).join("; ");
  const fresh = answer.sentence?.number !== sentence?.number;
  sentence = answer.sentence;
  byId("reading").hidden = !sentence;
  if (!sentence) {
    byId("bound").textContent += " Every sentence is read, or in somebody's hands.";
    return;
  }
  if (fresh) {
    marks = [];
    from = to = 0;
    clicked = false;
  }
  byId("where").replaceChildren(el("span", {}, name(sentence.doc ?? ""), sentence.doc ? " · " : "", name(sentence.id)), el("span.grow"), el("span", { id: "read" }, `${count(answer.audited)} read, ${count(answer.unread)} unread`));
  draw();
  if (fresh) byId("tokens").focus({ preventScroll: true });
}

const load = () => get("/api/audit", { error: error() }).then(tell, (fault) => notice(fault.message));

function draw() {
  const made = [];
  const words = sentence.tokens.map((token, at) => {
    const chosen = at >= low() && at < high();
    return el(`span.token${chosen ? ".chosen" : ""}`, { "data-at": at }, shown(token));
  });
  for (let at = 0; at < words.length; ) {
    const mark = marks.find(([begin]) => begin === at);
    if (mark) {
      made.push(el(`mark.${hue(labels, mark[2])}`, {}, ...words.slice(at, mark[1]).flatMap((one, place) => (place ? [" ", one] : [one])), el("small", {}, name(mark[2]))), " ");
      at = mark[1];
    } else {
      made.push(words[at], " ");
      at += 1;
    }
  }
  byId("tokens").replaceChildren(el("p.text", { dir: sentence.rtl ? "rtl" : "auto" }, ...made));
  byId("tokens").querySelector(".chosen")?.scrollIntoView({ block: "nearest" });
  byId("labels").replaceChildren(
    ...labels.map((label, at) => el(`button.label.${hue(labels, label)}`, { type: "button", click: () => setLabel(label) }, at < 9 ? el("kbd", {}, String(at + 1)) : "", name(label))),
  );
}

function move(by, extend) {
  if (!sentence) return;
  to = Math.min(Math.max(to + by, 0), sentence.tokens.length - 1);
  if (!extend || plain) from = to;
  clicked = false;
  draw();
}

function remove() {
  if (!sentence) return;
  marks = marks.filter((mark) => mark[1] <= low() || mark[0] >= high());
  draw();
}

function setLabel(label) {
  if (!sentence || !label) return;
  marks = [...marks.filter((mark) => mark[1] <= low() || mark[0] >= high()), [low(), high(), label]].sort((a, b) => a[0] - b[0]);
  to = Math.min(high(), sentence.tokens.length - 1);
  from = to;
  clicked = false;
  draw();
}

async function answer() {
  if (!sentence) return;
  if (plain && marks.length < sentence.tokens.length) {
    notice(`${plural(sentence.tokens.length - marks.length, "token")} still without a label.`, "note");
    return;
  }
  const { number } = sentence;
  const given = marks;
  try {
    tell(await save("/api/audit/answer", () => ({ sentence: number, marks: given, error: Number(error()) })));
  } catch (fault) {
    notice(fault.message);
  }
}

async function undo() {
  try {
    await save("/api/undo", () => ({}));
    sentence = null;
    await load();
  } catch (fault) {
    notice(fault.message);
  }
}

byId("tokens").addEventListener("click", (event) => {
  const at = Number(event.target.closest?.("[data-at]")?.dataset.at ?? Number.NaN);
  if (Number.isNaN(at)) return;
  if (event.shiftKey || (clicked && at !== from && !plain)) {
    to = at;
    clicked = false;
  } else {
    from = to = at;
    clicked = true;
  }
  draw();
});

const KEYS = { ArrowLeft: (event) => move(sentence?.rtl ? 1 : -1, event.shiftKey), ArrowRight: (event) => move(sentence?.rtl ? -1 : 1, event.shiftKey), Backspace: remove, Delete: remove, Enter: answer, u: undo };
document.addEventListener("keydown", (event) => {
  if (isTyping(event) || event.ctrlKey || event.metaKey || byId("begun").hidden) return;
  const onControl = event.target instanceof Element && event.target.closest("button, a, summary");
  if (onControl && (event.key === "Enter" || event.key === " ")) return;
  const digit = /^(?:Digit|Numpad)([1-9])$/.exec(event.code)?.[1];
  const act = digit ? () => setLabel(labels[digit - 1]) : KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act(event);
});
byId("save").addEventListener("click", answer);
byId("remove").addEventListener("click", remove);
byId("undo").addEventListener("click", undo);
byId("error").addEventListener("change", load);
byId("begin").addEventListener("click", async () => {
  try {
    await post("/api/audit/begin", {});
    byId("unbegun").hidden = true;
    byId("begun").hidden = false;
    await load();
  } catch (fault) {
    notice(fault.message);
  }
});
byId("accept")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const least = Number(new FormData(event.target).get("least"));
  try {
    const { accepted } = await save("/api/accept", () => ({ least }));
    notice(`${plural(accepted, "dispute")} accepted unread; the history can take them back in one step.`, "note");
    event.target.closest("section").hidden = true;
  } catch (fault) {
    notice(fault.message);
  }
});
wired(byId("main"));
if (byId("audit").dataset.begun === "yes") load();
