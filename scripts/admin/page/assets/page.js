const menu = document.getElementById("menu");
const filter = document.getElementById("filter");
const count = document.getElementById("filter-count");
const details = menu.querySelector("details");
const wasOpen = details.open;

/** Show the commands and operations whose name or summary contains all words of the filter. */
function applyFilter() {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const section of menu.querySelectorAll("section")) {
    let shown = 0;
    for (const entry of section.querySelectorAll("li")) {
      const text = `${entry.textContent} ${entry.dataset.summary}`.toLowerCase();
      entry.hidden = !words.every((word) => text.includes(word));
      if (!entry.hidden) shown += 1;
    }
    section.hidden = shown === 0;
    found += shown;
  }
  details.open = words.length > 0 || wasOpen;
  count.textContent = words.length > 0 ? `${found} found` : "";
}

filter.closest(".field").hidden = false;
filter.addEventListener("input", applyFilter);

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = "Copied";
  });
}

// A second click must not run it twice.
for (const form of document.querySelectorAll("main form")) {
  form.addEventListener("submit", () => {
    form.querySelector("button").disabled = true;
  });
}
addEventListener("pageshow", () => {
  for (const button of document.querySelectorAll("main form button")) button.disabled = false;
});
