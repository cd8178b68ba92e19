import type { ItemSnapshots, Shape } from "./item-kinds.ts";

/** Advice on each kind of change. */
const advice = {
  kind: "Items that are stored are no longer read: keep the kind until a migration has removed them.",
  key: "Items that are stored are no longer found: keep the key, or add another kind.",
  required: "Items that are stored lack it: make it optional, and say what its absence means.",
  narrowed:
    "Items that are stored may have another value: keep reading it, until a migration has changed them.",
  gone:
    "Items that are stored have it, and the version before writes it: keep it as optional until no release does; name the " +
    "change in accepted-item-changes.ts when nothing has it any more.",
  dropped: "The version before needs it: keep it required, and write it, for one more release.",
  widened:
    "The version before cannot read it: read it in one release, and write it in the next; name the change in " +
    "accepted-item-changes.ts where it is only read so far.",
} as const;

/**
 * Find changes of stored items that break the items of a release, or its code.
 * @returns a sentence for each, and one of advice
 */
export function itemChanges(before: ItemSnapshots, after: ItemSnapshots): string[] {
  return Object.entries(before).flatMap(([name, old]) => {
    const next = after[name];
    if (next === undefined) return [`${name} is gone. ${advice.kind}`];
    return [
      ...(isKept(old.key, next.key)
        ? []
        : [`${name} has the key ${next.key.join(", ")} instead of ${old.key.join(", ")}. ${advice.key}`]),
      ...shapeChanges(name, old.shape, next.shape),
    ];
  });
}

/** Whether items are still found by a key. A part may get further alternatives, which the previous version ignores. */
const isKept = (before: readonly string[], after: readonly string[]) =>
  before.length === after.length &&
  before.every((part, index) => {
    const alternatives = after[index]?.split("|");
    return part.split("|").every((one) => alternatives?.includes(one));
  });

function shapeChanges(path: string, before: Shape, after: Shape): string[] {
  const [old, next] = [alternativesOf(before), alternativesOf(after)];
  if (old.length > 1 || next.length > 1) return unionChanges(path, old, next);
  return [
    ...valueChanges(path, before, after),
    ...fieldChanges(path, before, after),
    ...innerChanges(`${path}[]`, before.items, after.items),
    ...innerChanges(`${path}.*`, valuesOf(before), valuesOf(after)),
  ];
}

const alternativesOf = ({ anyOf, oneOf }: Shape): readonly Shape[] => anyOf ?? oneOf ?? [];

const valuesOf = ({ additionalProperties: values }: Shape): Shape | undefined =>
  typeof values === "object" && Object.keys(values).length > 0 ? values : undefined;

function innerChanges(path: string, before: Shape | undefined, after: Shape | undefined): string[] {
  if (before === undefined) return [];
  return after === undefined ? [`${path} is gone. ${advice.gone}`] : shapeChanges(path, before, after);
}

/** Alternatives with the same tag correspond to each other. */
function unionChanges(path: string, before: readonly Shape[], after: readonly Shape[]): string[] {
  const byTag = (shapes: readonly Shape[]) => new Map(shapes.map((shape) => [tagOf(shape), shape]));
  const [old, next] = [byTag(before), byTag(after)];
  return [
    ...[...old].flatMap(([tag, shape]) => {
      const same = next.get(tag);
      return same === undefined
        ? [`${path} is no longer ${tag}. ${advice.narrowed}`]
        : shapeChanges(`${path}(${tag})`, shape, same);
    }),
    ...[...next.keys()]
      .filter((tag) => !old.has(tag))
      .map((tag) => `${path} may be ${tag}. ${advice.widened}`),
  ];
}

const tagOf = ({ type, properties = {} }: Shape): string => {
  const tags = Object.entries(properties).flatMap(([name, { const: constant, enum: values }]) =>
    constant === undefined && values === undefined ? [] : [`${name} ${JSON.stringify(values ?? constant)}`],
  );
  return tags[0] ?? String(type);
};

function fieldChanges(path: string, before: Shape, after: Shape): string[] {
  const { properties: old = {}, required: needed = [] } = before;
  const { properties: next = {}, required: needs = [] } = after;
  return [
    ...needs
      .filter((name) => !needed.includes(name))
      .map((name) => `${path}.${name} is required. ${advice.required}`),
    ...needed
      .filter((name) => !needs.includes(name))
      .map((name) => `${path}.${name} is no longer required. ${advice.dropped}`),
    // For a required one, another finding says that it is no longer required.
    ...Object.entries(old)
      .filter(([name]) => name in next || !needed.includes(name))
      .flatMap(([name, shape]) => innerChanges(`${path}.${name}`, shape, next[name])),
  ];
}

const lowerBounds = ["minimum", "exclusiveMinimum", "minLength", "minItems"];
const upperBounds = ["maximum", "exclusiveMaximum", "maxLength", "maxItems"];

/** Changes of the values that a field may have. */
function valueChanges(path: string, before: Shape, after: Shape): string[] {
  const [old, next] = [choicesOf(before), choicesOf(after)];
  const narrowed = `${path} may no longer be`;
  const widened = `${path} may be`;
  if (before.type !== after.type)
    return [
      `${path} is ${after.type ?? "anything"} instead of ${before.type ?? "anything"}. ${advice.narrowed}`,
    ];
  return [
    ...(old === undefined && next !== undefined
      ? [`${narrowed} anything but ${next.join(", ")}. ${advice.narrowed}`]
      : []),
    ...(old !== undefined && next === undefined ? [`${widened} anything. ${advice.widened}`] : []),
    ...(old ?? [])
      .filter((one) => next?.includes(one) === false)
      .map((one) => `${narrowed} ${one}. ${advice.narrowed}`),
    ...(next ?? [])
      .filter((one) => old?.includes(one) === false)
      .map((one) => `${widened} ${one}. ${advice.widened}`),
    ...(after.format !== before.format && after.format !== undefined
      ? [`${path} must be a ${after.format}. ${advice.narrowed}`]
      : []),
    ...(after.format !== before.format && before.format !== undefined
      ? [`${path} need not be a ${before.format}. ${advice.widened}`]
      : []),
    ...boundChanges(path, before, after),
  ];
}

function boundChanges(path: string, before: Shape, after: Shape): string[] {
  const boundOf = (shape: Shape, name: string, none: number) => Number(shape[name] ?? none);
  return [...lowerBounds, ...upperBounds].flatMap((name) => {
    const isLower = lowerBounds.includes(name);
    const none = isLower ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    const [old, next] = [boundOf(before, name, none), boundOf(after, name, none)];
    if (old === next) return [];
    const isNarrower = isLower ? next > old : next < old;
    return [
      `${path} has the ${name} ${next} instead of ${old}. ${isNarrower ? advice.narrowed : advice.widened}`,
    ];
  });
}

const choicesOf = ({ enum: values, const: constant }: Shape): string[] | undefined =>
  values?.map((one) => JSON.stringify(one)) ??
  (constant === undefined ? undefined : [JSON.stringify(constant)]);
