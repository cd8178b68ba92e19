import type { Route, RouteTable } from "#shared/platform/http/route.ts";
import { existsIn, newestVersion } from "#shared/platform/http/versions.ts";

type Row = Route & { readonly id: string };

/** For each version, from the newest: what it has, has in another shape, and no longer has, compared with the one before. */
export function versionTables(families: readonly { readonly routes: RouteTable }[]): string {
  const rows = families
    .flatMap(({ routes }) => Object.entries(routes).map(([id, route]) => ({ ...route, id })))
    .filter(({ auth }) => auth !== "internal");
  const versions = Array.from({ length: newestVersion }, (_, index) => newestVersion - index);
  return versions
    .flatMap((version) => {
      const changes = changesAt(version, rows);
      if (changes.length === 0) return [];
      return [
        [`### Version ${version}`, "", "| operation | change |", "| --- | --- |", ...changes].join("\n"),
      ];
    })
    .join("\n\n");
}

function changesAt(version: number, rows: readonly Row[]): string[] {
  const begun = new Map(rows.filter(({ since }) => since === version).map((row) => [callOf(row), row]));
  const ended = new Map(rows.filter(({ until }) => until === version - 1).map((row) => [callOf(row), row]));
  const changes = [
    ...[...begun.keys()].map((call) => [call, ended.has(call) ? "other shape" : "new"] as const),
    ...[...ended]
      .filter(([call]) => !begun.has(call))
      .map(([call, row]) => [call, departureOf(row, version, rows)] as const),
  ];
  return changes
    .sort(([one], [other]) => pathIn(one).localeCompare(pathIn(other), "en"))
    .map(([call, change]) => `| \`${call}\` | ${change} |`);
}

/** Where the operation is found from then on. */
function departureOf({ formOf }: Row, version: number, rows: readonly Row[]): string {
  const forms = rows.filter(
    (row) =>
      existsIn(row, version) &&
      formOf !== undefined &&
      (row.id === formOf.operationId || row.formOf?.operationId === formOf.operationId),
  );
  const [heir] = [...forms.filter((row) => row.formOf === undefined), ...forms];
  return heir === undefined ? "gone" : `gone; now \`${callOf(heir)}\``;
}

const callOf = ({ method, path }: Row) => `${method} ${path}`;
const pathIn = (call: string) => call.slice(call.indexOf(" ") + 1);
