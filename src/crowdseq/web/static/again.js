// Learning again: start it, watch it, look at what changed, go on with the new run.
import { get, post } from "./asking.js";
import { byId, count, el, name, notice, plural, wired } from "./elements.js";

const box = byId("learning").dataset;
const SECONDS = 0.7;
const pause = () => new Promise((done) => setTimeout(done, SECONDS * 1000));

async function watch() {
  byId("start").disabled = true;
  byId("bar").hidden = false;
  for (;;) {
    const status = await get("/api/again").catch(() => null);
    if (status) {
      byId("stage").textContent = status.total > 1 ? `${status.stage}: ${count(status.done)} of ${count(status.total)}` : status.stage;
      byId("bar").max = Math.max(status.total, 1);
      if (status.total > 1) byId("bar").value = status.done;
      else byId("bar").removeAttribute("value");
      if (!status.is_running) {
        ended(status);
        return;
      }
    }
    await pause();
  }
}

function ended(status) {
  byId("bar").hidden = true;
  byId("start").disabled = false;
  if (status.problem) {
    byId("stage").textContent = "";
    notice(status.problem);
    return;
  }
  if (!status.folder) return;
  byId("stage").textContent = `Done: ${status.note}.`;
  byId("outcome").hidden = false;
  byId("outcome-words").textContent = status.found.places
    ? `${plural(status.found.places, "place")} elsewhere have another label than before. The new run is ${status.folder}.`
    : `Nothing changed elsewhere than at the decided places. The new run is ${status.folder}.`;
  byId("changed").replaceChildren(
    ...status.found.mentions.map((one) =>
      el(
        "tr",
        {},
        el("th", { scope: "row" }, name(one.words.join(" ").slice(0, 80))),
        el("td", {}, name(one.before ?? "nothing")),
        el("td", {}, name(one.after ?? "nothing")),
        el("td.number", {}, count(one.places)),
        el("td", {}, one.why),
      ),
    ),
  );
  byId("outcome").querySelector(".wide").hidden = !status.found.mentions.length;
}

byId("start").addEventListener("click", async () => {
  try {
    await post("/api/again/start", {});
    await watch();
  } catch (error) {
    notice(error.message);
  }
});
byId("open").addEventListener("click", async () => {
  try {
    await post("/api/again/open", {});
    location.assign("/again");
  } catch (error) {
    notice(error.message);
  }
});
wired(byId("main"));
if (box.running === "yes" || box.ended === "yes") watch();
