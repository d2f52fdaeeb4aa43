// On the conflict page the text area or the path shows once its choice is made.
function show(group) {
  for (const part of group.querySelectorAll("[data-needs]")) {
    const radio = group.querySelector(`input[data-gives="${part.dataset.needs}"]`);
    part.hidden = !radio?.checked;
  }
}

for (const group of document.querySelectorAll("[data-choices]")) {
  group.addEventListener("change", () => show(group));
  show(group);
}
