import type { Cell, DataPage, DataTable } from "../../wire.ts";
import { byId, element } from "../element.ts";

/** The content of a cell. */
const shown = (cell: Cell): Node | string =>
  typeof cell === "string" ? cell : element("a", { href: cell.href, textContent: cell.text });

/** A table with one row for each entry. */
export function dataTable({ columns, rows }: DataTable): HTMLElement {
  const head = columns.map((column) => element("th", { scope: "col", textContent: column }));
  const body = rows.map((row) => element("tr", {}, ...row.map((cell) => element("td", {}, shown(cell)))));
  const table = element(
    "table",
    { className: "data" },
    element("thead", {}, element("tr", {}, ...head)),
    element("tbody", {}, ...body),
  );
  // A scrollable table must be reachable by keyboard.
  return element(
    "div",
    { className: "scroller", tabIndex: 0, role: "group", ariaLabel: columns.join(", ") },
    table,
  );
}

/** Names with their values. */
const factList = (facts: readonly (readonly [string, Cell])[]): HTMLElement =>
  element(
    "dl",
    {},
    ...facts.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, shown(value))]),
  );

/** Commands for a terminal. */
function commandList(commands: NonNullable<DataPage["commands"]>): HTMLElement {
  const entries = commands.flatMap(({ does, command }) => [
    element("dt", {}, does),
    element("dd", {}, element("code", { textContent: command })),
  ]);
  return element("dl", { className: "commands" }, ...entries);
}

/** Of several requested pages, only the last is shown, even if another one arrives later. */
let wanted = 0;

/** Show a page about stored data: a list of users, teams, queues, parked messages or settings, or one thing. */
export async function openData(path: string, start?: string): Promise<void> {
  wanted += 1;
  const own = wanted;
  const [kind = ""] = path.split("/");
  const query = start === undefined ? "" : `?${new URLSearchParams({ start })}`;
  const response = await fetch(`/data/${path}${query}`);
  if (own !== wanted) return;
  const place = byId("data-content");
  const back = listed.has(kind) && path !== kind ? [link(`#/${kind}`, `← All ${kind}`)] : [];
  if (!response.ok) {
    const textContent = response.status === 404 ? "It does not exist, or no longer." : await response.text();
    place.replaceChildren(...back, element("p", { className: "empty", textContent }));
    return;
  }
  const { title, about, facts = [], tables, commands = [] }: DataPage = await response.json();
  place.replaceChildren(
    ...back,
    element("h2", { textContent: title }),
    ...(about === undefined ? [] : [element("p", { className: "about", textContent: about })]),
    ...(listed.has(kind) && path === kind ? [opener(kind)] : []),
    ...(facts.length === 0 ? [] : [factList(facts)]),
    ...tables.flatMap((table) => tableWithMore(path, table)),
    ...(commands.length === 0 ? [] : [commandList(commands)]),
  );
}

/** Lists whose entries have their own pages. */
const listed: ReadonlySet<string> = new Set(["users", "teams"]);

const link = (href: string, textContent: string) => element("a", { href, className: "to-list", textContent });

function tableWithMore(path: string, table: DataTable): HTMLElement[] {
  if (table.rows.length === 0) return [element("p", { className: "empty", textContent: table.empty ?? "" })];
  if (table.next === undefined) return [dataTable(table)];
  const more = element("button", { type: "button", textContent: "Next page" });
  more.addEventListener("click", () => openData(path, table.next));
  return [dataTable(table), more];
}

/** A field that opens one thing directly, even if it is far down the list. */
function opener(kind: string): HTMLElement {
  const label = kind === "users" ? "Id, e-mail address or handle" : "Id of a team";
  const input = element("input", { type: "search", placeholder: label, ariaLabel: label });
  const form = element(
    "form",
    { className: "toolbar" },
    input,
    element("button", { type: "submit", textContent: "Open" }),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = input.value.trim();
    if (text !== "") location.hash = `#/${kind}/${encodeURIComponent(text)}`;
  });
  return form;
}
