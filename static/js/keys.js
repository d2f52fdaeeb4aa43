// Keys on the review page, for who wants them: off in fields, with a dialog that lists them and
// switches them off. A key moves or opens; the decision itself takes Enter on the focused button.
const SWITCH = "imprimatur-keys";
const fields = new Set(["INPUT", "TEXTAREA", "SELECT"]);
const help = document.querySelector("[data-keys]");
const told = document.querySelector("[data-keys-told]");
const toggle = help.querySelector("[data-keys-switch]");

const changes = () => [...document.querySelectorAll("[data-change]")].filter((row) => {
  const before = row.previousElementSibling;
  return !before?.hasAttribute("data-change");
});
const unseen = () => [...document.querySelectorAll("[data-unseen]")].filter(
  (part) => !part.checked && !part.open,
);

function tell(template, number, count) {
  told.textContent = template.replace("{n}", number).replace("{count}", count);
}

function focusOn(target) {
  for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) {
    fold.open = true;
  }
  const goal = target.tagName === "DETAILS" ? target.querySelector("summary") : target;
  if (goal.tabIndex < 0) {
    goal.tabIndex = -1;
  }
  goal.focus({ preventScroll: true });
  goal.scrollIntoView({ block: "center" });
}

// From where the focus is, so that keys and reading by hand go together; stops at both ends.
function step(all, forward, words) {
  if (all.length === 0) {
    tell(words.none);
    return;
  }
  const here = document.activeElement;
  const isHere = (part) => part === here || (part.tagName === "DETAILS" && part.contains(here));
  const at = all.findIndex(isHere);
  let next = at + (forward ? 1 : -1);
  if (at < 0) {
    const follows = (part) => here.compareDocumentPosition(part) & Node.DOCUMENT_POSITION_FOLLOWING;
    const first = here === document.body ? 0 : all.findIndex(follows);
    next = forward ? Math.max(first, 0) : (first < 0 ? all.length : first) - 1;
  }
  next = Math.min(Math.max(next, 0), all.length - 1);
  focusOn(all[next]);
  tell(words.at, next + 1, all.length);
}

function go(name) {
  document.querySelector(`[data-key="${name}"]`)?.click();
}

function aim(name) {
  const target = document.querySelector(`[data-aim="${name}"]`);
  if (target) {
    focusOn(target);
  }
}

const moves = {
  j: () => step(changes(), true, { at: told.dataset.at, none: told.dataset.none }),
  k: () => step(changes(), false, { at: told.dataset.at, none: told.dataset.none }),
  n: () => step(unseen(), true, { at: told.dataset.unseenAt, none: told.dataset.noUnseen }),
  p: () => step(unseen(), false, { at: told.dataset.unseenAt, none: told.dataset.noUnseen }),
  c: () => aim("comment"),
  a: () => aim("approve"),
  r: () => aim("request-changes"),
  x: () => aim("reject"),
  e: () => go("edit"),
  u: () => go("inbox"),
  "?": () => help.showModal(),
};

document.addEventListener("keydown", (event) => {
  const typing = fields.has(event.target.tagName) && event.target.type !== "checkbox";
  if (typing || event.ctrlKey || event.metaKey || event.altKey || help.open || !toggle.checked) {
    return;
  }
  if (/^[1-9]$/.test(event.key)) {
    document.querySelectorAll("[data-tab]")[Number(event.key) - 1]?.click();
  } else if (Object.hasOwn(moves, event.key)) {
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

// The inbox's keys lead to a button here: its address names which.
if (window.location.hash.startsWith("#do-")) {
  aim(window.location.hash.slice("#do-".length));
}
