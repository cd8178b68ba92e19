import { measurements } from "../measure/measurements.ts";

/** What `npm run measure` reads, beginning with the highest risk. */
export const measurementsTable = (): string =>
  [
    "| measurement | what it is for | permissions |",
    "| --- | --- | --- |",
    ...measurements.map(
      ({ name, risk, needs }) =>
        `| ${name} | ${risk} | ${needs
          .split(", ")
          .map((one) => `\`${one}\``)
          .join(", ")} |`,
    ),
  ].join("\n");
