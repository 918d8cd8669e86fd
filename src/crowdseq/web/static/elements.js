// Elements made out of text and nothing but text, and texts as a person can see them.

const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

// Control and direction-changing characters are spelt out; joiners, which Persian, Hindi and emoji need, stay.
export const shown = (text) =>
  String(text).replace(HIDDEN, (one) =>
    one === "\u200c" || one === "\u200d" ? one : `\\x${one.codePointAt(0).toString(16).padStart(2, "0")}`,
  );

// el("p.note", { title: "x" }, "text", child): a name with classes, attributes, children.
export function el(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const made = document.createElement(tag);
  if (classes.length) made.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (value == null || value === false) continue;
    if (key === "click") made.addEventListener("click", value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child != null && child !== false));
  return made;
}

export const name = (text) => el("bdi", {}, shown(text));
export const percent = (share) => (share == null ? "–" : `${Math.round(100 * share)}\u00a0%`);
export const count = (number) => number.toLocaleString("en");
export const plural = (number, word) => `${count(number)} ${word}${number === 1 ? "" : "s"}`;
export const byId = (id) => document.getElementById(id);
export const hue = (labels, label) => {
  const place = labels.indexOf(label);
  return place < 0 ? "outside" : `k${place % 8}`;
};

// Controls are drawn disabled until their script listens, so that no click is lost: here they are let go.
export function wired(region) {
  for (const one of region.querySelectorAll("[data-waits]")) {
    one.disabled = false;
    one.removeAttribute("data-waits");
  }
  if (region.hasAttribute("aria-busy")) region.setAttribute("aria-busy", "false");
}

export function notice(text, kind = "warning") {
  const box = byId("notice");
  box.className = kind;
  box.replaceChildren(shown(text), " ", el("button.quiet", { type: "button", click: () => (box.hidden = true) }, "close"));
  box.hidden = false;
}

// Whether a key is meant for a field or a dialog and not for the page.
export function isTyping(event) {
  const target = event.target;
  return (
    target instanceof Element &&
    (target.matches("input:not([type=checkbox]), textarea, select, [contenteditable]") || document.querySelector("dialog[open]") !== null)
  );
}
