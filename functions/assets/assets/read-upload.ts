import { createHash, type Hash } from "node:crypto";
import * as z from "zod";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { parseBody } from "#shared/platform/http/parse-body.ts";
import { type Retention, retentions } from "#shared/registry/buckets.ts";

/** Options of an upload. Clients send more, which is ignored. */
const uploadOptions = z.object({
  public: z.boolean().default(false),
  retention: z.enum(Object.keys(retentions) as [Retention]).default("persistent"),
});

export interface Upload {
  readonly isPublic: boolean;
  readonly retention: Retention;
  /** Announced length of the file. */
  readonly bytes: number;
  /**
   * The file, as views of the arriving chunks. It is complete only when the iteration ends, which rejects with
   * `incomplete-body`, `malformed-upload` for a wrong Content-MD5, or `body-too-large` for too many bytes after the
   * file.
   */
  readonly content: AsyncIterable<Uint8Array>;
}

/**
 * Read the body of an upload: its options in JSON, then the file. The parts announce their lengths, so their contents
 * are never searched for a boundary, nor is the boundary compared with that of the header.
 *
 * @throws ApiError `malformed-upload`; `invalid-length`, `asset-too-large` for the file
 */
export async function readUpload(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Upload> {
  const reader = new UploadReader(body);
  const { "content-type": optionsType = "", "content-length": optionsLength = "" } =
    await reader.readHead(optionsHeaders);
  if (mediaType(optionsType) !== "application/json") throw malformed("The first part is not JSON");
  const optionsBytes = lengthOf(optionsLength);
  if (optionsBytes > maxOptionsBytes) throw malformed("The first part is too long");
  const options = parseOptions(await reader.read(optionsBytes));

  const { "content-length": length = "", "content-md5": digest = "" } = await reader.readHead(fileHeaders);
  const bytes = lengthOf(length);
  if (bytes <= 0) throw new ApiError("invalid-length");
  if (bytes > maxBytes) throw tooLarge(maxBytes);
  return {
    isPublic: options.public,
    retention: options.retention,
    bytes,
    content: reader.readFile(bytes, digest),
  };
}

export const tooLarge = (maxBytes: number): ApiError =>
  new ApiError("asset-too-large", { message: `An asset may have at most ${maxBytes} bytes` });

/** Far more than clients send. Megabytes of JSON would take a second and hundreds of megabytes of memory to parse. */
const maxOptionsBytes = 64 * 1024;
/** Maximum number of bytes after the file; only the closing line is needed. */
const maxEndingBytes = 64 * 1024;

/** Headers of a part, in lower case, and whether they are required. */
type HeaderRules = Readonly<Record<string, boolean>>;
const optionsHeaders: HeaderRules = { "content-type": true, "content-length": true };
const fileHeaders: HeaderRules = { ...optionsHeaders, "content-md5": false };

const malformed = (message: string, cause?: unknown) => new ApiError("malformed-upload", { message, cause });

const mediaType = (text: string) => text.split(";")[0]?.trim().toLowerCase();

function lengthOf(text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw malformed("A Content-Length is not a number");
  return Number(text);
}

function parseOptions(bytes: Uint8Array): z.output<typeof uploadOptions> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw malformed("The first part is not valid JSON", cause);
  }
  const result = parseBody(uploadOptions, value);
  if (!result.success) throw malformed("The first part has unknown options", result.error);
  return result.data;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
/** Longer than any line of a client; longer lines are not searched for their end. */
const maxLineBytes = 1024;
const longestLineEnd = 2;
/** An MD5 hash in base64 (RFC 1864); existing servers ignore the header, so any other value cannot be compared. */
const md5Text = /^[+/\dA-Za-z]{22}==$/;

/** Reads a body sequentially, as it arrives. Lines end with CRLF or LF. */
class UploadReader {
  readonly #source: AsyncIterator<Uint8Array>;
  /** Bytes that have arrived and have not been read. */
  #bytes = Buffer.alloc(0);
  #hasEnded = false;
  #isFirstLine = true;
  /** The line that started the current part. */
  #boundary = "";
  /** Whether the last line ended with CRLF: a file may itself end with a CR before the LF of the closing line. */
  #endsWithCrLf = false;

  constructor(body: AsyncIterable<Uint8Array>) {
    this.#source = body[Symbol.asyncIterator]();
  }

