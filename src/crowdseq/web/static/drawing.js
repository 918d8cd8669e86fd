// Drawing sentences, lanes and marks.
import { count, el, hue, name, shown } from "./elements.js";

const MOST_TOKENS = 400;
const AROUND = 150;
const LANE_AROUND = 3;
const MOST_COLUMNS = 60;

const label = (text) => el("small", {}, name(text));
const markOf = (tokens, [begin, end, what], labels, kind = "") =>
  el(`mark.${hue(labels, what)}${kind}`, {}, el("bdi", {}, shown(tokens.slice(begin, end).join(" "))), label(what));

// A piece of a sentence: marks that lie in it, and the words between them.
function pieces(tokens, low, high, marks, labels, kinds = () => "") {
  const made = [];
  let at = low;
  const words = (begin, end) => begin < end && made.push(shown(tokens.slice(begin, end).join(" ")), " ");
  marks.forEach((mark, place) => {
    if (mark[1] <= low || mark[0] >= high) return;
    words(at, mark[0]);
    made.push(markOf(tokens, mark, labels, kinds(mark, place)), " ");
    at = mark[1];
  });
  words(at, high);
  return made;
}

export const phrase = (tokens, begin, end, marks, labels) => {
  const low = Math.max(begin - 8, 0);
  const high = Math.min(end + 8, tokens.length);
  return el("span", { dir: "auto" }, low > 0 ? "… " : "", ...pieces(tokens, low, high, marks, labels), high < tokens.length ? "…" : "");
};

// The sentence with what holds now, the draft at its place, other disputes to be clicked.
export function drawSentence(sentence, dispute, draft, look) {
  const { labels, plain, whole, onDispute, onPick, onWhole } = look;
  const { tokens } = sentence;
  const cut = !whole && tokens.length > MOST_TOKENS;
  const low = cut ? Math.max(draft.begin - AROUND, 0) : 0;
  const high = cut ? Math.min(draft.end + AROUND, tokens.length) : tokens.length;
  // Of plain tags every token is a mark: only those near the place are worth their room.
  const near = (mark) => !plain || (mark[1] > draft.begin - 12 && mark[0] < draft.end + 12);
  const outside = sentence.marks.filter((mark) => (mark[1] <= draft.begin || mark[0] >= draft.end) && near(mark));
  const others = sentence.disputes.filter(([number, begin, end]) => number !== dispute?.number && (end <= draft.begin || begin >= draft.end) && end > low && begin < high);
  const made = [];
  const run = (begin, end) => {
    let at = begin;
    for (const [number, first, last, state] of others) {
      if (first < at || last > end) continue;
      made.push(...pieces(tokens, at, first, outside, labels));
      const inner = pieces(tokens, first, last, outside, labels);
      made.push(el(`button.other.${state}`, { type: "button", title: state === "decided" ? "decided" : "another dispute", click: () => onDispute(number) }, ...inner), " ");
      at = last;
    }
    made.push(...pieces(tokens, at, end, outside, labels));
  };
  run(low, draft.begin);
  const inner = pieces(tokens, draft.begin, draft.end, draft.marks, labels, (mark, place) => (draft.marks.length > 1 && place === draft.at ? ".picked" : ""));
  const place = el("span.place", { id: "place" }, ...inner);
  if (draft.marks.length > 1) {
    [...place.querySelectorAll("mark")].forEach((mark, at) => mark.addEventListener("click", () => onPick(at)));
  }
  made.push(place, " ");
  run(draft.end, high);
  const rest = tokens.length - (high - low);
  return el(
    plain ? "p.text.plain" : "p.text",
    { dir: sentence.rtl ? "rtl" : "auto" },
    low > 0 ? "… " : "",
    ...made,
    high < tokens.length ? "… " : "",
    rest > 0 ? el("button.quiet", { type: "button", click: onWhole }, `show ${count(rest)} more tokens`) : "",
  );
}

// Lanes: a row for what will be saved, then one for everybody who labelled the sentence.
export function drawLanes(sentence, dispute, draft, look) {
  const { labels, head, onLane } = look;
  const { tokens } = sentence;
  const low = Math.max(draft.begin - LANE_AROUND, 0);
  const high = Math.min(draft.end + LANE_AROUND, tokens.length, low + MOST_COLUMNS);
  const heads = [];
  for (let at = low; at < high; at += 1) {
    const kind = at >= draft.begin && at < draft.end ? "th" : "th.context-token";
    heads.push(el(kind, { scope: "col" }, el("bdi", {}, shown(tokens[at].length > 30 ? `${tokens[at].slice(0, 29)}…` : tokens[at]))));
  }
  const cells = (marks, silent) => {
    const made = [];
    for (let at = low; at < high; ) {
      const mark = marks.find(([begin, end]) => begin <= at && at < end);
      const beside = at < draft.begin || at >= draft.end ? ".context-token" : "";
      if (mark) {
        const end = Math.min(mark[1], high);
        made.push(el(`td.on${beside}`, { colspan: end - at }, el(`b.${hue(labels, mark[2])}`, {}, name(mark[2]))));
        at = end;
      } else {
        made.push(el(`td${beside}`, {}, silent ? "" : "·"));
        at += 1;
      }
    }
    return made;
  };
  const rows = [el("tr.settled", {}, el("th", { scope: "row" }, ...head), ...cells([...sentence.marks.filter((mark) => mark[1] <= draft.begin || mark[0] >= draft.end), ...draft.marks].sort((a, b) => a[0] - b[0])))];
  dispute.lanes.forEach((lane, at) => {
    const key = at < 9 ? el("kbd", {}, String(at + 1)) : "";
    const sign = !lane.saw ? ["did not see", "–"] : lane.agrees === undefined ? ["", ""] : lane.agrees ? ["agrees", "✓"] : ["differs", "≠"];
    const who = el(
      "button.lane",
      { type: "button", disabled: !lane.saw, title: lane.saw ? "Take this lane (Shift: for the whole sentence)" : "did not label this place", click: (event) => onLane(lane, event.shiftKey) },
      key,
      name(lane.name),
      lane.skill == null ? "" : el("small", { title: "skill" }, lane.skill.toFixed(2)),
    );
    const mark = el(`span.sign.${sign[0].replaceAll(" ", "-") || "none"}`, { title: sign[0] }, sign[1], el("span.hidden", {}, ` ${sign[0]}`));
    rows.push(el(`tr${lane.saw ? "" : ".unseen"}`, {}, el("th", { scope: "row" }, who, mark), ...cells(lane.marks, !lane.saw)));
  });
  return el(
    "table.lanes",
    { dir: sentence.rtl ? "rtl" : null },
    el("caption.hidden", {}, "Who said what around the place"),
    el("thead", {}, el("tr", {}, el("td"), ...heads)),
    el("tbody", {}, ...rows),
  );
}
