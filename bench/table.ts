export type Row = Readonly<Record<string, string | number | undefined>>;

/**
 * Format rows as aligned text. The keys of the first row are the columns; numbers are right-aligned, with the same
 * number of decimals in a column; a missing value is a dash.
 */
export function formatTable(rows: readonly Row[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const decimalsOf = (column: string) => Math.max(...rows.map((row) => decimals(row[column])));
  const isNumeric = (column: string) => rows.some((row) => typeof row[column] === "number");
  const cells = [
    columns,
    ...rows.map((row) => columns.map((column) => format(row[column], decimalsOf(column)))),
  ];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)));
  return cells
    .map((line) =>
      line
        .map((cell, index) => {
          const width = widths[index] ?? 0;
          return isNumeric(columns[index] ?? "") ? cell.padStart(width) : cell.padEnd(width);
        })
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

const decimals = (value: string | number | undefined) =>
  typeof value === "number" ? (String(value).split(".")[1]?.length ?? 0) : 0;

const format = (value: string | number | undefined, digits: number) =>
  typeof value === "number" ? value.toFixed(digits) : (value ?? "-");

export const round = (value: number, digits = 1) => Number(value.toFixed(digits));

/** The value at or below which this share of the values lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export const median = (values: readonly number[]) => percentile(values, 0.5);
export const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
