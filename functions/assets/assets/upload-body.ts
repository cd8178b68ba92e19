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
  /** A view of the body, not a copy. */
  readonly content: Uint8Array;
}

/**
 * Read the body of an upload: its options in JSON, then the file. The parts announce their lengths, so their contents
 * are never searched for a boundary, nor is the boundary compared with that of the header.
 *
 * @throws ApiError `malformed-upload`; `invalid-length`, `asset-too-large`, `incomplete-body` for the file
 */
export function readUpload(body: Uint8Array, maxBytes: number): Upload {
  const reader = new UploadReader(body);
  const { "content-type": optionsType = "", "content-length": optionsLength = "" } =
    reader.readHead(optionsHeaders);
  if (mediaType(optionsType) !== "application/json") throw malformed("The first part is not JSON");
  const optionsBytes = lengthOf(optionsLength);
  if (optionsBytes > maxOptionsBytes) throw malformed("The first part is too long");
  const options = parseOptions(reader.read(optionsBytes));

  const { "content-length": length = "" } = reader.readHead(fileHeaders);
  const declared = lengthOf(length);
  if (declared <= 0) throw new ApiError("invalid-length");
  if (declared > maxBytes) {
    throw new ApiError("asset-too-large", { message: `An asset may have ${maxBytes} bytes` });
  }
  if (reader.bytesBeforeEnd() < declared) throw new ApiError("incomplete-body");
  return { isPublic: options.public, retention: options.retention, content: reader.read(declared) };
}

/** Far more than clients send. Megabytes of JSON would take a second and hundreds of megabytes of memory to parse. */
const maxOptionsBytes = 64 * 1024;

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

/** Reads a body sequentially. Lines end with CRLF or LF. */
class UploadReader {
  readonly #bytes: Buffer;
  #position = 0;
  /** The last line that started a part. */
  #boundary = "";
  /** Whether the last line ended with CRLF: a file may itself end with a CR before the LF of the closing line. */
  #endsWithCrLf = false;

  constructor({ buffer, byteOffset, byteLength }: Uint8Array) {
    this.#bytes = Buffer.from(buffer, byteOffset, byteLength);
  }

  /** Read the line that starts a part, its headers, and the empty line after them. */
  readHead(rules: HeaderRules): Readonly<Record<string, string>> {
    this.#skipLineEnd();
    this.#boundary = this.#readLine().trimEnd();
    if (!this.#boundary.startsWith("--")) throw malformed("A part does not start with a boundary");
    const headers = new Map<string, string>();
    for (let line = this.#readLine(); line !== ""; line = this.#readLine()) {
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
  read(length: number): Uint8Array {
    const end = this.#position + length;
    if (length < 0 || end > this.#bytes.length) throw malformed("A part is shorter than announced");
    const content = this.#bytes.subarray(this.#position, end);
    this.#position = end;
    return content;
  }

  /** Bytes left, not counting the line that ends the last part, if any. */
  bytesBeforeEnd(): number {
    const end = Buffer.from(`${this.#boundary}--`);
    const length = withoutLineEnd(this.#bytes);
    const start = length - end.length;
    const isEnded = start >= this.#position && this.#bytes.subarray(start, length).equals(end);
    if (!isEnded) return this.#bytes.length - this.#position;
    const before = this.#bytes.subarray(this.#position, start);
    if (this.#endsWithCrLf) return withoutLineEnd(before);
    return before.at(-1) === lineFeed ? before.length - 1 : before.length;
  }

  /** Skip a line end, if any: the first part needs none before it, the second one has one before its boundary. */
  #skipLineEnd(): void {
    const isFirst = this.#position === 0;
    if (this.#bytes[this.#position] === carriageReturn && this.#bytes[this.#position + 1] === lineFeed)
      this.#position += 2;
    else if (this.#bytes[this.#position] === lineFeed) this.#position += 1;
    else if (!isFirst) throw malformed("A part is longer than announced");
  }

  #readLine(): string {
    const window = this.#bytes.subarray(this.#position, this.#position + maxLineBytes);
    const end = window.indexOf(lineFeed);
    if (end < 0) throw malformed("A line does not end");
    this.#position += end + 1;
    this.#endsWithCrLf = window[end - 1] === carriageReturn;
    return window.subarray(0, this.#endsWithCrLf ? end - 1 : end).toString("latin1");
  }
}

/** Length of the bytes without a trailing line end. */
function withoutLineEnd(bytes: Buffer): number {
  if (bytes.at(-1) !== lineFeed) return bytes.length;
  return bytes.at(-2) === carriageReturn ? bytes.length - 2 : bytes.length - 1;
}
