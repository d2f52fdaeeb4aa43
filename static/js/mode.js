// On the submit page the fields that the chosen kind does not use are folded away, and not sent.
const radios = [...document.querySelectorAll("[data-mode]")];
const parts = [...document.querySelectorAll("[data-only-for]")];

function show() {
  const chosen = radios.find((radio) => radio.checked)?.value;
  for (const part of parts) {
    part.hidden = !part.dataset.onlyFor.split(" ").includes(chosen);
    for (const field of part.querySelectorAll("input, textarea, select")) {
      field.disabled = part.hidden;
    }
  }
}

for (const radio of radios) {
  radio.addEventListener("change", show);
}
show();
