import type { Family } from "#shared/family.ts";

/** A route key of an HTTP API: a path that may end in `{proxy+}`, or `$default`, and the family behind it. */
export interface GatewayRoute {
  readonly path: string;
  readonly family: string;
}

/** Which of the two HTTP APIs: the internal one also has the paths under `/i/`. */
export type Audience = "public" | "internal";

/** Family that answers what no route names, in the format of all errors. */
export const fallbackFamily = "api-info";

/**
 * The few routes that send every operation to its family, with and without version prefix.
 * A prefix that belongs to one family alone becomes one greedy route, so that new operations rarely add routes
 * (an HTTP API may have 300). `/{version}/self` would also catch `/conversations/self`: where that happens,
 * the operation gets a literal route, which API Gateway prefers.
 */
export function gatewayRoutes(families: readonly Family[], audience: Audience): GatewayRoute[] {
  const operations = families.flatMap((family) =>
    Object.values(family.routes)
      .filter((route) => audience === "internal" || route.auth !== "internal")
      .map((route) => ({ family: family.name, path: anonymous(route.path) })),
  );
  const routes = new Map(ownedPrefixes(operations).map((route) => [route.path, route]));
  const add = (route: GatewayRoute) => routes.set(route.path, route);
  for (const { path, family } of [...routes.values()]) add({ path: `/{version}${path}`, family });
  add({ path: "$default", family: fallbackFamily });

  for (const { path, family } of operations) {
    for (const pattern of [path, `/{version}${path}`]) {
      if (resolveRoute([...routes.values()], samplePath(pattern))?.family !== family)
        add({ path: pattern, family });
    }
  }
  return [...routes.values()];
}

/** The route that API Gateway picks: a full match before a greedy one, literals before parameters, `$default` last. */
export function resolveRoute(routes: readonly GatewayRoute[], path: string): GatewayRoute | undefined {
  const segments = split(path);
  let best: { route: GatewayRoute; rank: string } | undefined;
  for (const route of routes) {
    const rank = matchRank(route.path, segments);
    if (rank !== undefined && (best === undefined || rank > best.rank)) best = { route, rank };
  }
  return best?.route;
}

/** Comparable text: full matches start with 1, then a 2 for each literal and a 1 for each parameter. */
function matchRank(pattern: string, segments: readonly string[]): string | undefined {
  if (pattern === "$default") return "";
  const parts = partsOf(pattern);
  const isGreedy = parts.at(-1) === "{proxy+}";
  const fixed = isGreedy ? parts.slice(0, -1) : parts;
  if (isGreedy ? segments.length <= fixed.length : segments.length !== fixed.length) return undefined;
  let rank = isGreedy ? "0" : "1";
  for (const [index, part] of fixed.entries()) {
    if (part.startsWith("{")) rank += "1";
    else if (part === segments[index]) rank += "2";
    else return undefined;
  }
  return rank;
}

interface Operation {
  readonly family: string;
  readonly path: string;
}

function ownedPrefixes(operations: readonly Operation[], prefix = ""): GatewayRoute[] {
  const depth = split(prefix).length;
  const byPrefix = Map.groupBy(
    operations.filter(({ path }) => split(path).length > depth),
    ({ path }) => `${prefix}/${split(path)[depth]}`,
  );
  return [...byPrefix].flatMap(([path, below]) => {
    const family = below[0]?.family ?? fallbackFamily;
    const isHere = below.some((operation) => operation.path === path);
    const isDeeper = below.some((operation) => operation.path !== path);
    if (below.every((operation) => operation.family === family)) {
      return [
        ...(isHere ? [{ path, family }] : []),
        ...(isDeeper ? [{ path: `${path}/{proxy+}`, family }] : []),
      ];
    }
    const owner = below.find((operation) => operation.path === path);
    return [...(owner ? [{ path, family: owner.family }] : []), ...ownedPrefixes(below, path)];
  });
}

const split = (path: string) => path.split("/").slice(1);

/** Of patterns, which every request is held against. */
const knownParts = new Map<string, readonly string[]>();
function partsOf(pattern: string): readonly string[] {
  const known = knownParts.get(pattern);
  if (known !== undefined) return known;
  const parts = split(pattern);
  knownParts.set(pattern, parts);
  return parts;
}

/** Parameters named by position: API Gateway refuses two names in one place. */
const anonymous = (path: string) =>
  `/${split(path)
    .map((part, index) => (part.startsWith("{") ? `{p${index}}` : part))
    .join("/")}`;

/** A path that fits the pattern, and no literal of another one. */
const samplePath = (pattern: string) => pattern.replaceAll(/\{\w+\}/g, "any-value");
