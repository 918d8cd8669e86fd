// Rules for the guideline: written here, kept in the log, and in guideline.md.
import { byId, isTyping, notice, wired } from "./elements.js";
import { save } from "./saving.js";

const box = byId("rule");
const form = box.querySelector("form");
let about = {};

for (const button of document.querySelectorAll("[data-rule]")) {
  button.addEventListener("click", () => {
    const { title, first, second, mention, disputes } = button.dataset;
    about = { first: first ?? "", second: second ?? "", disputes: disputes.split(",").filter(Boolean).map(Number) };
    if (mention !== undefined) about.mention = Number(mention);
    byId("about").textContent = title;
    form.elements.text.value = "";
    if (first) form.elements.label.value = first;
    byId("examples-note").textContent = "Examples from this run go with it.";
    box.showModal();
    form.elements.label.focus();
  });
}
box.querySelector("[data-close]").addEventListener("click", () => box.close());
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const given = new FormData(form);
  try {
    await save("/api/guideline", () => ({ ...about, label: given.get("label"), text: given.get("text") }));
    // The preview: every open place that the rule is about, as the rule has it.
    const { first, second, mention } = about;
    const places = mention === undefined ? { first, second: second || "–" } : { mention };
    if (event.submitter?.value === "settle") location.assign(`/mentions?${new URLSearchParams({ ...places, as: given.get("label") })}`);
    else location.reload();
  } catch (error) {
    box.close();
    notice(error.message);
  }
});
for (const button of document.querySelectorAll("[data-undo]")) {
  button.addEventListener("click", () =>
    save("/api/undo", () => ({ what: button.dataset.undo })).then(
      () => location.reload(),
      (error) => notice(error.message),
    ),
  );
}
document.addEventListener("keydown", (event) => {
  if (event.key === "u" && !isTyping(event) && !event.ctrlKey && !event.metaKey) {
    save("/api/undo", () => ({})).then(
      () => location.reload(),
      (error) => notice(error.message),
    );
  }
});
wired(byId("main"));
