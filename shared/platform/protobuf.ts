import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";

/** The bytes are not a valid message. */
export class ProtobufError extends Error {
  override readonly name = "ProtobufError";
}

/** Maximum number of messages within a message: far more than a real body has, and quickly read. */
const maxParts = 250_000;

/** Counts the messages that are read. */
class Reader extends BinaryReader {
  #parts = 0;

  beginPart(): void {
    this.#parts++;
    if (this.#parts > maxParts) throw new ProtobufError(`It contains more than ${maxParts} messages`);
  }
}

/** How a value is written, and how it is read back. */
interface ProtobufType<Value> {
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
}

export const uint64: ProtobufType<bigint> = {
  wireType: WireType.Varint,
  read: (reader) => BigInt(reader.uint64()),
};
export const bool: ProtobufType<boolean> = { wireType: WireType.Varint, read: (reader) => reader.bool() };
/** An enum, as its number. */
export const enumeration: ProtobufType<number> = {
  wireType: WireType.Varint,
  read: (reader) => reader.int32(),
};
/** The value is part of the bytes that are decoded, not a copy. */
export const bytes: ProtobufType<Uint8Array> = {
  wireType: WireType.LengthDelimited,
  read: (reader) => reader.bytes(),
};
export const string: ProtobufType<string> = {
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
 * @param oneof names of optional fields of which the last one wins
 */
export function message<Known extends Fields>(
  fields: Known,
  { oneof = [] }: { oneof?: readonly (keyof Known & string)[] } = {},
): ProtobufMessage<MessageValue<Known>> {
  const names = new Map(Object.entries(fields).map(([name, { number }]) => [number, name]));
  const repeatedNames = namesOf(fields, "repeated");
  const requiredNames = namesOf(fields, "required");

  function readUntil(reader: Reader, end: number): MessageValue<Known> {
    reader.beginPart();
    const value: Record<string, unknown> = {};
    for (const name of repeatedNames) value[name] = [];
    while (reader.pos < end) {
      const [number, wireType] = reader.tag();
      const name = names.get(number);
      const field = name === undefined ? undefined : fields[name];
      if (name === undefined || field?.type.wireType !== wireType) {
        reader.skip(wireType, number);
        continue;
      }
      if (oneof.includes(name)) for (const other of oneof) delete value[other];
      const item = field.type.read(reader);
      if (field.label === "repeated") (value[name] as unknown[]).push(item);
      else value[name] = item;
    }
    if (reader.pos !== end) throw new ProtobufError("A field ends after its message");
    const missing = requiredNames.find((name) => value[name] === undefined);
    if (missing !== undefined) throw new ProtobufError(`${missing} is missing`);
    return value as MessageValue<Known>;
  }

  return {
    wireType: WireType.LengthDelimited,
    readUntil,
    read: (reader) => readUntil(reader, reader.uint32() + reader.pos),
  };
}

const namesOf = (fields: Fields, label: ProtobufField<unknown>["label"]) =>
  Object.entries(fields).flatMap(([name, field]) => (field.label === label ? [name] : []));

/**
 * Decodes a message. Takes time and memory in proportion to the bytes, whatever lengths they claim, and refuses too
 * many tiny parts.
 * @throws Error when the bytes are not such a message
 */
export function decodeMessage<Value>({ readUntil }: ProtobufMessage<Value>, encoded: Uint8Array): Value {
  const reader = new Reader(encoded);
  return readUntil(reader, reader.len);
}
