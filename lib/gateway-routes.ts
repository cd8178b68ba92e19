import type { Family } from "#shared/platform/manifest.ts";

/** A route key of an HTTP API: a path that may end in `{proxy+}`, or `$default`, and the family behind it. */
export interface GatewayRoute {
  readonly path: string;
  readonly family: string;
}

/** One of the two HTTP APIs; the internal one also has the paths under `/i/`. */
export type Audience = "public" | "internal";

/** Family that answers requests without a matching route, in the usual format of errors. */
export const fallbackFamily = "api-info";

/**
 * The routes that send every operation to its family, as few as possible: an HTTP API may have 300 (quota "Routes per
 * API"). Public operations are reached with and without a version prefix, internal ones
 * without; our own pages only on the public API, without.
 *
 * Each path prefix has a main family with a single greedy route; the other families get non-greedy routes, which API
 * Gateway prefers. Paths that the greedy routes of two families match have non-greedy routes, too: `/oauth/{proxy+}`
 * and `/{version}/clients/{proxy+}` both match `/oauth/clients/{client}`, for example.
 */
export function gatewayRoutes(families: readonly Family[], audience: Audience): readonly GatewayRoute[] {
  const known = knownRoutes.get(families) ?? new Map<Audience, readonly GatewayRoute[]>();
  const routes = known.get(audience) ?? deriveRoutes(families, audience);
  knownRoutes.set(families, known.set(audience, routes));
  return routes;
}

/** Cached, because a process may start many stacks. */
const knownRoutes = new WeakMap<readonly Family[], Map<Audience, readonly GatewayRoute[]>>();

function deriveRoutes(families: readonly Family[], audience: Audience): GatewayRoute[] {
  const paths = families.flatMap((family) => ownPaths(family, audience));
  const patternsOf = candidatePatterns(paths);
  const fallback = { path: "$default", family: fallbackFamily };
  const routes = [fallback];
  const index = new RouteIndex(routes);
  // A route with parameters may match paths of other families, so all are resolved again until nothing is added.
  for (let count = 0; count < routes.length; ) {
    count = routes.length;
    for (const own of paths) {
      if (certainFamily(index, own.sample) === own.family) continue;
      const path = patternsOf.get(own)?.find((pattern) => !routes.some((route) => route.path === pattern));
      if (path === undefined)
        throw new Error(`Two families have the path ${own.path}; ${own.family} is the second`);
      const route = { path, family: own.family };
      routes.push(route);
      index.add(route);
    }
  }
  const used = new Set(paths.map(({ sample }) => resolveRoute(routes, sample)));
  return [...routes.filter((route) => route !== fallback && used.has(route)), fallback];
}

/** The route that API Gateway picks: a full match before a greedy one, literals before parameters, `$default` last. */
export function resolveRoute(routes: readonly GatewayRoute[], path: string): GatewayRoute | undefined {
  const index = indexes.get(routes) ?? new RouteIndex(routes);
  indexes.set(routes, index);
  return index.matching(split(path)).toSorted(byRank)[0];
}

/** Cached, because every request needs it. */
const indexes = new WeakMap<readonly GatewayRoute[], RouteIndex>();

const byRank = (one: GatewayRoute, other: GatewayRoute) =>
  compare(parsed(other.path).rank, parsed(one.path).rank);

/** Finds the routes that match a path, without comparing it with every route. */
class RouteIndex {
  /** Routes by the first literal of their first two segments. */
  readonly #routes = new Map<string, GatewayRoute[]>();

  constructor(routes: readonly GatewayRoute[]) {
    for (const route of routes) this.add(route);
  }

  add(route: GatewayRoute): void {
    const [first = "", second = ""] = parsed(route.path).fixed;
    const key = isLiteral(first) ? first : isLiteral(second) ? `*/${second}` : "*";
    this.#routes.set(key, [...(this.#routes.get(key) ?? []), route]);
  }

