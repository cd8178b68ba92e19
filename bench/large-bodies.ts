import { randomUUID } from "node:crypto";
import * as z from "zod";
import { encodeOpaque } from "#shared/devices/mls/tls-reader.ts";
import { mostMembers } from "#shared/platform/http/read-body.ts";
import { defaultBodyLimit, type Route } from "#shared/platform/http/route.ts";
import { sampleOf, sampleOfPart } from "../test/support/sample.ts";

/** A body near the limits of an operation, and the name of its large part. */
export interface LargeBody {
  readonly kind: string;
  readonly type: string;
  readonly bytes: Buffer<ArrayBuffer>;
}

interface JsonSchema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly type?: string;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly maxLength?: number;
  readonly items?: JsonSchema;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly propertyNames?: JsonSchema;
}

/** A value in which one part is large. */
interface Grown {
  readonly kind: string;
  readonly value: unknown;
}

interface Room {
  readonly definitions: Readonly<Record<string, JsonSchema>>;
  /** Bytes that the value may have in JSON. */
  readonly bytes: number;
  readonly depth: number;
}

/** Texts that may be slow for patterns, normalisation and parsers when they are long. */
const fillers = ["a", "a@", "a.", " ", "-", "é", "a\u0301\u0316", "ﷺ", '\\"', "\n", "0", "{{"];
const deepest = 4;

/** The bodies for one operation. */
const mostBodies = 24;

/**
 * Bodies that are as large as the operation accepts: each part that its schema lets grow is made large in turn.
 * @param example a body that the operation accepts, if it takes JSON
 */
export function largeBodies(route: Route, example: unknown): LargeBody[] {
  const all = allBodies(route, example);
  const step = Math.max(1, all.length / mostBodies);
  return all.filter((_, index) => Math.floor(index / step) > Math.floor((index - 1) / step));
}

function allBodies(route: Route, example: unknown): LargeBody[] {
  const limit = route.bodyLimit ?? defaultBodyLimit;
  switch (route.bodyFormat) {
    case "mls":
      return typed("message/mls", mlsBodies(limit - 100));
    case "multipart-mixed":
      return typed("multipart/mixed; boundary=x", {
        "headers of a part": Buffer.from(`--x\r\n${"a: b\r\n".repeat(limit / 7)}`),
        parts: Buffer.from("--x\r\na: b\r\n\r\n\r\n".repeat(limit / 16)),
      });
    case "protobuf":
      return typed("application/x-protobuf", protobufBodies(limit));
    case "json-or-protobuf":
      return [
        ...jsonBodies(route, limit, example),
        ...typed("application/x-protobuf", protobufBodies(limit)),
      ];
    case "form":
      return typed("application/x-www-form-urlencoded", formBodies(limit));
    case "json-or-form":
      return [
        ...jsonBodies(route, limit, example),
        ...typed("application/x-www-form-urlencoded", formBodies(limit)),
      ];
    case "form-or-multipart":
      return [
        ...typed("application/x-www-form-urlencoded", formBodies(limit)),
        ...typed("multipart/form-data; boundary=x", {
          parts: Buffer.from(
            `${"--x\r\ncontent-disposition: form-data; name=a\r\n\r\n\r\n".repeat(limit / 52)}--x--`,
          ),
        }),
      ];
    case "xml-or-json":
      return typed("application/xml", {
        elements: Buffer.from(`<a>${"<b/>".repeat(limit / 4 - 3)}</a>`),
        attributes: Buffer.from(`<a>${'<b c="&amp;"/>'.repeat(limit / 14 - 1)}</a>`),
        nesting: Buffer.from("<a>".repeat(limit / 7) + "</a>".repeat(limit / 7)),
        text: Buffer.from(`<a>${"&lt;".repeat(limit / 4 - 3)}</a>`),
      });
    default:
      return jsonBodies(route, limit, example);
  }
}

const typed = (type: string, bodies: Readonly<Record<string, Buffer<ArrayBuffer>>>): LargeBody[] =>
  Object.entries(bodies).map(([kind, bytes]) => ({ kind, type, bytes }));

function jsonBodies(route: Route, limit: number, example: unknown): LargeBody[] {
  const schema = route.body as z.ZodType;
  const { $defs: definitions = {}, ...root } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
  }) as JsonSchema;
  const base = example ?? sampleOf(schema);
  const isObject = typeof base === "object" && base !== null && !Array.isArray(base);
  const grown = [
    { kind: "an example", value: base },
    ...grow(root, base, { definitions, bytes: limit - 1000, depth: 0 }),
    ...(isObject
      ? [
          {
            kind: "unknown fields",
            value: {
              ...base,
              ...keyed(Math.min(mostMembers - 100, limit / 14), (index) => `unknown${index}`, 0),
            },
          },
        ]
      : []),
  ];
  const type = route.bodyFormat === "scim" ? "application/scim+json" : "application/json";
  return grown
    .map(({ kind, value }) => ({ kind, type, bytes: Buffer.from(JSON.stringify(value)) }))
    .filter(({ bytes }) => bytes.length <= limit);
}

