/** The nodes that each node points to. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** Build a graph from its arrows. */
export function graphOf(arrows: Iterable<readonly [from: string, to: string]>): Graph {
  const graph = new Map<string, Set<string>>();
  for (const [from, to] of arrows) graph.set(from, (graph.get(from) ?? new Set()).add(to));
  return graph;
}

/** Find the shortest path from `start` to a goal. */
export function findPath(
  graph: Graph,
  start: string,
  isGoal: (node: string) => boolean,
): string[] | undefined {
  const paths = [[start]];
  const seen = new Set<string>();
  for (const path of paths) {
    for (const next of graph.get(path.at(-1) as string) ?? []) {
      if (isGoal(next)) return [...path, next];
      if (!seen.has(next)) paths.push([...path, next]);
      seen.add(next);
    }
  }
  return undefined;
}

/**
 * Find the shortest cycle through each node that is not on one found before; the path ends at the node where it starts.
 */
export function findCycles(graph: Graph): string[][] {
  const cycles: string[][] = [];
  for (const node of graph.keys()) {
    if (cycles.some((cycle) => cycle.includes(node))) continue;
    const cycle = findPath(graph, node, (reached) => reached === node);
    if (cycle) cycles.push(cycle);
  }
  return cycles;
}

/** All nodes that arrows lead to from `start`, which may include itself. */
export function reachableFrom(graph: Graph, start: string): ReadonlySet<string> {
  const reached = new Set(graph.get(start));
  // The loop over a set also visits nodes that are added during the loop.
  for (const node of reached) for (const next of graph.get(node) ?? []) reached.add(next);
  return reached;
}