  /** Read the line that starts a part, its headers, and the empty line after them. */
  async readHead(rules: HeaderRules): Promise<Readonly<Record<string, string>>> {
    await this.#skipLineEnd();
    this.#boundary = (await this.#readLine()).trimEnd();
    if (!this.#boundary.startsWith("--")) throw malformed("A part does not start with a boundary");
    const headers = new Map<string, string>();
    for (let line = await this.#readLine(); line !== ""; line = await this.#readLine()) {
      const colon = line.indexOf(":");
      const name = line.slice(0, colon).trim().toLowerCase();
      if (colon < 0 || !Object.hasOwn(rules, name)) throw malformed("A part has an unexpected header");
      if (headers.has(name)) throw malformed("A part has a header twice");
      headers.set(name, line.slice(colon + 1).trim());
    }
    for (const [name, isNeeded] of Object.entries(rules)) {
      if (isNeeded && !headers.has(name)) throw malformed(`A part lacks the header ${name}`);
    }
    return Object.fromEntries(headers);
  }

  /** Read the next bytes, as many as announced. */
  async read(length: number): Promise<Uint8Array> {
    await this.#receive(length);
    if (length < 0 || length > this.#bytes.length) throw malformed("A part is shorter than announced");
    return this.#take(length);
  }

  /** Read the file, then what follows it: a closing line shows that bytes of the file are missing. */
  async *readFile(length: number, digest: string): AsyncGenerator<Uint8Array, void> {
    const hash = md5Text.test(digest) ? createHash("md5") : undefined;
    const closing = Buffer.from(`${this.#boundary}--`);
    const tail = new Tail(closing.length + 2 * longestLineEnd);
    for (let left = length; ; ) {
      if (this.#bytes.length === 0) await this.#receive(1);
      if (this.#bytes.length === 0) break;
      const chunk = this.#take(this.#bytes.length);
      tail.add(chunk);
      if (tail.received > length + maxEndingBytes) throw new ApiError("body-too-large");
      const ofFile = chunk.subarray(0, left);
      left -= ofFile.length;
      hash?.update(ofFile);
      if (ofFile.length > 0) yield ofFile;
    }
    if (tail.bytesBefore(closing, this.#endsWithCrLf) < length) throw new ApiError("incomplete-body");
    checkDigest(hash, digest);
  }

  /** Skip a line end, if any: the first part needs none before it, the second one has one before its boundary. */
  async #skipLineEnd(): Promise<void> {
    await this.#receive(longestLineEnd);
    const [first, second] = this.#bytes;
    if (first === carriageReturn && second === lineFeed) this.#take(2);
    else if (first === lineFeed) this.#take(1);
    else if (!this.#isFirstLine) throw malformed("A part is longer than announced");
  }

  async #readLine(): Promise<string> {
    this.#isFirstLine = false;
    let end = this.#bytes.subarray(0, maxLineBytes).indexOf(lineFeed);
    if (end < 0) {
      await this.#receive(maxLineBytes);
      end = this.#bytes.subarray(0, maxLineBytes).indexOf(lineFeed);
    }
    if (end < 0) throw malformed("A line does not end");
    const line = this.#take(end + 1);
    this.#endsWithCrLf = line[end - 1] === carriageReturn;
    return line.subarray(0, this.#endsWithCrLf ? end - 1 : end).toString("latin1");
  }

  #take(length: number): Buffer {
    const taken = this.#bytes.subarray(0, length);
    this.#bytes = this.#bytes.subarray(length);
    return taken;
  }

  /** Wait until so many bytes are there to be read, or no more come. */
  async #receive(length: number): Promise<void> {
    const arrived = [this.#bytes];
    let count = this.#bytes.length;
    while (count < length && !this.#hasEnded) {
      const { done = false, value } = await this.#source.next();
      this.#hasEnded = done;
      if (done) break;
      const { buffer, byteOffset, byteLength } = value as Uint8Array<ArrayBuffer>;
      arrived.push(Buffer.from(buffer, byteOffset, byteLength));
      count += byteLength;
    }
    const parts = arrived.filter((part) => part.length > 0);
    this.#bytes = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
  }
}

/** The last bytes of a stream, and how many it had. */
class Tail {
  readonly #keptBytes: number;
  #kept = Buffer.alloc(0);
  received = 0;

  constructor(keptBytes: number) {
    this.#keptBytes = keptBytes;
  }

  add(chunk: Buffer): void {
    this.received += chunk.length;
    // A copy, because a view would keep its whole chunk in memory.
    this.#kept =
      chunk.length >= this.#keptBytes
        ? Buffer.from(chunk.subarray(-this.#keptBytes))
        : Buffer.concat([this.#kept, chunk]).subarray(-this.#keptBytes);
  }

  /** Bytes without a closing line, if any, and the line end before it. */
  bytesBefore(closing: Buffer, endsWithCrLf: boolean): number {
    const length = withoutLineEnd(this.#kept);
    const start = length - closing.length;
    if (start < 0 || !this.#kept.subarray(start, length).equals(closing)) return this.received;
    const before = this.#kept.subarray(0, start);
    const isEnded = endsWithCrLf || before.at(-1) !== lineFeed;
    const end = isEnded ? withoutLineEnd(before) : before.length - 1;
    return this.received - this.#kept.length + end;
  }
}

/** Length of the bytes without a trailing line end. */
function withoutLineEnd(bytes: Buffer): number {
  if (bytes.at(-1) !== lineFeed) return bytes.length;
  return bytes.at(-2) === carriageReturn ? bytes.length - 2 : bytes.length - 1;
}

function checkDigest(hash: Hash | undefined, digest: string): void {
  if (hash !== undefined && hash.digest("base64") !== digest)
    throw malformed("The asset does not match its Content-MD5");
}
