/** Bytes do not have the expected structure. */
export class MalformedStructureError extends Error {
  override readonly name = "MalformedStructureError";
}

/** Reads structures in the encoding of MLS (RFC 9420 §2.1), never beyond the end of the bytes. */
export class TlsReader {
  readonly #bytes: Buffer;
  #position = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get position(): number {
    return this.#position;
  }

  uint8(): number {
    return this.#take(1).readUInt8();
  }

  uint16(): number {
    return this.#take(2).readUInt16BE();
  }

  uint32(): number {
    return this.#take(4).readUInt32BE();
  }

  uint64(): bigint {
    return this.#take(8).readBigUInt64BE();
  }

  /** `opaque value<V>`; a view of the bytes, not a copy. */
  opaque(): Buffer {
    return this.#take(this.#length());
  }

  /** `Item values<V>` */
  vector<Item>(readItem: (reader: TlsReader) => Item): Item[] {
    return new TlsReader(this.opaque()).all(readItem);
  }

  /** `optional<Value> value` */
  optional<Value>(readValue: (reader: TlsReader) => Value): Value | undefined {
    const presence = this.uint8();
    if (presence > 1) throw new MalformedStructureError("neither present nor absent");
    return presence === 1 ? readValue(this) : undefined;
  }

  /** Items until the end of the bytes. */
  all<Item>(readItem: (reader: TlsReader) => Item): Item[] {
    const items: Item[] = [];
    while (!this.#isAtEnd) items.push(readItem(this));
    return items;
  }

  /** The bytes from an earlier position to the current one: what a signature covers. */
  since(position: number): Buffer {
    return this.#bytes.subarray(position, this.#position);
  }

  /** Check that everything has been read. @throws MalformedStructureError when something is left */
  end(): void {
    if (!this.#isAtEnd) throw new MalformedStructureError("more bytes than there should be");
  }

  get #isAtEnd(): boolean {
    return this.#position === this.#bytes.length;
  }

  /** Length prefix of one, two or four bytes, which must not be longer than needed (RFC 9420 §2.1.2). */
  #length(): number {
    const first = this.uint8();
    const size = 2 ** (first >> 6);
    if (size === 8) throw new MalformedStructureError("not a length");
    let length = first & 0x3f;
    for (const byte of this.#take(size - 1)) length = length * 256 + byte;
    if (size > 1 && length < 2 ** (4 * size - 2))
      throw new MalformedStructureError("a length in too many bytes");
    return length;
  }

  #take(length: number): Buffer {
    const end = this.#position + length;
    if (end > this.#bytes.length) throw new MalformedStructureError("fewer bytes than there should be");
    const taken = this.#bytes.subarray(this.#position, end);
    this.#position = end;
    return taken;
  }
}

/** Encodes `opaque value<V>` (RFC 9420 §2.1.2). */
export function encodeOpaque(value: Uint8Array): Buffer {
  const { length } = value;
  if (length < 2 ** 6) return Buffer.concat([Buffer.of(length), value]);
  const prefix = Buffer.alloc(length < 2 ** 14 ? 2 : 4);
  if (prefix.length === 2) prefix.writeUInt16BE(length + 0x4000);
  else prefix.writeUInt32BE(length + 0x8000_0000);
  return Buffer.concat([prefix, value]);
}
