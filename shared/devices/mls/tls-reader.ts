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
    const value = this.#bytes[this.#position];
    if (value === undefined) throw new MalformedStructureError("fewer bytes than there should be");
    this.#position++;
    return value;
  }

  uint16(): number {
    return this.uint8() * 256 + this.uint8();
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

  /** Skips `opaque value<V>` without creating a view, because a body may have millions. */
  skipOpaque(): void {
    this.#advance(this.#length());
  }

  /** `Item values<V>`, up to a number of them. */
  vector<Item>(readItem: (reader: TlsReader) => Item, most?: number): Item[] {
    return new TlsReader(this.opaque()).all(readItem, most);
  }

  /** Checks `Item values<V>` without keeping them. */
  skipVector(skipItem: (reader: TlsReader) => void): void {
    new TlsReader(this.opaque()).each(skipItem);
  }

  /** `optional<Value> value` */
  optional<Value>(readValue: (reader: TlsReader) => Value): Value | undefined {
    const presence = this.uint8();
    if (presence > 1) throw new MalformedStructureError("neither present nor absent");
    return presence === 1 ? readValue(this) : undefined;
  }

  /** Items until the end of the bytes, up to a number of them. */
  all<Item>(readItem: (reader: TlsReader) => Item, most = Number.POSITIVE_INFINITY): Item[] {
    const items: Item[] = [];
    this.each((reader) => {
      if (items.length === most) throw new MalformedStructureError(`more than ${most} items`);
      items.push(readItem(reader));
    });
    return items;
  }

  /** Reads items until the end of the bytes without keeping them. */
  each(readItem: (reader: TlsReader) => void): void {
    while (!this.#isAtEnd) readItem(this);
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
    for (let read = 1; read < size; read++) length = length * 256 + this.uint8();
    if (size > 1 && length < 2 ** (4 * size - 2))
      throw new MalformedStructureError("a length in too many bytes");
    return length;
  }

  #take(length: number): Buffer {
    const start = this.#position;
    this.#advance(length);
    return this.#bytes.subarray(start, this.#position);
  }

  #advance(length: number): void {
    const end = this.#position + length;
    if (end > this.#bytes.length) throw new MalformedStructureError("fewer bytes than there should be");
    this.#position = end;
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
