// Runs in the browser: finds accessibility barriers of the page. Every page must have none.
(() => {
  const barriers = [];
  const all = (selector) => [...document.querySelectorAll(selector)];
  if (document.documentElement.lang === "") barriers.push("no language");
  if (document.title === "") barriers.push("no title");
  if (all("h1").length !== 1) barriers.push(`${all("h1").length} main headings`);
  if (all("main").length !== 1) barriers.push("no main landmark");
  if (document.documentElement.scrollWidth > window.innerWidth) barriers.push("scrolls sideways");
  for (const input of all("input:not([type=hidden], [hidden])")) {
    if (!input.labels[0]?.textContent) barriers.push(`${input.name} has no label`);
  }
  for (const element of all("[aria-describedby], [aria-labelledby]")) {
    const ids = element.getAttribute("aria-describedby") ?? element.getAttribute("aria-labelledby");
    for (const id of ids.split(" "))
      if (document.getElementById(id) === null) barriers.push(`nothing is called ${id}`);
  }
  for (const element of all("body *")) {
    const hasText = [...element.childNodes].some(
      ({ nodeType, nodeValue }) => nodeType === 3 && nodeValue.trim(),
    );
    if (!hasText && element.tagName !== "INPUT") continue;
    const contrast = contrastOf(getComputedStyle(element).color, backgroundOf(element));
    if (contrast < 4.5) barriers.push(`${element.tagName} ${element.textContent}: contrast ${contrast}`);
  }
  return barriers;

  /** WCAG 2.2, "contrast ratio". */
  function contrastOf(...colours) {
    const [darker, lighter] = colours.map(luminance).sort((one, other) => one - other);
    return (lighter + 0.05) / (darker + 0.05);
  }

  function luminance(colour) {
    const [red, green, blue] = channels(colour).map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }

  function backgroundOf(element) {
    if (element === null) return "rgb(255, 255, 255)";
    const colour = getComputedStyle(element).backgroundColor;
    return channels(colour)[3] === 0 ? backgroundOf(element.parentElement) : colour;
  }

  function channels(colour) {
    return colour.match(/[\d.]+/g).map(Number);
  }
})();
