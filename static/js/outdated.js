// Once the live banner tells that the version on this page no longer counts, the strip, the bar
// and its buttons say so too. Nothing is replaced that holds the focus or a comment.
const forms = document.querySelectorAll("[data-deciding]");

document.body.addEventListener("htmx:afterSettle", () => {
  const banner = document.querySelector("[data-outdated]");
  if (!banner) {
    return;
  }
  for (const sentence of document.querySelectorAll("[data-says]")) {
    sentence.textContent = banner.dataset.ended;
  }
  for (const button of document.querySelectorAll("[data-decides]")) {
    button.setAttribute("aria-disabled", "true");
    button.title = banner.dataset.outdated;
  }
  document.querySelector("[data-decides=approve]")?.replaceChildren(banner.dataset.outdated);
});

for (const form of forms) {
  form.addEventListener("submit", (event) => {
    const banner = document.querySelector("[data-outdated]");
    if (banner) {
      event.preventDefault();
      banner.querySelector("a").focus();
    }
  });
}
