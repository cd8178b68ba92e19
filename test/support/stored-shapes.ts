import type * as z from "zod";

interface Definition {
  readonly type: string;
  readonly in?: z.ZodType;
  readonly innerType?: z.ZodType;
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly items?: readonly z.ZodType[];
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly catchall?: z.ZodType;
}

const definitionOf = (schema: z.ZodType) => schema._zod.def as unknown as Definition;

/** Schemas directly within a schema, by a name for messages. */
function partsOf(schema: z.ZodType): [name: string, part: z.ZodType][] {
  const {
    in: source,
    innerType,
    element,
    valueType,
    options = [],
    items = [],
    shape = {},
  } = definitionOf(schema);
  const single = [source, innerType, element, valueType].filter((part) => part !== undefined);
  return [
    ...single.map((part): [string, z.ZodType] => ["", part]),
    ...[...options, ...items].map((part): [string, z.ZodType] => ["", part]),
    ...Object.entries(shape).map(([name, part]): [string, z.ZodType] => [`.${name}`, part]),
  ];
}

/** Paths of the objects in a schema that drop or refuse fields that they do not know. */
export function closedObjectsIn(schema: z.ZodType, path = ""): string[] {
  const { type, catchall } = definitionOf(schema);
  const isClosed = type === "object" && (catchall === undefined || definitionOf(catchall).type !== "unknown");
  return [
    ...(isClosed ? [path || "."] : []),
    ...partsOf(schema).flatMap(([name, part]) => closedObjectsIn(part, `${path}${name}`)),
  ];
}

/** Change every object of a value whose schema has named fields, from within. */
export function mapObjects(
  schema: z.ZodType,
  value: unknown,
  change: (object: Record<string, unknown>, path: string) => Record<string, unknown>,
  path = "",
): unknown {
  const { type, in: source, innerType, element, valueType, options = [], shape = {} } = definitionOf(schema);
  const inner = source ?? innerType;
  if (inner !== undefined) return mapObjects(inner, value, change, path);
  if (type === "array" && element !== undefined && Array.isArray(value))
    return value.map((one, index) => mapObjects(element, one, change, `${path}[${index}]`));
  if (type === "union") {
    const option = options.find((one) => one.safeParse(value).success);
    return option === undefined ? value : mapObjects(option, value, change, path);
  }
  if (typeof value !== "object" || value === null || value instanceof Set || value instanceof Uint8Array)
    return value;
  const entries = Object.entries(value);
  if (type === "record" && valueType !== undefined)
    return Object.fromEntries(
      entries.map(([key, one]) => [key, mapObjects(valueType, one, change, `${path}.${key}`)]),
    );
  if (type !== "object") return value;
  return change(
    Object.fromEntries(
      entries.map(([name, one]) => {
        const part = shape[name];
        return [name, part === undefined ? one : mapObjects(part, one, change, `${path}.${name}`)];
      }),
    ),
    path,
  );
}
