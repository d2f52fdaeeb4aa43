// Keeps what was typed into a field with data-keep until the form was accepted, through a lost
// session, a closed tab or a refusal. A field that the server filled in itself is left alone.
const ALL = "imprimatur:";
// What one person typed is nobody else's who logs in at the same browser.
const PREFIX = `${ALL}${document.body.dataset.reader}:`;
const storage = window.localStorage;

for (const field of document.querySelectorAll("[data-keep]")) {
  const key = PREFIX + field.dataset.keep;
  const kept = storage.getItem(key);
  if (kept !== null && field.value === field.defaultValue && kept !== field.value) {
    if (field.defaultValue === "") {
      field.value = kept;
      field.closest("details")?.setAttribute("open", "");
    }
  }
  field.addEventListener("input", () => {
    try {
      storage.setItem(key, field.value);
    } catch {
      // It is more than the browser keeps. An older state of it would only mislead.
      storage.removeItem(key);
    }
  });
}

// A page that says so has taken the text: it need not be kept any longer.
for (const done of document.querySelectorAll("[data-forget]")) {
  storage.removeItem(PREFIX + done.dataset.forget);
}

// Nobody else at this machine finds it: leaving takes all of it away.
for (const form of document.querySelectorAll("form[data-leave]")) {
  form.addEventListener("submit", () => {
    for (const key of Object.keys(storage)) {
      if (key.startsWith(ALL)) {
        storage.removeItem(key);
      }
    }
  });
}
