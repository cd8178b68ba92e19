import { MalformedStructureError } from "./tls-reader.ts";

const tags = { extensions: 0xa3, uri: 0x86 };
const subjectAltName = Buffer.from("551d11", "hex");

/** A value in DER (X.690 §8, §10.1). */
interface DerValue {
  readonly tag: number;
  readonly content: Buffer;
}

/**
 * URIs in the subject alternative name of a certificate in DER (RFC 5280 §4.2.1.6). OpenSSL would print all names,
 * which takes forty times as long as parsing them.
 *
 * @param most names of any kind that it may have
 * @returns none if it has more names, or a structure that OpenSSL accepts, but DER does not allow
 */
export function urisNamedBy(certificate: Buffer, most: number): string[] {
  try {
    return readUris(certificate, most);
  } catch (error) {
    if (!(error instanceof MalformedStructureError)) throw error;
    return [];
  }
}

function readUris(certificate: Buffer, most: number): string[] {
  const content = [...valuesIn(firstIn(firstIn(certificate)))];
  const extensions = content.find(({ tag }) => tag === tags.extensions)?.content;
  if (extensions === undefined) return [];
  for (const { content: extension } of valuesIn(firstIn(extensions))) {
    const parts = [...valuesIn(extension)];
    const octets = parts.at(-1);
    if (octets !== undefined && parts[0]?.content.equals(subjectAltName)) return urisIn(octets.content, most);
  }
  return [];
}

function urisIn(names: Buffer, most: number): string[] {
  const uris: string[] = [];
  let count = 0;
  for (const { tag, content } of valuesIn(firstIn(names))) {
    if (++count > most) return [];
    if (tag === tags.uri) uris.push(content.toString("latin1"));
  }
  return uris;
}

function firstIn(bytes: Buffer): Buffer {
  const { value } = valuesIn(bytes).next();
  if (value === undefined) throw new MalformedStructureError("nothing where a value should be");
  return value.content;
}

function* valuesIn(bytes: Buffer): Generator<DerValue, undefined> {
  for (let start = 0; start < bytes.length; ) {
    const { length, at } = lengthIn(bytes, start + 1);
    const end = at + length;
    if (end > bytes.length) throw new MalformedStructureError("fewer bytes than there should be");
    yield { tag: bytes[start] ?? 0, content: bytes.subarray(at, end) };
    start = end;
  }
}

/** A length up to 65,535, which must not be longer than needed; and where what is so long begins. */
function lengthIn(bytes: Buffer, position: number): { length: number; at: number } {
  const first = bytes[position] ?? 0xff;
  if (first < 0x80) return { length: first, at: position + 1 };
  const at = position + 1 + (first & 0x7f);
  if (first > 0x82 || at > bytes.length) throw new MalformedStructureError("not a length");
  const length = bytes.subarray(position + 1, at).reduce((sum, byte) => sum * 256 + byte, 0);
  if (length < 0x80 || length < 2 ** (8 * (at - position - 2)))
    throw new MalformedStructureError("a length in too many bytes");
  return { length, at };
}