  matching(segments: readonly string[]): GatewayRoute[] {
    const keys = new Set([segments[0] ?? "", `*/${segments[1] ?? ""}`, "*"]);
    return [...keys].flatMap((key) =>
      (this.#routes.get(key) ?? []).filter((route) => matches(route.path, segments)),
    );
  }
}

const isLiteral = (segment: string) => segment !== "" && !segment.startsWith("{") && segment !== "$default";

const compare = (one: string, other: string) => (one < other ? -1 : Number(one > other));

/**
 * The family that a path certainly reaches, if any. AWS documents no order among greedy routes, nor between two full
 * matches that each have a literal where the other has a parameter: such routes must lead to the same family.
 */
function certainFamily(routes: RouteIndex, path: string): string | undefined {
  const matching = routes
    .matching(split(path))
    .map((route) => ({ ...parsed(route.path), family: route.family }));
  const isOutranked = ({ rank }: Pattern) => matching.some((other) => beats(other.rank, rank));
  const [family, ...others] = new Set(
    matching.filter((match) => !isOutranked(match)).map((match) => match.family),
  );
  return others.length === 0 ? family : undefined;
}

/** Whether AWS documents that a match takes precedence over another. */
function beats(rank: string, other: string): boolean {
  if (rank[0] !== other[0]) return rank > other;
  return rank[0] === "1" && rank !== other && [...rank].every((kind, index) => kind >= (other[index] ?? ""));
}

function matches(pattern: string, segments: readonly string[]): boolean {
  const { fixed, isGreedy, rank } = parsed(pattern);
  if (rank === "") return true;
  if (isGreedy ? segments.length <= fixed.length : segments.length !== fixed.length) return false;
  return fixed.every((part, index) => part.startsWith("{") || part === segments[index]);
}

/** One form of the path of an operation, with or without version, and the prefix that it belongs to. */
interface OwnPath {
  readonly family: string;
  readonly path: string;
  /** Such as `/users`, `/{version}/users` or `/i/users`. */
  readonly prefix: string;
  /** A path that matches this pattern, and no literal of any other. */
  readonly sample: string;
}

function ownPaths({ name, routes }: Family, audience: Audience): OwnPath[] {
  const own = (path: string, prefixLength: number): OwnPath => ({
    family: name,
    path: anonymous(path),
    prefix: `/${split(path).slice(0, prefixLength).join("/")}`,
    sample: path.replaceAll(/\{\w+\}/g, "any-value"),
  });
  return Object.values(routes).flatMap(({ path, auth, isForBrowsersOnly = false }) => {
    if (isForBrowsersOnly) return audience === "public" ? [own(path, 1)] : [];
    if (auth !== "internal") return [own(path, 1), own(`/{version}${path}`, 2)];
    return audience === "internal" ? [own(path, 2)] : [];
  });
}

/** The route patterns that can send each path to its family, the widest first. */
function candidatePatterns(paths: readonly OwnPath[]): Map<OwnPath, string[]> {
  const siblings = Map.groupBy(paths, parentOf);
  const shared = new Map(paths.map((own) => [own, siblingsPattern(own, siblings.get(parentOf(own)) ?? [])]));
  const patterns = new Map(paths.map((own) => [own, [shared.get(own) ?? own.path, own.path]]));
  for (const [prefix, below] of Map.groupBy(paths.filter(isBelowPrefix), (own) => own.prefix)) {
    const main = mainFamily(below, (own) => shared.get(own));
    const others = below.filter(({ family }) => family !== main);
    // API Gateway allows one variable per level: a greedy one cannot coexist with the parameter of another family.
    const hasGreedy = !others.some(({ path }) => path.startsWith(`${prefix}/{`));
    for (const own of below.filter(({ family }) => family === main)) {
      const wide = hasGreedy ? `${prefix}/{proxy+}` : depthPattern(own);
      if (!others.some(({ path }) => path === wide)) patterns.get(own)?.unshift(wide);
    }
  }
  return patterns;
}

const isBelowPrefix = ({ path, prefix }: OwnPath) => path !== prefix;

/** `/teams/{p1}/{p2}` for every path that is two segments below `/teams`. */
const depthPattern = ({ path, prefix }: OwnPath) =>
  anonymous(prefix + path.slice(prefix.length).replaceAll(/[^/]+/g, "{any}"));

/** The family that would need the most routes of its own; on a tie, the first. */
function mainFamily(paths: readonly OwnPath[], patternOf: (own: OwnPath) => unknown): string | undefined {
  const patterns = [...Map.groupBy(paths, ({ family }) => family)].map(([family, own]) => ({
    family,
    count: new Set(own.map(patternOf)).size,
  }));
  return patterns.toSorted((one, other) => other.count - one.count)[0]?.family;
}

/**
 * One pattern for a family's paths below one parent, unless another family has more of them, or already has the
 * pattern.
 */
function siblingsPattern({ family, path, prefix }: OwnPath, siblings: readonly OwnPath[]): string {
  const own = new Set(siblings.filter((other) => other.family === family).map(pathOf));
  const pattern = anonymous(path.replace(/[^/]+$/, "{any}"));
  const isTaken = siblings.some((other) => other.family !== family && other.path === pattern);
  const isMain = mainFamily(siblings, pathOf) === family;
  const isDeep = split(path).length > split(prefix).length + 1;
  return isDeep && own.size > 1 && isMain && !isTaken ? pattern : path;
}

const pathOf = ({ path }: OwnPath) => path;
const parentOf = ({ path }: OwnPath) => path.slice(0, path.lastIndexOf("/"));

const split = (path: string) => path.split("/").slice(1);

interface Pattern {
  readonly isGreedy: boolean;
  /** The segments, without the greedy one. */
  readonly fixed: readonly string[];
  /**
   * Rank of a route: 1 for a full match or 0 for a greedy one, then 2 for each literal and 1 for each parameter. Empty
   * for `$default`, which matches everything.
   */
  readonly rank: string;
}

/** Cached, because every request is compared with all patterns. */
const knownPatterns = new Map<string, Pattern>();
function parsed(pattern: string): Pattern {
  const known = knownPatterns.get(pattern);
  if (known !== undefined) return known;
  const parts = split(pattern);
  const isGreedy = parts.at(-1) === "{proxy+}";
  const fixed = isGreedy ? parts.slice(0, -1) : parts;
  const kinds = [Number(!isGreedy), ...fixed.map((part) => (part.startsWith("{") ? 1 : 2))];
  const made = { isGreedy, fixed, rank: pattern === "$default" ? "" : kinds.join("") };
  knownPatterns.set(pattern, made);
  return made;
}

/**
 * The path with its parameters numbered, equal with and without a version: API Gateway refuses two names at one level,
 * and CloudFormation adds a renamed route before it removes the old one.
 */
const anonymous = (path: string) => {
  const parts = split(path);
  const shift = parts[0] === "{version}" ? 1 : 0;
  return `/${parts.map((part, index) => (part.startsWith("{") && index >= shift ? `{p${index - shift}}` : part)).join("/")}`;
};
