// Undo and redo of any entry of the log.
import { byId, notice, wired } from "./elements.js";
import { save } from "./saving.js";

for (const button of document.querySelectorAll("[data-turn]")) {
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      await save(`/api/${button.dataset.turn}`, () => ({ what: button.dataset.what }));
      location.reload();
    } catch (error) {
      notice(error.message);
      button.disabled = false;
    }
  });
}
wired(byId("main"));
