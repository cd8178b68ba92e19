/** Script of the page that shows the API document: plain JavaScript for browsers, without dependencies. */
export const docsScript = String.raw`"use strict";
const [, base, named, api] = /^(.*?)(?:\/v(\d+))?\/(api|i)\/docs\/?$/.exec(location.pathname);
const element = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};
const place = (id) => document.getElementById(id);
const getJson = async (path) => {
  const response = await fetch(path);
  if (!response.ok) throw new Error(path + " was answered with " + response.status);
  return response.json();
};

/** The part of Markdown that the document uses: paragraphs, lists, blocks and words of code, bold and stressed words. */
function prose(text = "") {
  return text.split(/\n\n|\n(?=\x60\x60\x60proto)/).map((block) => {
    const code = /^\x60\x60\x60\w*\n([^]*?)\n?\x60\x60\x60$/.exec(block);
    if (code) return listing(code[1]);
    if (block.startsWith("- ")) return element("ul", {}, ...block.split(/^- /m).slice(1).map((item) => element("li", {}, ...words(item))));
    return element("p", {}, ...words(block));
  });
}
const words = (text) =>
  text.split(/(\x60[^\x60]+\x60|\*\*[^*]+\*\*|\*[^*\s][^*]*\*)/).map((part, index) =>
    index % 2 === 0 ? part
    : part.startsWith("\x60") ? element("code", {}, part.slice(1, -1))
    : part.startsWith("**") ? element("strong", {}, part.slice(2, -2)) : element("em", {}, part.slice(1, -1)));
const listing = (text) => element("pre", { tabIndex: 0 }, text);
const nameOf = (reference) => reference.replace(/.*\//, "");

/** The internal API has one document, without a version. */
const root = () => base + (api === "i" ? "/i" : "/v" + place("version").value + "/api");

let shown;
let operations = [];
let sections = [];
const byId = () => operations.find(({ id }) => id === decodeURIComponent(location.hash.slice(1)));
const resolve = (part = {}) => (part.$ref ? part.$ref.slice(2).split("/").reduce((value, key) => value[key], shown) : part);

/** A schema in one line; those with names link to the definition. */
function typeOf(schema = {}) {
  if (schema.$ref) return [element("a", { href: "#schema:" + nameOf(schema.$ref) }, nameOf(schema.$ref))];
  const forms = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (forms) return forms.flatMap((form, index) => [index ? " or " : "", ...typeOf(form)]);
  if (schema.const !== undefined || schema.enum) return [(schema.enum ?? [schema.const]).map((value) => JSON.stringify(value)).join(" or ")];
  if (schema.type === "array") return ["list of ", ...typeOf(schema.items)];
  if (schema.type === "object" && !schema.properties) return ["map to ", ...typeOf(schema.additionalProperties || {})];
  return [[schema.type ?? "anything"].flat().join(" or ") + (schema.format ? " (" + schema.format + ")" : "")];
}
function fields(schema) {
  const { properties, required = [] } = resolve(schema);
  return properties ? rows(Object.entries(properties).map(([name, field]) => [name, required.includes(name), field, field.description])) : element("p", {}, ...typeOf(schema.$ref ? resolve(schema) : schema));
}
const rows = (all) =>
  element("dl", {}, ...all.flatMap(([name, required, schema, text]) => [
    element("dt", {}, element("code", {}, name), " ", ...typeOf(schema), required ? "" : ", optional"),
    element("dd", {}, ...(text ? words(text) : [])),
  ]));

/** The credentials that an operation asks for, such as "accessToken, or oauth with read:self". */
function accessTo({ security = [] }) {
  const schemes = shown.components.securitySchemes ?? {};
  const oneOf = (needed) =>
    Object.entries(needed).map(([name, scopes]) => element("span", { title: schemes[name]?.description ?? "" }, element("code", {}, name), scopes.length ? " with " : "", ...scopes.map((scope) => element("code", {}, scope))));
  if (!security.length) return [];
  return [element("p", {}, "Access: ", ...security.flatMap((needed, index) => [index ? ", or " : "", ...oneOf(needed).flatMap((one, place) => [place ? " and " : "", one])]))];
}

/** Details of an answer that has more than an error; closed, because they can be long. */
const exampleOf = (status, schema) =>
  status >= "300" || resolve(schema).type === undefined && !resolve(schema).allOf ? []
  : [element("details", {}, element("summary", {}, "Example"), listing(JSON.stringify(sample(schema), null, 2)))];

function showOperation({ id, method, path, operation }) {
  const body = Object.entries(operation.requestBody?.content ?? {});
  const example = body.map(([, { schema }]) => (resolve(schema).examples ?? schema.examples)?.[0]).find((one) => one !== undefined);
  return [
    element("h1", {}, operation.summary ?? id),
    element("p", {}, element("code", {}, method.toUpperCase() + " " + path), " ", element("code", {}, id)),
    ...prose(operation.description),
    ...accessTo(operation),
    ...(operation.parameters ? [element("h2", {}, "Parameters"), rows(operation.parameters.map((one) => [one.name + " (" + one.in + ")", one.required, one.schema, one.description]))] : []),
    ...body.flatMap(([type, { schema }]) => [element("h2", {}, "Body: " + type), ...prose(schema.description ?? resolve(schema).description), fields(schema)]),
    ...(example !== undefined ? [element("h2", {}, "Example"), listing(typeof example === "string" ? example : JSON.stringify(example, null, 2))] : []),
    element("h2", {}, "Answers"),
    ...Object.entries(operation.responses).flatMap(([status, answer]) => {
      const { description, content = {} } = resolve(answer);
      const types = [...new Map(Object.values(content).map(({ schema }) => [JSON.stringify(schema), schema])).values()];
      return [element("h3", {}, status), ...prose(description), ...types.flatMap((schema) => [element("p", {}, ...typeOf(schema)), ...exampleOf(status, schema)])];
    }),
    ...(method === "event" ? [] : api === "i" ? [element("h2", {}, "Call it"), listing(callOf(id, operation, body))] : [element("p", {}, element("a", { href: tryAddress(id, operation) }, "Try it out"))]),
  ];
}
/** The page that sends requests opens at the operation in its fragment. */
const tryAddress = (id, { tags = ["default"] }) => root() + "/docs/try.html#/" + [tags[0], id].map(encodeURIComponent).join("/");

/** An example of an answer, made from the schemas, with this server's domain. */
function sample(schema = {}, name = "", depth = 0) {
  const { examples, anyOf, oneOf, allOf, ...found } = resolve(schema);
  if (examples) return examples[0];
  if (allOf) return Object.assign({}, ...allOf.map((part) => sample(part, name, depth)));
  const forms = anyOf ?? oneOf;
  if (forms) return sample(forms.find(({ type }) => type !== "null"), name, depth);
  if (found.const !== undefined || found.enum) return found.const ?? found.enum[0];
  const type = [found.type].flat()[0];
  if (type === "array") return depth > 5 || !found.items ? [] : [sample(found.items, name, depth + 1)];
  if (type === "object") return Object.fromEntries(depth > 5 ? [] : Object.entries(found.properties ?? {}).map(([key, field]) => [key, sample(field, key, depth + 1)]));
  if (type === "integer" || type === "number") return Math.max(found.minimum ?? 1, 1);
  if (type === "boolean") return true;
  if (type !== "string") return null;
  if (/domain/.test(name)) return domain;
  return samples[found.format] ?? (/email/.test(name) ? samples.email : /name/.test(name) ? "Ada" : "…");
}
const samples = { uuid: "99db9768-04e3-4b5d-9268-831b6a25c4ab", "date-time": "2026-11-29T12:00:00.000Z", email: "ada@example.com", uri: "https://example.com" };
let domain = location.hostname;

/** No page may call the internal API: the command signs with the operator's credentials. */
function callOf(id, { parameters = [] }, body) {
  const fields = body.flatMap(([, { schema }]) => resolve(schema).required ?? []);
  const names = [...parameters.filter((one) => one.required).map((one) => one.name), ...fields];
  return ["npm run admin -- call", id, ...names.map((name) => name + "=…")].join(" ");
}
function showSchema(name) {
  const schema = shown.components.schemas[name];
  return schema && [element("h1", {}, name), ...prose(schema.description), fields(schema)];
}
function showGuide() {
  return [element("h1", {}, shown.info.title), ...prose(shown.info.description), ...shown.tags.flatMap(({ name, description }) => [element("h2", {}, name), ...prose(description)])];
}
function show() {
  const found = byId();
  const name = /^#schema:(.+)/.exec(location.hash)?.[1];
  place("reading").replaceChildren(...((found && showOperation(found)) || (name && showSchema(decodeURIComponent(name))) || showGuide()));
  for (const link of place("found").querySelectorAll("a")) link.ariaCurrent = link.hash === location.hash ? "page" : null;
}

/** Lists everything with all the typed words: operations first, then sections of guides by title. */
function search() {
  const typed = place("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const have = (text) => typed.every((word) => text.includes(word));
  const rank = ({ near, far, bonus }) => (have(near) ? 3 : have(far) ? 1 : 0) + bonus;
  const all = typed.length ? [...operations, ...sections] : operations;
  const found = all.map((one) => [rank(one), one]).filter(([score]) => score >= 1).sort(([one], [other]) => (typed.length ? other - one : 0));
  if (place("guides")) place("guides").hidden = typed.length > 0;
  if (typed.length > 0) place("operations").open = true;
  place("count").textContent = found.length + " of " + all.length;
  place("found").replaceChildren(...found.flatMap(([, { href, kind, title, group }], index) => [
    ...(!typed.length && group !== found[index - 1]?.[1].group ? [element("li", { className: "group" }, group)] : []),
    element("li", {}, element("a", { href }, element("span", { className: "method" }, kind), element("span", {}, " " + title))),
  ]));
  show();
}

function toEntry({ id, method, path, operation }) {
  const title = operation.summary ?? id;
  const near = (id + " " + title).toLowerCase();
  const far = near + " " + path.toLowerCase() + " " + (operation.description ?? "").toLowerCase();
  const group = method === "event" ? "Types of events" : operation.tags?.[0];
  return { id, method, path, operation, href: "#" + encodeURIComponent(id), kind: method.toUpperCase(), title, group, near, far, bonus: 0.5 };
}

async function load() {
  shown = await getJson(root() + "/openapi.json");
  operations = [
    ...Object.entries(shown.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ id: operation.operationId, method, path, operation }))),
    ...Object.entries(shown.webhooks ?? {}).map(([path, { post }]) => ({ id: path, method: "event", path, operation: post })),
  ].map(toEntry);
  search();
}

async function loadGuides() {
  const { guides } = await getJson(root() + "/docs/guides");
  sections = guides.flatMap(({ name, title: guide, sections }) => sections.map(({ anchor, title, text }) => {
    const near = (guide + " " + title).toLowerCase();
    const full = title === guide ? guide : guide + ": " + title;
    return { href: "docs/guides/" + name + "#" + anchor, kind: "GUIDE", title: full, near, far: near + " " + text.toLowerCase(), bonus: 0 };
  }));
  search();
}

async function listVersions() {
  const { supported, development, domain: own } = await getJson(base + "/api-version");
  domain = own;
  const stable = supported.filter((version) => !development.includes(version));
  const all = [...new Set([...supported, ...development])].sort((one, other) => other - one);
  const chosen = Number(named ?? Math.max(...(stable.length ? stable : all)));
  for (const version of all) {
    const text = "Version " + version + (development.includes(version) ? ", in development" : "");
    place("version").append(new Option(text, version, version === chosen, version === chosen));
  }
}

async function start() {
  place("search").value = new URLSearchParams(location.search).get("search") ?? "";
  if (place("version")) await listVersions();
  await load();
  if (place("guides")) await loadGuides();
}
place("version")?.addEventListener("change", load);
place("search").addEventListener("input", search);
addEventListener("hashchange", () => {
  show();
  if (matchMedia("(min-width: 60rem)").matches) scrollTo(0, 0);
  else place("reading").scrollIntoView();
});
// On a phone, the list would come before everything that explains it.
place("operations").open = matchMedia("(min-width: 60rem)").matches;
start().catch((error) => place("reading").replaceChildren(element("p", { role: "alert" }, error.message)));
`;

