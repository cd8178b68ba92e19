import type { DataTable } from "../../wire.ts";
import { byId, element } from "../element.ts";

/** A table with one row for each entry. */
export function dataTable({ columns, rows }: DataTable): HTMLElement {
  const head = columns.map((column) => element("th", { scope: "col", textContent: column }));
  const body = rows.map((row) => element("tr", {}, ...row.map((cell) => element("td", {}, cell))));
  const table = element(
    "table",
    { className: "data" },
    element("thead", {}, element("tr", {}, ...head)),
    element("tbody", {}, ...body),
  );
  // What scrolls must be reachable by keyboard.
  return element(
    "div",
    { className: "scroller", tabIndex: 0, role: "group", ariaLabel: columns.join(", ") },
    table,
  );
}

/** What can be done in a terminal. */
function commandList(commands: NonNullable<DataTable["commands"]>): HTMLElement {
  const entries = commands.flatMap(({ does, command }) => [
    element("dt", {}, does),
    element("dd", {}, element("code", { textContent: command })),
  ]);
  return element("dl", { className: "commands" }, ...entries);
}

/** Of the pages that were asked for, only the last is shown, even if another one arrives later. */
let wanted = 0;

/** Show the tables of the console: users, teams, queues, parked messages or settings. */
export async function openData(name: string, start?: string): Promise<void> {
  wanted += 1;
  const own = wanted;
  const query = start === undefined ? "" : `?${new URLSearchParams({ start })}`;
  const response = await fetch(`/data/${name}${query}`);
  if (own !== wanted) return;
  const place = byId("data-content");
  if (!response.ok) {
    place.replaceChildren(element("p", { className: "empty", textContent: await response.text() }));
    return;
  }
  const table: DataTable = await response.json();
  const { commands = [], next, rows } = table;
  const more = element("button", { type: "button", textContent: "Next page" });
  more.addEventListener("click", () => openData(name, next));
  place.replaceChildren(
    rows.length === 0 ? element("p", { className: "empty", textContent: "Nothing here." }) : dataTable(table),
    ...(next === undefined ? [] : [more]),
    ...(commands.length === 0 ? [] : [commandList(commands)]),
  );
}
