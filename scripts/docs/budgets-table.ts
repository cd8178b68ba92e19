import { readFileSync } from "node:fs";

interface Budgets {
  readonly calls: Readonly<Record<string, number>>;
  readonly callsInSeries: Readonly<Record<string, number>>;
  readonly startRatio: Readonly<Record<string, number>>;
}

const slowest = 6;

/**
 * The budgets of operations and starts in `bench/budgets.json`, which `npm run bench -- --check` compares with its
 * measurements.
 */
export function budgetsTable(): string {
  const { calls, callsInSeries, startRatio }: Budgets = JSON.parse(
    readFileSync("bench/budgets.json", "utf8"),
  );
  const inSeries = Map.groupBy(Object.keys(calls), (operation) => callsInSeries[operation] ?? 0);
  const starts = Object.entries(startRatio).sort(([, one], [, other]) => other - one);
  return [
    "### Calls of operations",
    "By the number of calls in series, with all calls in parentheses:",
    [...inSeries]
      .sort(([one], [other]) => one - other)
      .map(
        ([count, operations]) =>
          `- ${count}: ${operations.map((operation) => `${operation} (${calls[operation]})`).join("; ")}`,
      )
      .join("\n"),
    "### Slowest starts",
    `Budgets as multiples of the floor: ${starts
      .slice(0, slowest)
      .map(([name, ratio]) => `\`${name}\` ${ratio}`)
      .join(", ")}; the other ${starts.length - slowest} functions have at most ${starts[slowest]?.[1]}.`,
  ].join("\n\n");
}
