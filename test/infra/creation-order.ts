interface Template {
  readonly Resources: Readonly<Record<string, object>>;
}

/** Each resource with all those that CloudFormation creates before it. @throws Error for resources that wait for each other */
export function creationOrder({ Resources }: Template): Map<string, ReadonlySet<string>> {
  const order = new Map<string, ReadonlySet<string>>();
  const visit = (id: string, dependents: readonly string[]): ReadonlySet<string> => {
    if (dependents.includes(id)) throw new Error(`Cycle: ${[...dependents, id].join(" → ")}`);
    const known = order.get(id);
    if (known !== undefined) return known;
    const direct = namesIn(Resources[id]).filter((name) => name in Resources);
    const earlier = new Set(direct.flatMap((name) => [name, ...visit(name, [...dependents, id])]));
    order.set(id, earlier);
    return earlier;
  };
  for (const id of Object.keys(Resources)) visit(id, []);
  return order;
}

/** The names in a part of a template: by `Ref`, `Fn::GetAtt`, `Fn::Sub` or `DependsOn`. */
function namesIn(part: unknown): string[] {
  if (typeof part !== "object" || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) => {
    if (key === "Ref") return [value];
    if (key === "DependsOn") return [value].flat();
    if (key === "Fn::GetAtt") return [[value].flat()[0].split(".")[0]];
    if (key === "Fn::Sub") return subNames(value);
    return namesIn(value);
  });
}

const subNames = (value: string | [string, object]): string[] => {
  const [text, variables] = [value].flat() as [string, object?];
  return [...[...text.matchAll(/\$\{([^!.}]+)/g)].map(([, name = ""]) => name), ...namesIn(variables)];
};

/**
 * The most of some resources that can be created at the same time because none waits for another one: as many as the
 * fewest chains that contain all (Dilworth's theorem). A largest matching of each resource with a later one gives that
 * number.
 */
export function largestGroup(
  order: ReadonlyMap<string, ReadonlySet<string>>,
  ids: readonly string[],
): number {
  const laterOf = (id: string) => ids.filter((one) => order.get(one)?.has(id));
  const earlierIn = new Map<string, string>();
  const match = (id: string, tried: Set<string>): boolean =>
    laterOf(id).some((later) => {
      if (tried.has(later)) return false;
      tried.add(later);
      const rival = earlierIn.get(later);
      if (rival !== undefined && !match(rival, tried)) return false;
      earlierIn.set(later, id);
      return true;
    });
  return ids.filter((id) => !match(id, new Set())).length;
}
