// Keys of the inbox, for who wants them: off in fields, with a dialog that lists them and switches
// them off. A key moves or opens; it leads to a decision's button and never presses it.
const SWITCH = "imprimatur-keys";
const fields = new Set(["INPUT", "TEXTAREA", "SELECT"]);
const help = document.querySelector("[data-keys]");
const told = document.querySelector("[data-keys-told]");
const toggle = help.querySelector("[data-keys-switch]");

const rows = () => [...document.querySelectorAll("[data-row]")];
const here = () => document.activeElement.closest(".list__item")?.querySelector("[data-row]");

function step(forward) {
  const all = rows();
  if (all.length === 0) {
    told.textContent = told.dataset.none;
    return;
  }
  const at = all.indexOf(here());
  const next = at < 0 ? 0 : Math.min(Math.max(at + (forward ? 1 : -1), 0), all.length - 1);
  all[next].focus({ preventScroll: true });
  all[next].closest(".list__item").scrollIntoView({ block: "nearest" });
  told.textContent = told.dataset.at.replace("{n}", next + 1).replace("{count}", all.length);
}

// Only an approval has these buttons; what else waits is opened as it is.
function open(part) {
  const row = here();
  if (!row) {
    told.textContent = told.dataset.nowhere;
  } else if (part === "edit") {
    window.location.assign(row.dataset.edit);
  } else {
    const goal = part && row.dataset.row === "approval" ? `#do-${part}` : "";
    window.location.assign(row.getAttribute("href") + goal);
  }
}

function search() {
  const filters = document.querySelector("[data-filters]");
  if (filters) {
    filters.open = true;
    filters.querySelector("[data-search]").focus();
  }
}

const moves = {
  j: () => step(true),
  k: () => step(false),
  o: () => open(""),
  a: () => open("approve"),
  r: () => open("request-changes"),
  c: () => open("comment"),
  e: () => open("edit"),
  "/": search,
  "?": () => help.showModal(),
};

document.addEventListener("keydown", (event) => {
  const typing = fields.has(event.target.tagName) && event.target.type !== "checkbox";
  if (typing || event.ctrlKey || event.metaKey || event.altKey || help.open || !toggle.checked) {
    return;
  }
  if (Object.hasOwn(moves, event.key)) {
    event.preventDefault();
    moves[event.key]();
  }
});

toggle.checked = window.localStorage.getItem(SWITCH) !== "off";
toggle.addEventListener("change", () => {
  window.localStorage.setItem(SWITCH, toggle.checked ? "on" : "off");
});
for (const button of document.querySelectorAll("[data-keys-open]")) {
  button.hidden = false;
  button.addEventListener("click", () => help.showModal());
}
