// Decisions on their way to the disk: one after the other, each sent until it is answered, none twice.
import { post, Refusal } from "./asking.js";
import { tellSaving } from "./page.js";

const waiting = [];
let busy = false;
const PAUSE = 1500;
const pause = (time) => new Promise((done) => setTimeout(done, time));

export const newId = () => crypto.randomUUID?.() ?? [...crypto.getRandomValues(new Uint8Array(16))].map((one) => one.toString(16).padStart(2, "0")).join("");

// make: called when its turn comes, so that it can name the version that the one before has left.
export function save(path, make) {
  return new Promise((resolve, reject) => {
    waiting.push({ path, make, id: newId(), resolve, reject });
    run();
  });
}

async function run() {
  if (busy) return;
  busy = true;
  while (waiting.length) {
    tellSaving("busy", waiting.length > 1 ? `saving ${waiting.length} …` : "saving …");
    const one = waiting[0];
    try {
      one.resolve(await sent(one));
      await null; // whoever waited notes the new version before the next one is made
      tellSaving("saved", "saved ✓");
    } catch (error) {
      tellSaving(error.status === 409 ? "idle" : "failed", error.status === 409 ? "changed by others" : "not saved");
      one.reject(error);
    }
    waiting.shift();
  }
  busy = false;
}

// A lost answer is asked for again under the same id: the server logs a decision once.
async function sent(one) {
  const body = { ...one.make(), id: one.id };
  for (let tries = 0; ; tries += 1) {
    try {
      return await post(one.path, body);
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 0 || tries >= 2) throw error;
      await pause(PAUSE);
    }
  }
}

// When all that was asked for is answered.
export async function idle() {
  while (waiting.length) await pause(20);
}

export const isSaving = () => waiting.length > 0;
addEventListener("beforeunload", (event) => {
  if (isSaving()) event.preventDefault();
});