/** Grows each part of a value that its schema lets grow. */
function* grow(schema: JsonSchema, base: unknown, room: Room): Generator<Grown> {
  const { definitions, bytes, depth } = room;
  if (depth > deepest) return;
  const known = schema.$ref === undefined ? schema : definitions[schema.$ref.replace("#/$defs/", "")];
  if (known === undefined) return;
  for (const one of known.anyOf ?? known.oneOf ?? []) yield* grow(one, sampleIn(one, room), room);
  if (known.type === "string") {
    for (const filler of fillers) {
      const length = Math.min(known.maxLength ?? bytes, bytes / Buffer.byteLength(JSON.stringify(filler)));
      yield { kind: `text of ${JSON.stringify(filler)}`, value: filler.repeat(length).slice(0, length) };
    }
  }
  if (known.type === "array" && known.items !== undefined) {
    const item = sampleIn(known.items, room);
    const size = JSON.stringify(item ?? null).length + 1;
    const count = Math.floor(Math.min(known.maxItems ?? mostMembers, bytes / (size + 8)));
    yield { kind: `${count} equal items`, value: Array(count).fill(item) };
    yield {
      kind: `${count} items`,
      value: Array.from({ length: count }, (_, index) => distinct(item, index)),
    };
    yield {
      kind: `${count} malformed items`,
      value: Array.from({ length: count }, (_, index) => malformed(item, index)),
    };
    for (const { kind, value } of grow(known.items, item, { ...room, bytes: bytes / 2, depth: depth + 1 }))
      yield { kind: `item with ${kind}`, value: [value] };
  }
  if (typeof known.additionalProperties === "object") {
    const value = sampleIn(known.additionalProperties, room);
    const name = sampleIn(known.propertyNames ?? { type: "string" }, room);
    const size = JSON.stringify(value ?? null).length + JSON.stringify(name).length + 16;
    const count = Math.min(mostMembers, bytes / size);
    yield {
      kind: `${Math.floor(count)} keys`,
      value: keyed(count, (index) => String(distinct(name, index)), value),
    };
    const inner = { ...room, bytes: bytes / 2, depth: depth + 1 };
    for (const grown of grow(known.additionalProperties, value, inner))
      yield { kind: `key with ${grown.kind}`, value: { [String(name)]: grown.value } };
  }
  for (const [name, property] of Object.entries(known.properties ?? {}))
    for (const { kind, value } of grow(property, sampleIn(property, room), { ...room, depth: depth + 1 }))
      yield { kind: `${name}: ${kind}`, value: { ...(base as object), [name]: value } };
}

const sampleIn = (schema: JsonSchema, { definitions }: Room): unknown => sampleOfPart(schema, definitions);

const keyed = (count: number, nameOf: (index: number) => string, value: unknown): object =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [nameOf(index), value]));

/** Like an item, but with texts that are not ids and match hardly any pattern. */
function malformed(item: unknown, index: number): unknown {
  if (typeof item === "string") return `!${index}`;
  if (Array.isArray(item)) return item.map((one) => malformed(one, index));
  if (typeof item !== "object" || item === null) return item;
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, malformed(value, index)]));
}

/** Like an item, but with other ids and texts. */
function distinct(item: unknown, index: number): unknown {
  if (typeof item === "string") return /^[\da-f-]{36}$/.test(item) ? randomUUID() : `${item}${index}`;
  if (Array.isArray(item)) return item.map((one) => distinct(one, index));
  if (typeof item !== "object" || item === null) return item;
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, distinct(value, index)]));
}

function formBodies(limit: number): Record<string, Buffer<ArrayBuffer>> {
  const names = Array.from({ length: Math.min(mostMembers, limit / 8) }, (_, index) => `${index}=1`).join(
    "&",
  );
  return {
    parameters: Buffer.from(names.slice(0, limit)),
    "escaped characters": Buffer.from(`password=${"%C3%A9".repeat(limit / 6 - 2)}`),
  };
}

const protobufBodies = (limit: number): Record<string, Buffer<ArrayBuffer>> => ({
  "empty fields": Buffer.alloc(limit, "7a00", "hex"),
  "empty recipients": Buffer.alloc(limit, "1200", "hex"),
});

/** MLS messages that the reader must parse byte by byte. */
function mlsBodies(limit: number): Record<string, Buffer<ArrayBuffer>> {
  const inside = (header: string, item: string, length = limit) =>
    Buffer.concat([
      Buffer.from(header, "hex"),
      encodeOpaque(Buffer.alloc(length, item, "hex")),
      Buffer.of(0),
    ]);
  const content = `0001000100${"00".repeat(8)}010000000000`;
  return {
    "secrets of a welcome": inside("000100030001", "00"),
    "references of a commit": inside(`${content}03`, "0200"),
    "removals of a commit": inside(`${content}03`, "01000300000001", limit - (limit % 7)),
    "extensions of a group": inside(`${content}020007`, "000100"),
    zeros: Buffer.alloc(limit),
  };
}
