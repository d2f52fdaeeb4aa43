// What is beside the text begins folded on a narrow screen; without this script all of it is open.
const narrow = window.matchMedia("(max-width: 40rem)");

function fit() {
  for (const fold of document.querySelectorAll("[data-narrow]")) {
    fold.open = !narrow.matches;
  }
}

narrow.addEventListener("change", fit);
fit();
