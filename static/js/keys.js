// Keys on the review page, off in fields: c comments, u leads to the inbox, 1 to 4 choose a tab.
// No single key decides anything.
const fields = new Set(["INPUT", "TEXTAREA", "SELECT"]);
const tabs = [...document.querySelectorAll("[data-tab]")];

document.addEventListener("keydown", (event) => {
  const typing = fields.has(event.target.tagName) || event.target.isContentEditable;
  if (typing || event.ctrlKey || event.metaKey || event.altKey) {
    return;
  }
  if (event.key === "c") {
    const comment = document.querySelector("[data-comment]");
    comment?.closest("details")?.setAttribute("open", "");
    comment?.focus();
    event.preventDefault();
  } else if (event.key === "u") {
    document.querySelector("[data-inbox]")?.click();
  } else if (/^[1-9]$/.test(event.key)) {
    tabs[Number(event.key) - 1]?.click();
  }
});
