// What is beside the text begins folded on a narrow screen; without this script all of it is open.
const narrow = window.matchMedia("(max-width: 40rem)");

// Turning a phone must not hide what somebody is typing, or where they are.
function isInUse(fold) {
  const texts = [...fold.querySelectorAll("textarea")];
  return fold.contains(document.activeElement) || texts.some((text) => text.value.trim());
}

function fit() {
  for (const fold of document.querySelectorAll("[data-narrow]")) {
    if (!narrow.matches || !isInUse(fold)) {
      fold.open = !narrow.matches;
    }
  }
}

narrow.addEventListener("change", fit);
fit();
