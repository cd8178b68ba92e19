import type * as z from "zod";

type Schema = z.core.$ZodType;

/**
 * Validates a body. In a field that may be absent but not null, null counts as absent, because clients send fields for
 * which they have no value. A body that is valid as it is costs no more than its validation.
 */
export function parseBody<Body extends z.ZodType>(
  schema: Body,
  body: unknown,
): z.ZodSafeParseResult<z.output<Body>> {
  const result = schema.safeParse(body);
  return result.success || !hasNull(body) ? result : schema.safeParse(withoutNulls(schema, body));
}

/** A large invalid body must not be validated twice for nothing. */
const hasNull = (value: unknown): boolean =>
  value === null || (typeof value === "object" && Object.values(value).some(hasNull));

/** Leaves out fields whose null counts as absent. Lists keep all items, and maps all values. */
function withoutNulls(schema: Schema, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const isList = Array.isArray(value);
  switch (def.type) {
    case "object":
      return isList ? value : withoutNullFields(def, value);
    case "array":
      return isList ? value.map((item) => withoutNulls(def.element, item)) : value;
    case "record":
      return isList ? value : withoutNullsInValues(def, value);
    case "union": {
      const option = def.options.find((one) => accepts(one, withoutNulls(one, value)));
      return option === undefined ? value : withoutNulls(option, value);
    }
    case "pipe":
      return withoutNulls(typeOf(def.in) === "transform" ? def.out : def.in, value);
    case "default":
    case "nonoptional":
    case "nullable":
    case "optional":
    case "prefault":
    case "readonly":
      return withoutNulls(def.innerType, value);
    default:
      return value;
  }
}

function withoutNullFields({ shape, catchall }: z.core.$ZodObjectDef, value: object): object {
  const fields = Object.entries(value).flatMap(([name, field]): [string, unknown][] => {
    const isKnown = Object.hasOwn(shape, name);
    const schema = isKnown ? shape[name] : catchall;
    if (schema === undefined) return [[name, field]];
    const mayBeAbsent = !isKnown || accepts(schema, undefined);
    if (field === null && mayBeAbsent && !accepts(schema, null)) return [];
    return [[name, withoutNulls(schema, field)]];
  });
  return Object.fromEntries(fields);
}

const withoutNullsInValues = ({ valueType }: z.core.$ZodRecordDef, map: object): object =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, withoutNulls(valueType, value)]));

const typeOf = (schema: Schema) => (schema as z.core.$ZodTypes)._zod.def.type;

const accepts = (schema: Schema, value: unknown) => (schema as z.ZodType).safeParse(value).success;
