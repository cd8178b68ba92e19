/** Script of the page that shows the API document: plain JavaScript for browsers, without dependencies. */
export const docsScript = String.raw`"use strict";
const [, base, named] = /^(.*?)(?:\/v(\d+))?\/api\/docs\/?$/.exec(location.pathname);
const isInternal = new URLSearchParams(location.search).has("internal");
const element = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};
const place = (id) => document.getElementById(id);
const getJson = async (path) => {
  const response = await fetch(base + path);
  if (!response.ok) throw new Error(path + " was answered with " + response.status);
  return response.json();
};

/** The part of Markdown that the document uses: paragraphs, lists, blocks and words of code, emphasised words. */
function prose(text = "") {
  return text.split(/\n\n|\n(?=\x60\x60\x60proto)/).map((block) => {
    const code = /^\x60\x60\x60\w*\n([^]*?)\n?\x60\x60\x60$/.exec(block);
    if (code) return listing(code[1]);
    if (block.startsWith("- ")) return element("ul", {}, ...block.split(/^- /m).slice(1).map((item) => element("li", {}, ...words(item))));
    return element("p", {}, ...words(block));
  });
}
const words = (text) =>
  text.split(/(\x60[^\x60]+\x60|\*\*[^*]+\*\*|\*\w+\*)/).map((part) =>
    part.startsWith("\x60") ? element("code", {}, part.slice(1, -1))
    : part.startsWith("**") ? element("strong", {}, part.slice(2, -2))
    : /^\*\w/.test(part) ? element("em", {}, part.slice(1, -1)) : part);
const listing = (text) => element("pre", { tabIndex: 0 }, text);
const nameOf = (reference) => reference.replace(/.*\//, "");

let api;
let operations = [];
const byId = () => operations.find(({ id }) => id === decodeURIComponent(location.hash.slice(1)));
const resolve = (part = {}) => (part.$ref ? part.$ref.slice(2).split("/").reduce((value, key) => value[key], api) : part);

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

/** What an operation asks for, such as "accessToken, or oauth with read:self". */
function accessTo({ security = [] }) {
  const schemes = api.components.securitySchemes ?? {};
  const oneOf = (needed) =>
    Object.entries(needed).map(([name, scopes]) => element("span", { title: schemes[name]?.description ?? "" }, element("code", {}, name), scopes.length ? " with " : "", ...scopes.map((scope) => element("code", {}, scope))));
  if (!security.length) return [];
  return [element("p", {}, "Access: ", ...security.flatMap((needed, index) => [index ? ", or " : "", ...oneOf(needed).flatMap((one, place) => [place ? " and " : "", one])]))];
}

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
      return [element("h3", {}, status), ...prose(description), ...types.map((schema) => element("p", {}, ...typeOf(schema)))];
    }),
    ...(method === "event" || isInternal ? [] : [element("p", {}, element("a", { href: base + "/v" + place("version").value + "/api/docs/try.html" }, "Try it out"))]),
  ];
}
function showSchema(name) {
  const schema = api.components.schemas[name];
  return schema && [element("h1", {}, name), ...prose(schema.description), fields(schema)];
}
function showGuide() {
  return [element("h1", {}, api.info.title), ...prose(api.info.description), ...api.tags.flatMap(({ name, description }) => [element("h2", {}, name), ...prose(description)])];
}
function show() {
  const found = byId();
  const name = /^#schema:(.+)/.exec(location.hash)?.[1];
  place("reading").replaceChildren(...((found && showOperation(found)) || (name && showSchema(decodeURIComponent(name))) || showGuide()));
  for (const link of place("found").querySelectorAll("a")) link.ariaCurrent = link.hash === location.hash ? "page" : null;
}

/** Lists what has all the typed words, in the summary or the id first. */
function search() {
  const typed = place("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = ({ id, path, operation }) => {
    const near = (id + " " + operation.summary).toLowerCase();
    const far = near + " " + path.toLowerCase() + " " + (operation.description ?? "").toLowerCase();
    return typed.every((word) => near.includes(word)) ? 2 : typed.every((word) => far.includes(word)) ? 1 : 0;
  };
  const found = operations.map((one) => [rank(one), one]).filter(([score]) => score > 0).sort(([one], [other]) => (typed.length ? other - one : 0));
  place("count").textContent = found.length + " of " + operations.length + (isInternal ? " operations" : " operations and events");
  const titleOf = ({ method, operation }) => (method === "event" ? "Types of events" : operation.tags?.[0]);
  place("found").replaceChildren(...found.flatMap(([, one], index) => {
    const { id, method, operation } = one;
    const title = typed.length === 0 && titleOf(one) !== (index && titleOf(found[index - 1][1])) ? titleOf(one) : undefined;
    return [
      ...(title ? [element("li", { className: "group" }, title)] : []),
      element("li", {}, element("a", { href: "#" + encodeURIComponent(id) }, element("span", { className: "method" }, method.toUpperCase()), " " + (operation.summary ?? id))),
    ];
  }));
  show();
}

async function load() {
  api = await getJson(isInternal ? "/i/openapi.json" : "/v" + place("version").value + "/api/openapi.json");
  operations = [
    ...Object.entries(api.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ id: operation.operationId, method, path, operation }))),
    ...Object.entries(api.webhooks ?? {}).map(([path, { post }]) => ({ id: path, method: "event", path, operation: post })),
  ];
  search();
}

async function start() {
  if (isInternal) {
    place("version").parentElement.hidden = true;
    return load();
  }
  const { supported, development } = await getJson("/api-version");
  const stable = supported.filter((version) => !development.includes(version));
  const all = [...new Set([...supported, ...development])].sort((one, other) => other - one);
  const chosen = Number(named ?? Math.max(...(stable.length ? stable : all)));
  for (const version of all) {
    const text = "Version " + version + (development.includes(version) ? ", in development" : "");
    place("version").append(new Option(text, version, version === chosen, version === chosen));
  }
  await load();
}
place("version").addEventListener("change", load);
place("search").addEventListener("input", search);
addEventListener("hashchange", () => { show(); scrollTo(0, 0); });
start().catch((error) => place("reading").replaceChildren(element("p", { role: "alert" }, error.message)));
`;

