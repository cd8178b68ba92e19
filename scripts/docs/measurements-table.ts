import { measurements } from "../measure/measurements.ts";

/** The values that `npm run measure` reads, highest risk first, and the permissions for all of them. */
export function measurementsTable(): string {
  const permissions = new Set(measurements.flatMap(({ needs }) => needs.split(", ")));
  return [
    "| measurement | reason |",
    "| --- | --- |",
    ...measurements.map(({ name, risk }) => `| ${name} | ${risk} |`),
    "",
    `Permissions: ${[...permissions]
      .sort()
      .map((one) => `\`${one}\``)
      .join(", ")}.`,
  ].join("\n");
}
