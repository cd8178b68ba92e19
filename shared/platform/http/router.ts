import { ApiError } from "./api-error.ts";
import type { ErrorFormat, HttpMethod, Route, RouteTable } from "./route.ts";
import type { ApiVersions } from "./versions.ts";
import { existsIn, splitVersion, versionNumber } from "./versions.ts";

/** The operation that a request names. */
export interface MatchedRoute {
  readonly operationId: string;
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
  readonly version: number;
  /** False when the path named no version. */
  readonly isPrefixed: boolean;
}

interface Candidate {
  readonly operationId: string;
  readonly route: Route;
  readonly segments: readonly string[];
}

/**
 * Finds the operation of a request. Rows of a route table can differ by version: the version selects rows first, then
 * literals win over parameters.
 */
export class Router {
  readonly #candidates: readonly Candidate[];
  readonly #served: ReadonlySet<number>;
  readonly #lowestServed: number;

  constructor(routes: RouteTable, { served }: ApiVersions) {
    this.#candidates = Object.entries(routes).map(([operationId, route]) => ({
      operationId,
      route,
      segments: route.path.split("/"),
    }));
    this.#served = served;
    this.#lowestServed = Math.min(...served);
  }

  /** How to render an error at this path, even when no operation matches the request. */
  errorFormatOf(rawPath: string): ErrorFormat {
    const segments = splitVersion(rawPath).path.split("/");
    return (
      this.#candidates.find((candidate) => fits(candidate.segments, segments))?.route.errorFormat ?? "json"
    );
  }

  /**
   * @param rawPath path as it was sent, percent-encoded
   * @throws ApiError `unsupported-version`, `no-such-route`, `method-not-allowed` (with `Allow`), `bad-request`
   */
  match(method: string, rawPath: string, { isInternal }: { isInternal: boolean }): MatchedRoute {
    const { prefix, path } = splitVersion(rawPath);
    const version = prefix === undefined ? undefined : versionNumber(prefix);
    if (prefix !== undefined && (version === undefined || !this.#served.has(version))) {
      throw new ApiError("unsupported-version");
    }
    const segments = path.split("/");
    const reachable = this.#candidates.filter(
      (candidate) =>
        fits(candidate.segments, segments) &&
        (candidate.route.auth !== "internal" || (isInternal && prefix === undefined)),
    );
    const ofVersion =
      version === undefined
        ? earliest(reachable, this.#lowestServed)
        : reachable.filter(({ route }) => existsIn(route, version));
    const [mostLiteral] = ofVersion.toSorted((one, other) =>
      rank(other.segments).localeCompare(rank(one.segments)),
    );
    if (mostLiteral === undefined) throw new ApiError("no-such-route");

    const samePath = ofVersion.filter(({ segments: own }) => rank(own) === rank(mostLiteral.segments));
    const found =
      samePath.find(({ route }) => route.method === method) ??
      samePath.find(({ route }) => method === "HEAD" && route.method === "GET" && !route.refusesHead);
    if (found === undefined)
      throw new ApiError("method-not-allowed", { headers: { allow: allowed(samePath) } });
    return {
      operationId: found.operationId,
      route: found.route,
      params: readParams(found.segments, segments),
      version: version ?? Math.max(this.#lowestServed, found.route.since ?? 0),
      isPrefixed: version !== undefined,
    };
  }
}

/** Selects rows for a path without a prefix: those of the lowest version, or of the first that has the operation. */
function earliest(candidates: readonly Candidate[], lowest: number): Candidate[] {
  const current = candidates.filter(({ route }) => existsIn(route, lowest));
  const later = candidates.filter(({ route }) => (route.since ?? 0) > lowest);
  const laterMethods = later.filter(
    ({ route }) => !current.some((other) => other.route.method === route.method),
  );
  const firstOf = (method: HttpMethod) =>
    Math.min(...later.filter(({ route }) => route.method === method).map(({ route }) => route.since ?? 0));
  return [...current, ...laterMethods.filter(({ route }) => route.since === firstOf(route.method))];
}

const isParameter = (segment: string) => segment.startsWith("{");

const fits = (pattern: readonly string[], segments: readonly string[]) =>
  pattern.length === segments.length &&
  pattern.every((part, index) => (isParameter(part) ? segments[index] !== "" : part === segments[index]));

/** Sorts literal patterns after those with parameters in the same place. */
const rank = (segments: readonly string[]) =>
  segments.map((segment) => (isParameter(segment) ? "0" : "1")).join("");

const allowed = (candidates: readonly Candidate[]) => {
  const methods = new Set<HttpMethod>(candidates.map(({ route }) => route.method));
  if (candidates.some(({ route }) => route.method === "GET" && !route.refusesHead)) methods.add("HEAD");
  return [...methods].sort().join(", ");
};

function readParams(pattern: readonly string[], segments: readonly string[]): Record<string, string> {
  try {
    return Object.fromEntries(
      pattern.flatMap((part, index) =>
        isParameter(part) ? [[part.slice(1, -1), decodeURIComponent(segments[index] ?? "")]] : [],
      ),
    );
  } catch (cause) {
    throw new ApiError("bad-request", { message: "The path is not valid percent-encoding", cause });
  }
}