export const docsStyle = `
:root { color-scheme: light dark; background: light-dark(#fff, #1b1b1b); color: light-dark(#1b1b1b, #eee); font: 1rem/1.5 system-ui, sans-serif; }
body { background: light-dark(#fff, #1b1b1b); margin: 0 auto; max-width: 80rem; padding: 1rem; box-sizing: border-box; overflow-wrap: anywhere; }
a { color: light-dark(#0b57a4, #8cc4ff); }
a[aria-current] { font-weight: bold; }
header { display: flex; flex-wrap: wrap; gap: 1rem; align-items: end; }
label { display: block; }
input, select { font: inherit; padding: 0.3rem; max-width: 100%; box-sizing: border-box; }
nav ul { list-style: none; padding: 0; max-height: 40vh; overflow: auto; }
nav li { padding: 0.2rem 0; }
nav li a { display: grid; grid-template-columns: 4.5rem minmax(0, 1fr); text-decoration: none; }
nav li a:hover { text-decoration: underline; }
.group { font-weight: bold; padding-top: 0.8rem; }
[hidden] { display: none; }
.method { font: 0.8rem/1.875 monospace; }
pre, code { background: light-dark(#f1f1f1, #2b2b2b); }
pre { padding: 0.5rem; overflow: auto; overflow-wrap: normal; }
dd { margin-left: 1.5rem; }
@media (min-width: 60rem) {
  .columns { display: grid; grid-template-columns: 22rem minmax(0, 1fr); gap: 2rem; align-items: start; }
  nav { position: sticky; top: 0; }
  nav ul { max-height: 80vh; }
}
`;
