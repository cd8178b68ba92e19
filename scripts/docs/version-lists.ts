import type { Route, RouteTable } from "#shared/platform/http/route.ts";
import { existsIn, newestVersion } from "#shared/platform/http/versions.ts";

type Row = Route & { readonly id: string };

/**
 * For each version, from the newest: operations that are new, moved, changed or gone, compared with the previous
 * version.
 */
export function versionLists(families: readonly { readonly routes: RouteTable }[]): string {
  const rows = families
    .flatMap(({ routes }) => Object.entries(routes).map(([id, route]) => ({ ...route, id })))
    .filter(({ auth }) => auth !== "internal");
  const versions = Array.from({ length: newestVersion }, (_, index) => newestVersion - index);
  return versions
    .flatMap((version) => {
      const changes = changesAt(version, rows);
      return changes.length === 0 ? [] : [[`### Version ${version}`, "", ...changes].join("\n")];
    })
    .join("\n\n");
}

function changesAt(version: number, rows: readonly Row[]): string[] {
  const begun = new Set(rows.filter(({ since }) => since === version).map(callOf));
  const ended = new Map(rows.filter(({ until }) => until === version - 1).map((row) => [callOf(row), row]));
  const moves = new Map(
    [...ended].flatMap(([call, row]) => {
      const heir = heirOf(row, version, rows);
      return begun.has(call) || heir === undefined ? [] : [[call, callOf(heir)] as const];
    }),
  );
  const heirs = new Set(moves.values());
  const listOf = (name: string, calls: readonly string[]) =>
    calls.length === 0 ? [] : [`- ${name}: ${byPaths(calls).map(toCode).join(", ")}`];
  return [
    ...listOf(
      "New",
      [...begun].filter((call) => !ended.has(call) && !heirs.has(call)),
    ),
    ...listOf(
      "Other shape",
      [...begun].filter((call) => ended.has(call)),
    ),
    ...listOf(
      "Gone",
      [...ended.keys()].filter((call) => !begun.has(call) && !moves.has(call)),
    ),
    ...(moves.size === 0 ? [] : ["- Moved:"]),
    ...[...moves]
      .sort(([one], [other]) => byPath(one, other))
      .map(([call, heir]) => `  - ${toCode(call)} to ${toCode(heir)}`),
  ];
}

/** The operation that replaces a removed one, from a version on. */
function heirOf({ formOf }: Row, version: number, rows: readonly Row[]): Row | undefined {
  const forms = rows.filter(
    (row) =>
      existsIn(row, version) &&
      formOf !== undefined &&
      (row.id === formOf.operationId || row.formOf?.operationId === formOf.operationId),
  );
  const [heir] = [...forms.filter((row) => row.formOf === undefined), ...forms];
  return heir;
}

/** The calls in the order of their paths, merged if they share a path: `PUT, DELETE /path`. */
function byPaths(calls: readonly string[]): string[] {
  const paths = Map.groupBy([...calls].sort(byPath), pathIn);
  return [...paths].map(([path, those]) => `${those.map(methodIn).join(", ")} ${path}`);
}

const callOf = ({ method, path }: Row) => `${method} ${path}`;
const methodIn = (call: string) => call.slice(0, call.indexOf(" "));
const pathIn = (call: string) => call.slice(call.indexOf(" ") + 1);
const byPath = (one: string, other: string) => pathIn(one).localeCompare(pathIn(other), "en");
const toCode = (call: string) => `\`${call}\``;