/** Script of a guide's page: without it, the page lacks nothing but the buttons that copy code. */
export const guideScript = `"use strict";
for (const code of document.querySelectorAll("main pre")) {
  const frame = document.createElement("div");
  frame.className = "code";
  code.replaceWith(frame);
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Copy" });
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code);
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  frame.append(code, button);
}
`;

export const docsStyle = `
:root { color-scheme: light dark; background: light-dark(#fff, #1b1b1b); color: light-dark(#1b1b1b, #eee); font: 1rem/1.5 system-ui, sans-serif; }
body { background: light-dark(#fff, #1b1b1b); margin: 0 auto; max-width: 80rem; padding: 1rem; box-sizing: border-box; overflow-wrap: anywhere; }
a { color: light-dark(#0b57a4, #8cc4ff); }
a[aria-current] { font-weight: bold; }
header { display: flex; flex-wrap: wrap; gap: 0.5rem 1.5rem; align-items: baseline; padding-bottom: 0.75rem; border-bottom: 1px solid light-dark(#ccc, #555); }
label { display: block; }
summary { cursor: pointer; }
input, select { font: inherit; padding: 0.3rem; max-width: 100%; box-sizing: border-box; }
nav h2 { font-size: 1rem; margin: 1rem 0 0; }
nav ul { list-style: none; margin: 0.5rem 0; padding: 0; }
nav li { padding: 0.2rem 0; }
.guides ul { display: flex; flex-wrap: wrap; column-gap: 1rem; }
#operations > summary { font-weight: bold; margin-top: 1rem; }
#found { max-height: 40vh; overflow: auto; }
.code { position: relative; }
.code pre { padding-right: 4.5rem; }
.code button { position: absolute; top: 0.3rem; right: 0.3rem; font: 0.85rem system-ui, sans-serif; padding: 0.2rem 0.5rem; cursor: pointer; }
#found a { display: grid; grid-template-columns: 4.5rem minmax(0, 1fr); text-decoration: none; }
#found a:hover { text-decoration: underline; }
.group { font-weight: bold; padding-top: 0.8rem; }
.method { font: 0.8rem/1.875 monospace; }
pre, code { background: light-dark(#f1f1f1, #2b2b2b); }
pre { padding: 0.5rem; overflow: auto; overflow-wrap: normal; }
dd { margin-left: 1.5rem; }
.wide { overflow: auto; overflow-wrap: normal; }
table { border-collapse: collapse; }
th, td { border: 1px solid light-dark(#bbb, #555); padding: 0.3rem 0.5rem; text-align: left; vertical-align: top; min-width: 5rem; }
@media (min-width: 60rem) {
  .columns { display: grid; grid-template-columns: 22rem minmax(0, 1fr); gap: 2rem; align-items: start; }
  nav { position: sticky; top: 0; max-height: 100vh; display: flex; flex-direction: column; }
  .guides { flex: none; }
  .guides ul { display: block; }
  #operations { flex: auto; min-height: 12rem; overflow: auto; }
  #found { max-height: none; min-height: 10rem; }
}
`;
