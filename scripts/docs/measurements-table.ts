import { measurements } from "../measure/measurements.ts";

/** What `npm run measure` reads, beginning with the highest risk, and the permissions for all of it. */
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
