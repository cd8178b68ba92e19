import { type Html, html } from "#shared/platform/html/html.ts";

/** Link from a value to a page about it, if there is one. */
export type LinkOf = (name: string, value: unknown) => string | undefined;

type Row = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Row =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A result of a command: objects as lists of name and value, lists of objects as tables. */
export function resultView(result: unknown, linkOf: LinkOf): Html {
  if (result === undefined) return html`<p>Done.</p>`;
  if (Array.isArray(result))
    return result.length === 0 ? html`<p>Nothing.</p>` : listView(result, "Rows", linkOf);
  if (typeof result === "string" && result.includes("\n"))
    return html`<pre tabindex="0" aria-label="Result"><code>${result}</code></pre>`;
  return isObject(result) ? objectView(result, linkOf) : html`<p>${cell("", result, linkOf)}</p>`;
}

function objectView(object: Row, linkOf: LinkOf): Html {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined);
  const isTable = ([, value]: [string, unknown]) => Array.isArray(value) && value.some(isObject);
  const plain = entries.filter((entry) => !isTable(entry));
  return html`${
    plain.length === 0
      ? undefined
      : html`<dl class="values">
${plain.map(([name, value]) => html`<div><dt>${titleOf(name)}</dt><dd>${cell(name, value, linkOf)}</dd></div>\n`)}</dl>
`
  }${entries
    .filter(isTable)
    .map(
      ([name, value]) =>
        html`<h3>${titleOf(name)}</h3>\n${listView(value as unknown[], titleOf(name), linkOf)}`,
    )}`;
}

/** Columns that a narrow screen must show: ids say nothing to people. */
const firstColumns = ["name", "who", "whom"];

/** The table scrolls sideways, so it must be reachable by keyboard. */
function listView(list: readonly unknown[], label: string, linkOf: LinkOf): Html {
  if (!list.every(isObject))
    return html`<ul class="values">
${list.map((value) => html`<li>${cell("", value, linkOf)}</li>\n`)}</ul>
`;
  const named = [...new Set([...firstColumns, ...list.flatMap((row) => Object.keys(row))])];
  const columns = named.filter((name) => list.some((row) => row[name] !== undefined));
  return html`<div class="table" role="region" aria-label="${label}" tabindex="0">
<table>
<thead><tr>${columns.map((name) => html`<th scope="col">${titleOf(name)}</th>`)}</tr></thead>
<tbody>
${list.map((row) => html`<tr>${columns.map((name) => html`<td>${cellIn(row, name, linkOf)}</td>`)}</tr>\n`)}</tbody>
</table>
</div>
<p class="muted">${list.length === 1 ? "1 row" : `${list.length} rows`}</p>
`;
}

/** A value of a row; the name of a thing leads to it, as its id does. */
function cellIn(row: Row, name: string, linkOf: LinkOf): Html {
  const href = name === "name" ? (linkOf("id", row.id) ?? linkOf("user", row.user)) : undefined;
  return href !== undefined && typeof row.name === "string"
    ? html`<a href="${href}">${row.name}</a>`
    : cell(name, row[name], linkOf);
}

function cell(name: string, value: unknown, linkOf: LinkOf): Html {
  if (value === undefined || value === null || value === "") return html`<span class="muted">–</span>`;
  if (Array.isArray(value) && !value.some(isObject))
    return value.length === 0
      ? html`<span class="muted">none</span>`
      : html`${value.map((one, index) => html`${index === 0 ? "" : ", "}${cell(name, one, linkOf)}`)}`;
  if (typeof value === "object") return html`<code>${JSON.stringify(value)}</code>`;
  const href = linkOf(name, value);
  return href === undefined ? html`${String(value)}` : html`<a href="${href}">${String(value)}</a>`;
}

const titleOf = (name: string) => name.replaceAll("_", " ");
