import { isDeepStrictEqual } from "node:util";

/**
 * Property in which a read object carries the fields that this version does not know. A spread and a rest pattern copy
 * the property; JSON, `Object.keys` and the schemas of answers and events do not see it.
 */
const unknownFields = Symbol("fields that this version does not know");

interface Carrier {
  [unknownFields]?: Readonly<Record<string, unknown>>;
}

/** Hides the fields of a parsed object that its shape does not name. */
export function setAside(value: Record<string, unknown>, shape: object): Record<string, unknown> {
  const names = Object.keys(value);
  let unknown: Record<string, unknown> | undefined;
  // Backwards: zod adds them last, and an object stays fast if its last properties are removed.
  for (let index = names.length - 1; index >= 0; index--) {
    const name = names[index] as string;
    if (Object.hasOwn(shape, name)) continue;
    unknown ??= {};
    unknown[name] = value[name];
    delete value[name];
  }
  if (unknown !== undefined) (value as Carrier)[unknownFields] = unknown;
  return value;
}

/** Takes fields of these names from those that an object carries. */
export function dropUnknown<Value>(value: Value, names: ReadonlySet<string>): Value {
  const carrier = value as Carrier;
  const fields = carrier[unknownFields];
  if (fields === undefined) return value;
  let kept: Record<string, unknown> | undefined;
  for (const name of Object.keys(fields)) {
    if (names.has(name)) continue;
    kept ??= {};
    kept[name] = fields[name];
  }
  if (kept === undefined) delete carrier[unknownFields];
  else carrier[unknownFields] = kept;
  return value;
}

/** Copies the carried fields of a read object to one that replaces it and was not made by a spread. */
export const inPlaceOf = <Value extends object>(read: object | undefined, written: Value): Value => {
  const fields = read && (read as Carrier)[unknownFields];
  return fields === undefined ? written : { ...written, [unknownFields]: fields };
};

/** Whether two values are equal in everything that this version knows. */
export const isSameContent = (one: unknown, other: unknown): boolean =>
  isDeepStrictEqual(knownPartOf(one), knownPartOf(other));

function knownPartOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(knownPartOf);
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, knownPartOf(inner)]));
}

/**
 * The stored form of a value, including carried fields at any depth. Most values carry none and are returned unchanged.
 */
export function withUnknownFields<Value>(value: Value): Value {
  if (Array.isArray(value)) return inEach(value) as Value;
  if (!isPlain(value)) return value;
  const known = inEach(value);
  const unknown = (value as Carrier)[unknownFields];
  // By its entries, which leaves out the carrying property.
  return unknown === undefined
    ? known
    : ({ ...unknown, ...Object.fromEntries(Object.entries(known)) } as Value);
}

function inEach<Container extends object>(container: Container): Container {
  let copy: Container | undefined;
  for (const [key, inner] of Object.entries(container)) {
    const stored = withUnknownFields(inner);
    if (stored === inner) continue;
    copy ??= (Array.isArray(container) ? [...container] : { ...container }) as Container;
    Reflect.set(copy, key, stored);
  }
  return copy ?? container;
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
