// Takes the one-time secret after # out of the address, or a password, and asks for a session.
import { post } from "./asking.js";
import { wired } from "./elements.js";

const told = document.getElementById("told");
const form = document.getElementById("enter");

async function enter(what) {
  try {
    await post("/enter", what);
    location.replace("/");
  } catch (error) {
    told.textContent = `${error.message}.`;
    told.className = "warning";
  }
}

const token = location.hash.slice(1);
history.replaceState(null, "", "/start");
if (token) {
  enter({ token });
} else if (form) {
  told.textContent = "Say who you are: every decision carries the name of its reviewer.";
} else {
  told.textContent = "Open the link that the terminal shows. It works once; whoever is inside can make another one.";
}
form?.addEventListener("submit", (event) => {
  event.preventDefault();
  const given = new FormData(form);
  enter({ name: given.get("name"), password: given.get("password") });
});
if (form) wired(form);
