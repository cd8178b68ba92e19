import { printable } from "#lib/printable.ts";

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * A result for a person: objects as lines of name and value, lists of objects as tables. Control characters are replaced,
 * because users choose names that a terminal might obey.
 */
export function toText(result: unknown): string {
  if (result === undefined) return "Done.";
  if (Array.isArray(result)) return result.length === 0 ? "Nothing." : listToText(result);
  if (!isObject(result)) return cell(result);
  const entries = Object.entries(result).filter(([, value]) => value !== undefined);
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return entries
    .map(([name, value]) => {
      const isTable = Array.isArray(value) && value.some(isObject);
      return isTable
        ? `${printable(name)}\n${indented(listToText(value))}`
        : `${printable(name).padEnd(width)}  ${cell(value)}`;
    })
    .join("\n");
}

function listToText(list: readonly unknown[]): string {
  if (!list.every(isObject)) return list.map(cell).join("\n");
  const columns = [...new Set(list.flatMap((row) => Object.keys(row)))].filter((name) =>
    list.some((row) => row[name] !== undefined),
  );
  const rows = [
    columns.map(printable),
    ...list.map((row) => columns.map((name) => (row[name] === undefined ? "" : cell(row[name])))),
  ];
  const widths = columns.map((_, index) => Math.max(...rows.map((row) => (row[index] ?? "").length)));
  return rows
    .map((row) =>
      row
        .map((text, index) => text.padEnd(widths[index] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function cell(value: unknown): string {
  if (value === null) return "-";
  if (Array.isArray(value) && !value.some(isObject))
    return value.length === 0 ? "-" : value.map(cell).join(", ");
  if (isObject(value) && Object.values(value).every((one) => typeof one !== "object")) return pairs(value);
  return printable(typeof value === "object" ? JSON.stringify(value) : String(value));
}

/** An object in a column, such as who has done something. */
function pairs(object: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(object).map(([name, value]) => {
    const text = String(value);
    return `${name}=${/[\s="]/.test(text) ? JSON.stringify(text) : text}`;
  });
  return texts.length === 0 ? "-" : printable(texts.join(" "));
}

const indented = (text: string) => text.replace(/^/gm, "  ");
