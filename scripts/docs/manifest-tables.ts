import type { Access, Family, Worker } from "#shared/platform/manifest.ts";

/** Write the tables of families and workers as Markdown, for a page in `docs/`. */
export function manifestTables(families: readonly Family[], workers: readonly Worker[]): string {
  return [
    markdownTable(
      ["family", "does", "paths", "tables"],
      families.map((family) => [
        linkTo(family),
        family.summary,
        pathsOf(family, families)
          .map((path) => `\`${path}\``)
          .join(", "),
        tablesOf(family),
      ]),
    ),
    markdownTable(
      ["worker", "called by", "does", "tables"],
      workers.map((worker) => [
        linkTo(worker),
        describeTrigger(worker.trigger),
        worker.summary,
        tablesOf(worker),
      ]),
    ),
  ].join("\n\n");
}

const linkTo = ({ domain, name }: Family | Worker) => `[\`${name}\`](../functions/${domain}/${name})`;

/** Prefixes that belong to this family alone; the whole path where several families share it. */
function pathsOf(family: Family, families: readonly Family[]): string[] {
  const otherPaths = families.filter((other) => other !== family).flatMap(fullPaths);
  const isShared = (start: string) => otherPaths.some((path) => `${path}/`.startsWith(`${start}/`));
  const starts = fullPaths(family).map((path) => {
    const segments = path.split("/").slice(1);
    const candidates = segments.map((_, index) => `/${segments.slice(0, index + 1).join("/")}`);
    return candidates.find((start) => start !== "/i" && !isShared(start)) ?? path;
  });
  return [...new Set(starts)].sort();
}

const fullPaths = ({ routes }: Family) =>
  Object.values(routes).map(({ path }) => path.replaceAll(/\{\w+\}/g, "…"));

/** Without the table to which every function adds what it counts. */
const tablesOf = ({ tables = {} }: Access) =>
  Object.entries(tables)
    .filter(([, access]) => access !== "count")
    .map(([name, access]) => (access === "write" ? name : `${name} (${access})`))
    .join(", ") || "none";

function describeTrigger(trigger: Worker["trigger"]): string {
  if ("queue" in trigger) return `queue \`${trigger.queue}\``;
  if ("everySeconds" in trigger) return `schedule, every ${trigger.everySeconds} seconds`;
  if ("rotationOf" in trigger)
    return `rotation of \`${trigger.rotationOf}\`, every ${trigger.everyDays} days`;
  return "socketLog" in trigger ? "the log of the WebSocket API" : "the WebSocket API";
}

const markdownTable = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
