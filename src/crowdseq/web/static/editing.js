// Drafts: the marks of a place while somebody changes them. Marks are [begin, end, label]; nothing is changed in place.

// wall: the tokens [low, high) that a mark may grow into before it meets its neighbours in the sentence.
const limits = (draft, at, wall) => [
  at > 0 ? draft.marks[at - 1][1] : wall[0],
  at + 1 < draft.marks.length ? draft.marks[at + 1][0] : wall[1],
];

const replaced = (draft, at, ...marks) => {
  const all = [...draft.marks.slice(0, at), ...marks, ...draft.marks.slice(at + 1)];
  const begin = Math.min(draft.begin, ...all.map((mark) => mark[0]));
  const end = Math.max(draft.end, ...all.map((mark) => mark[1]));
  return { ...draft, marks: all, begin, end, at: Math.min(draft.at, Math.max(all.length - 1, 0)), touched: true };
};

export const draftOf = (begin, end, marks) => ({ begin, end, marks, at: 0, touched: false });

export function moveBegin(draft, by, wall) {
  const mark = draft.marks[draft.at];
  if (!mark) return draft;
  const begin = mark[0] + by;
  if (begin < limits(draft, draft.at, wall)[0] || begin >= mark[1]) return draft;
  return replaced(draft, draft.at, [begin, mark[1], mark[2]]);
}

export function moveEnd(draft, by, wall) {
  const mark = draft.marks[draft.at];
  if (!mark) return draft;
  const end = mark[1] + by;
  if (end > limits(draft, draft.at, wall)[1] || end <= mark[0]) return draft;
  return replaced(draft, draft.at, [mark[0], end, mark[2]]);
}

export function setLabel(draft, label) {
  const mark = draft.marks[draft.at];
  const next = mark ? [mark[0], mark[1], label] : [draft.begin, draft.end, label];
  return mark ? replaced(draft, draft.at, next) : { ...draft, marks: [next], at: 0, touched: true };
}

// The first token becomes a span of its own; on the next press its neighbour, and so on.
export function split(draft) {
  const mark = draft.marks[draft.at];
  if (!mark || mark[1] - mark[0] < 2) return draft;
  const made = replaced(draft, draft.at, [mark[0], mark[0] + 1, mark[2]], [mark[0] + 1, mark[1], mark[2]]);
  return { ...made, at: draft.at + 1 };
}

export function merge(draft) {
  const [mark, next] = [draft.marks[draft.at], draft.marks[draft.at + 1]];
  if (!mark || !next) return draft;
  const marks = [...draft.marks.slice(0, draft.at), [mark[0], next[1], mark[2]], ...draft.marks.slice(draft.at + 2)];
  return { ...draft, marks, touched: true };
}

export const pick = (draft, at) => ({ ...draft, at });
export const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
