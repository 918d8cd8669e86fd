// What every page has: who is here, the mark that says "saved", blind mode, the list of keys.
import { get, post } from "./asking.js";
import { byId, el, isTyping, name, notice, wired } from "./elements.js";

const saved = byId("saved");

export function tellSaving(state, text) {
  saved.dataset.state = state;
  saved.textContent = text;
}

export const isBlind = () => byId("blind").getAttribute("aria-pressed") === "true";

byId("blind").addEventListener("click", async (event) => {
  if (event.detail) byId("blind").blur(); // after a click with the mouse Enter is for the page again
  const wanted = !isBlind();
  await post("/api/blind", { blind: wanted }).catch((error) => notice(error.message));
  byId("blind").setAttribute("aria-pressed", String(wanted));
  document.dispatchEvent(new CustomEvent("blind"));
});

const open = (id) => byId(id).showModal();
byId("help").addEventListener("click", () => open("keys"));
byId("who").addEventListener("click", () => open("person"));
document.addEventListener("keydown", (event) => {
  if (event.key === "?" && !isTyping(event)) {
    event.preventDefault();
    open("keys");
  }
});

const onSubmit = (id, act) =>
  byId(id).addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await act(new FormData(event.target).get("name"));
    } catch (error) {
      byId(id).querySelector("input").setCustomValidity(error.message);
      byId(id).reportValidity();
      byId(id).querySelector("input").setCustomValidity("");
    }
  });
onSubmit("rename", async (wanted) => {
  const answer = await post("/api/name", { name: wanted });
  byId("who").replaceChildren(name(answer.name));
  byId("person").close();
});
onSubmit("invite", async (wanted) => {
  const answer = await post("/api/invite", { name: wanted });
  byId("link").hidden = false;
  byId("link").querySelector("code").textContent = answer.link;
});

wired(document.querySelector("header.top"));

// On a phone the names of the pages are wider than the screen: the one that is open is shown.
const here = document.querySelector(".top nav [aria-current]");
if (here) here.parentElement.scrollLeft = here.offsetLeft - (here.parentElement.clientWidth - here.offsetWidth) / 2;

// Every few seconds: what others did meanwhile. Pages that show sentences listen to it.
const SECONDS = 5;
let last = null;
async function pulse() {
  if (document.hidden) return;
  try {
    const answer = await get("/api/pulse", { after: last });
    byId("others").replaceChildren(...(answer.others.length ? answer.others.flatMap((one, at) => [at ? ", " : "", name(one)]) : ["only you"]));
    if (last !== null && answer.changed.length) document.dispatchEvent(new CustomEvent("changed", { detail: answer }));
    last = answer.last;
    if (saved.dataset.state === "away") tellSaving("idle", "all saved");
  } catch (error) {
    tellSaving("away", error.status === 401 ? "session ended" : "no connection");
    if (error.status === 401) notice("Your session has ended. Open the link that the terminal shows; everything you decided is saved.");
  }
}
pulse();
setInterval(pulse, SECONDS * 1000);

// Tables whose heads are buttons can be sorted.
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  const key = (row, column) => {
    const cell = row.cells[column];
    const number = Number.parseFloat(cell.dataset.value ?? cell.textContent.replace(/[,\u00a0%]/g, ""));
    return Number.isNaN(number) ? cell.textContent.toLowerCase() : number;
  };
  heads.forEach((head, column) => {
    const button = el("button", { type: "button" }, head.textContent);
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") !== "descending";
      for (const one of heads) one.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...table.tBodies[0].rows].sort((a, b) => {
        const [x, y] = [key(a, column), key(b, column)];
        const order = typeof x === typeof y ? (x < y ? -1 : x > y ? 1 : 0) : typeof x === "number" ? 1 : -1;
        return down ? -order : order;
      });
      table.tBodies[0].append(...rows);
    });
  });
}
