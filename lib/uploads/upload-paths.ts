import { withoutNeedlessCodes } from "#shared/platform/http/entrance.ts";
import { allVersions, existsIn, splitVersion } from "#shared/platform/http/versions.ts";
import type { Family } from "#shared/platform/manifest.ts";

type Routed = Pick<Family, "routes">;

/** Operations whose bodies may be read while they arrive. */
const uploadRows = (families: readonly Routed[]) =>
  families.flatMap(({ routes }) =>
    Object.values(routes).filter(({ bodyFormat }) => bodyFormat === "multipart-mixed"),
  );

/** Tells from a path, with or without a query, whether requests to it reach an upload, or no operation. */
export function uploadPathRule(families: readonly Routed[]): (target: string) => boolean {
  const paths = new Set(uploadRows(families).map(({ path }) => path));
  return (target) => {
    const [path = ""] = target.split("?", 1);
    return paths.has(splitVersion(withoutNeedlessCodes(path)).path);
  };
}

/** Tells whether a request uploads a file. */
export function uploadRule(families: readonly Routed[]): (method: string, target: string) => boolean {
  const isUploadPath = uploadPathRule(families);
  return (method, target) => method === "POST" && isUploadPath(target);
}

/** Patterns of CloudFront for these paths, with and without a version: a question mark matches one character. */
export const uploadPathPatterns = (families: readonly Routed[]): string[] => [
  ...new Set(
    uploadRows(families).flatMap((row) => [
      row.path,
      ...allVersions
        .filter((version) => existsIn(row, version))
        .map((version) => `/v${"?".repeat(String(version).length)}${row.path}`),
    ]),
  ),
];
