// Copies the text named by data-copy, and says so for a moment. The text is selectable anyway.
for (const button of document.querySelectorAll("[data-copy]")) {
  if (!navigator.clipboard) {
    continue;
  }
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    const said = button.querySelector("[data-said]");
    const before = said.textContent;
    said.textContent = button.dataset.copied;
    setTimeout(() => { said.textContent = before; }, 1500);
  });
}
