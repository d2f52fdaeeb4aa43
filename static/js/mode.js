// On the submit page the fields that the chosen kind does not use are folded away.
const radios = [...document.querySelectorAll("[data-mode]")];
const parts = [...document.querySelectorAll("[data-only-for]")];

function show() {
  const chosen = radios.find((radio) => radio.checked)?.value;
  for (const part of parts) {
    part.hidden = !part.dataset.onlyFor.split(" ").includes(chosen);
  }
}

for (const radio of radios) {
  radio.addEventListener("change", show);
}
show();
