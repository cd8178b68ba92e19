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
  /** Sorts patterns that take the rest of a path first, and literal patterns after those with parameters in their place. */
  readonly rank: string;
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
    this.#candidates = Object.entries(routes).flatMap(([operationId, route]) =>
      pathsOf(route).map((path) => {
        const segments = path.split("/");
        return { operationId, route, segments, rank: rankOf(route, segments) };
      }),
    );
    this.#served = served;
    this.#lowestServed = Math.min(...served);
  }

  /**
   * How to render an error at this path, even when no operation matches the request: an unknown path gets the SCIM form
   * if the segments that it shares with known paths belong only to SCIM.
   */
  errorFormatOf(requested: string): ErrorFormat {
    const segments = splitVersion(requested).path.split("/");
    const fitting = this.#candidates.find((candidate) => fits(candidate, segments));
    if (fitting !== undefined) return fitting.route.errorFormat ?? "json";
    const depths = this.#candidates.map((candidate) => commonDepth(candidate, segments));
    const deepest = Math.max(...depths);
    const nearest = this.#candidates.filter((_, index) => depths[index] === deepest);
    const isScim = deepest > 1 && nearest.every(({ route }) => route.errorFormat === "scim");
    return isScim ? "scim" : "json";
  }

  /**
   * @param requested path with version, percent-encoded
   * @throws ApiError `unsupported-version`, `no-such-route`, `method-not-allowed` (with `Allow`), `bad-request`
   */
  match(method: string, requested: string, { isInternal }: { isInternal: boolean }): MatchedRoute {
    const { prefix, path } = splitVersion(requested);
    const version = prefix === undefined ? undefined : versionNumber(prefix);
    if (prefix !== undefined && (version === undefined || !this.#served.has(version))) {
      throw new ApiError("unsupported-version");
    }
    const segments = path.split("/");
    const reachable = this.#candidates.filter(
      (candidate) =>
        fits(candidate, segments) &&
        (candidate.route.auth !== "internal" || (isInternal && prefix === undefined)),
    );
    const ofVersion =
      version === undefined
        ? earliest(reachable, this.#lowestServed)
        : reachable.filter(({ route }) => existsIn(route, version));
    const ranks = ofVersion.map(({ rank }) => rank);
    const mostLiteral = ranks.toSorted().at(-1);
    if (mostLiteral === undefined) throw new ApiError("no-such-route");

    const samePath = ofVersion.filter(({ rank }) => rank === mostLiteral);
    const found =
      samePath.find(({ route }) => route.method === method) ??
      samePath.find(({ route }) => method === "HEAD" && route.method === "GET" && !route.refusesHead);
    if (found === undefined) {
      const isOfOtherVersion = reachable.some(
        (candidate) =>
          candidate.route.method === method &&
          candidate.rank >= mostLiteral &&
          !ofVersion.includes(candidate),
      );
      const isHidden = samePath.some(({ route }) => route.hidesOtherMethods);
      if (isOfOtherVersion || isHidden) throw new ApiError("no-such-route");
      throw new ApiError("method-not-allowed", { headers: { allow: allowed(samePath) } });
    }
    return {
      operationId: found.operationId,
      route: found.route,
      params: readParams(found, segments),
      version: version ?? Math.max(this.#lowestServed, found.route.since ?? 0),
      isPrefixed: version !== undefined,
    };
  }
}

/**
 * Selects rows for a path without a prefix: those of the lowest version, or of the first that has the operation. A
 * pattern with parameters does not stand for an operation of a later version whose path is literal.
 */
function earliest(candidates: readonly Candidate[], lowest: number): Candidate[] {
  const current = candidates.filter(({ route }) => existsIn(route, lowest));
  const later = candidates.filter(({ route }) => (route.since ?? 0) > lowest);
  const isLike = (one: Candidate, { route, rank }: Candidate) =>
    one.route.method === route.method && one.rank >= rank;
  const onlyLater = later.filter((one) => !current.some((other) => isLike(other, one)));
  const firstOf = (one: Candidate) =>
    Math.min(...later.filter((other) => isLike(other, one)).map(({ route }) => route.since ?? 0));
  return [...current, ...onlyLater.filter((one) => one.route.since === firstOf(one))];
}

const pathsOf = ({ path, allowsTrailingSlash = false }: Route) =>
  allowsTrailingSlash ? [path, `${path}/`] : [path];

const isParameter = (segment: string) => segment.startsWith("{");

/** The segments of a path as the pattern divides it; if the pattern takes the rest of a path, the rest is one segment. */
const divide = ({ route, segments: pattern }: Candidate, segments: readonly string[]): readonly string[] =>
  route.takesRest && segments.length > pattern.length
    ? [...segments.slice(0, pattern.length - 1), segments.slice(pattern.length - 1).join("/")]
    : segments;

function fits(candidate: Candidate, segments: readonly string[]): boolean {
  const { segments: pattern } = candidate;
  const divided = divide(candidate, segments);
  return (
    pattern.length === divided.length &&
    pattern.every((part, index) => (isParameter(part) ? divided[index] !== "" : part === divided[index]))
  );
}

/** Number of leading segments that a path and a pattern share. */
function commonDepth({ segments: pattern }: Candidate, segments: readonly string[]): number {
  const different = pattern.findIndex((part, index) => part !== segments[index]);
  return different === -1 ? pattern.length : different;
}

const rankOf = (route: Route, segments: readonly string[]) =>
  [!route.takesRest, ...segments.map((segment) => !isParameter(segment))].map(Number).join("");

const allowed = (candidates: readonly Candidate[]) => {
  const methods = new Set<HttpMethod>(candidates.map(({ route }) => route.method));
  if (candidates.some(({ route }) => route.method === "GET" && !route.refusesHead)) methods.add("HEAD");
  return [...methods].sort().join(", ");
};

function readParams(candidate: Candidate, segments: readonly string[]): Record<string, string> {
  const divided = divide(candidate, segments);
  try {
    return Object.fromEntries(
      candidate.segments.flatMap((part, index) =>
        isParameter(part) ? [[part.slice(1, -1), decodeURIComponent(divided[index] ?? "")]] : [],
      ),
    );
  } catch (cause) {
    throw new ApiError("bad-request", { message: "The path is not valid percent-encoding", cause });
  }
}
