import type { Settings } from "../product.ts";
import type { Route } from "./route.ts";

/** API versions that exist; the last ones are still in development. */
export const allVersions = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const;
type ApiVersion = (typeof allVersions)[number];
const developmentVersions: readonly ApiVersion[] = [9];
/** The highest version, whether or not it is still in development. */
export const newestVersion = allVersions.length - 1;

/** The versions that `GET /api-version` advertises, and those that are served. */
export interface ApiVersions {
  readonly supported: ApiVersion[];
  readonly development: ApiVersion[];
  /** Versions that handle requests: development versions do even when they are not advertised. */
  readonly served: ReadonlySet<number>;
}

/** The versions that an installation's settings leave enabled. */
export function apiVersions(settings: Settings): ApiVersions {
  const disabled = new Set(
    settings.setDisabledAPIVersions.flatMap((entry): readonly number[] => {
      if (entry === "development") return developmentVersions;
      return [typeof entry === "number" ? entry : Number(entry.slice(1))];
    }),
  );
  const enabled = allVersions.filter((version) => !disabled.has(version));
  const development = enabled.filter((version) => developmentVersions.includes(version));
  return {
    supported: settings.setEnableDevelopmentVersions
      ? enabled
      : enabled.filter((version) => !development.includes(version)),
    development,
    served: new Set(enabled),
  };
}

/** Matches first segments that can only be meant as a version: `v` with a digit, or too short to be a resource. */
const versionPrefix = /^\/(v(?:\d[^/]*|[^/]{0,3}))(\/.*)?$/i;

/** Splits `/v8/self` into `{prefix: "v8", path: "/self"}`; the prefix may be malformed, and `/self` has none. */
export function splitVersion(path: string): { prefix: string | undefined; path: string } {
  const match = versionPrefix.exec(path);
  return match === null ? { prefix: undefined, path } : { prefix: match[1], path: match[2] ?? "/" };
}

/** Number of a well-formed prefix, unlike `v08`, `V8` and `v`. */
export const versionNumber = (prefix: string) =>
  /^v(0|[1-9]\d?)$/.test(prefix) ? Number(prefix.slice(1)) : undefined;

/** Whether a version has an operation. */
export const existsIn = ({ since = 0, until = newestVersion }: Route, version: number) =>
  since <= version && version <= until;
