import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";

/** The bytes are not a valid message. */
export class ProtobufError extends Error {
  override readonly name = "ProtobufError";
}

/** Maximum number of messages within a message: far more than a real body has, and quickly read. */
const maxParts = 250_000;
/** Twice as many fields: such messages have two on average. */
const maxFields = 500_000;

/** Counts the messages and fields that are read. */
class Reader extends BinaryReader {
  #parts = 0;
  #fields = 0;

  beginPart(): void {
    this.#parts++;
    if (this.#parts > maxParts) throw new ProtobufError(`It contains more than ${maxParts} messages`);
  }

  beginField(): void {
    this.#fields++;
    if (this.#fields > maxFields) throw new ProtobufError(`It contains more than ${maxFields} fields`);
  }
}

/** How a value is written, and how it is read back. */
interface ProtobufType<Value> {
  /** As in a `.proto` file. */
  readonly name: string;
  readonly wireType: WireType;
  /** Reads a value at the reader's position. */
  readonly read: (reader: Reader) => Value;
}

interface ProtobufField<Value> {
  readonly number: number;
  readonly type: ProtobufType<unknown>;
  readonly label: "required" | "optional" | "repeated";
  /** Never set; it carries the type of the value. */
  readonly value?: Value;
}

/** A message and its fields. */
export interface ProtobufMessage<Value> extends ProtobufType<Value> {
  readonly readUntil: (reader: Reader, end: number) => Value;
  readonly fields: Fields;
  /** The fields of a `oneof`, one of which is set, by its name. */
  readonly oneof: Readonly<Record<string, readonly string[]>>;
}

/** Values of an enum: numbers and their names. */
interface ProtobufEnum<Names extends Readonly<Record<string, number>> = Readonly<Record<string, number>>>
  extends ProtobufType<number> {
  readonly names: Names;
}

export const uint64: ProtobufType<bigint> = {
  name: "uint64",
  wireType: WireType.Varint,
  read: (reader) => BigInt(reader.uint64()),
};
export const bool: ProtobufType<boolean> = {
  name: "bool",
  wireType: WireType.Varint,
  read: (reader) => reader.bool(),
};
/** An enum, decoded to its number, which need not be among the names. */
export const enumeration = <const Names extends Readonly<Record<string, number>>>(
  name: string,
  names: Names,
): ProtobufEnum<Names> => ({
  name,
  names,
  wireType: WireType.Varint,
  read: (reader) => reader.int32(),
});
/** The value is part of the bytes that are decoded, not a copy. */
export const bytes: ProtobufType<Uint8Array> = {
  name: "bytes",
  wireType: WireType.LengthDelimited,
  read: (reader) => reader.bytes(),
};
export const string: ProtobufType<string> = {
  name: "string",
  wireType: WireType.LengthDelimited,
  read: (reader) => reader.string(),
};

export const required = <Value>(number: number, type: ProtobufType<Value>): ProtobufField<Value> => ({
  number,
  type,
  label: "required",
});
export const optional = <Value>(
  number: number,
  type: ProtobufType<Value>,
): ProtobufField<Value | undefined> => ({ number, type, label: "optional" });
export const repeated = <Value>(number: number, type: ProtobufType<Value>): ProtobufField<Value[]> => ({
  number,
  type,
  label: "repeated",
});

type Fields = Readonly<Record<string, ProtobufField<unknown>>>;
type MessageValue<Known extends Fields> = {
  -readonly [Name in keyof Known]: Known[Name] extends ProtobufField<infer Value> ? Value : never;
};

/**
 * A message of proto2. When a field that is not repeated occurs again, the last value wins; fields that are unknown, or
 * have another wire type, are skipped.
 *
 * @param oneof names of optional fields, the last of which wins, by the name of the `oneof`
 */
export function message<Known extends Fields>(
  messageName: string,
  fields: Known,
  oneof: Readonly<Record<string, readonly (keyof Known & string)[]>> = {},
): ProtobufMessage<MessageValue<Known>> {
  const rivals = Object.values(oneof);
  const names = new Map(Object.entries(fields).map(([name, { number }]) => [number, name]));
  const repeatedNames = namesOf(fields, "repeated");
  const requiredNames = namesOf(fields, "required");

  function readUntil(reader: Reader, end: number): MessageValue<Known> {
    reader.beginPart();
    const value: Record<string, unknown> = {};
    for (const name of repeatedNames) value[name] = [];
    while (reader.pos < end) {
      reader.beginField();
      const [number, wireType] = reader.tag();
      const name = names.get(number);
      const field = name === undefined ? undefined : fields[name];
      if (name === undefined || field?.type.wireType !== wireType) {
        reader.skip(wireType, number);
        continue;
      }
      for (const names of rivals) if (names.includes(name)) for (const other of names) delete value[other];
      const item = field.type.read(reader);
      if (field.label === "repeated") (value[name] as unknown[]).push(item);
      else value[name] = item;
    }
    if (reader.pos !== end) throw new ProtobufError("A field extends beyond its message");
    const missing = requiredNames.find((name) => value[name] === undefined);
    if (missing !== undefined) throw new ProtobufError(`${missing} is missing`);
    return value as MessageValue<Known>;
  }

  return {
    name: messageName,
    fields,
    oneof,
    wireType: WireType.LengthDelimited,
    readUntil,
    read: (reader) => readUntil(reader, reader.uint32() + reader.pos),
  };
}

const namesOf = (fields: Fields, label: ProtobufField<unknown>["label"]) =>
  Object.entries(fields).flatMap(([name, field]) => (field.label === label ? [name] : []));

/**
 * Decodes a message. Takes time and memory in proportion to the bytes, even if they claim greater lengths, and refuses
 * too many tiny parts.
 * @throws Error when the bytes are not such a message
 */
export function decodeMessage<Value>({ readUntil }: ProtobufMessage<Value>, encoded: Uint8Array): Value {
  const reader = new Reader(encoded);
  return readUntil(reader, reader.len);
}

/** Writes a message, and all that it contains, as a `.proto` file has them. */
export function toProtoText(outermost: ProtobufMessage<unknown>): string {
  const texts = new Map<string, string>();
  const add = (type: ProtobufType<unknown>) => {
    if (texts.has(type.name)) return;
    if ("names" in type) {
      const { names } = type as ProtobufEnum;
      texts.set(
        type.name,
        block(
          "enum",
          type.name,
          Object.entries(names).map(([name, number]) => `${name} = ${number};`),
        ),
      );
    }
    if ("fields" in type) {
      const { name, fields, oneof } = type as ProtobufMessage<unknown>;
      texts.set(name, block("message", name, linesOf(fields, oneof)));
      for (const field of Object.values(fields)) add(field.type);
    }
  };
  add(outermost);
  return ['syntax = "proto2";', ...texts.values()].join("\n");
}

function linesOf(fields: Fields, oneof: ProtobufMessage<unknown>["oneof"]): string[] {
  const lineOf = (name: string, prefix = "") => {
    const field = fields[name];
    return field === undefined ? [] : [`${prefix}${field.type.name} ${name} = ${field.number};`];
  };
  const inOneof = Object.values(oneof).flat();
  return [
    ...Object.entries(fields).flatMap(([name, { label }]) =>
      inOneof.includes(name) ? [] : lineOf(name, `${label} `),
    ),
    ...Object.entries(oneof).map(([name, names]) =>
      block(
        "oneof",
        name,
        names.flatMap((one) => lineOf(one)),
      ),
    ),
  ];
}

const block = (keyword: string, name: string, lines: readonly string[]) =>
  [`${keyword} ${name} {`, ...lines.map((line) => line.replaceAll(/^/gm, "  ")), "}"].join("\n");
