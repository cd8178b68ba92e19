/** A stored item as JSON, where bytes and sets have names of their own. */
export type StoredSample = Readonly<Record<string, unknown>>;

/** Paths of the attributes in a value; ids used as names, as in records, count as equal. */
export function attributesIn(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array || value instanceof Set)
    return [path];
  return Object.entries(value).flatMap(([name, inner]) =>
    attributesIn(inner, `${path}.${/^\d+$|^[0-9a-f-]{8,}$/.test(name) ? "*" : name}`),
  );
}

/** Replacer that turns values stored by DynamoDB into JSON. */
export function toSample(this: unknown, key: string, value: unknown): unknown {
  const original: unknown = Reflect.get(this as object, key);
  if (original instanceof Uint8Array) return { $bytes: Buffer.from(original).toString("base64") };
  if (original instanceof Set) return { $set: [...original] };
  return value;
}

/** Reviver that turns JSON into values stored by DynamoDB. */
export function fromSample(_: string, value: unknown): unknown {
  const { $bytes: bytes, $set: members } = Object(value) as { $bytes?: string; $set?: unknown[] };
  if (bytes !== undefined) return Buffer.from(bytes, "base64");
  return members === undefined ? value : new Set(members);
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** A copy with numbered ids, consistent across items, and without data that tests have added. */
export function anonymised<Value>(samples: Value): Value {
  const ids = new Map<string, string>();
  const text = JSON.stringify(samples, (key, value) => (key === "unknownToThisVersion" ? undefined : value));
  const numbered = text.replace(uuid, (id) => {
    const known =
      ids.get(id) ??
      `${id[14] === "1" ? "00000000-0000-1000" : "00000000-0000-4000"}-8000-${String(ids.size + 1).padStart(12, "0")}`;
    ids.set(id, known);
    return known;
  });
  return JSON.parse(numbered);
}
