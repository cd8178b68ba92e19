import { Readable } from "node:stream";
import { createGunzip, gunzipSync } from "node:zlib";
import type * as z from "zod";
import { parseInt64Json } from "../int64.ts";
import { parseJson } from "../parse-json.ts";
import { ApiError } from "./api-error.ts";
import type { HttpEvent } from "./request.ts";
import { defaultBodyLimit, type Route } from "./route.ts";

/** Deeper bodies could overflow the stack of code that processes them, here or in a client that reads them back. */
const deepestNesting = 64;

/** Far more values than any real body has, unless it is kept as text: validating a million takes seconds. */
const mostValues = 150_000;
/**
 * Maximum number of values of one list or object, or of parameters or parts of a form. No operation needs as many, and
 * reading more takes long.
 */
export const mostMembers = 10_000;

const contentTypes = {
  json: "application/json",
  scim: "application/scim+json",
  xml: "application/xml",
  "xml-text": "text/xml",
  "saml-metadata": "application/samlmetadata+xml",
  form: "application/x-www-form-urlencoded",
  multipart: "multipart/form-data",
  "multipart-mixed": "multipart/mixed",
  protobuf: "application/x-protobuf",
  mls: "message/mls",
} as const;

const accepted = {
  json: ["json"],
  "json-text": ["json"],
  "json-int64": ["json"],
  form: ["form"],
  "form-or-multipart": ["form", "multipart"],
  "json-or-form": ["json", "form"],
  "json-or-protobuf": ["json", "protobuf"],
  mls: ["mls"],
  "multipart-mixed": ["multipart-mixed"],
  protobuf: ["protobuf"],
  scim: ["scim", "json"],
  "xml-or-json": ["xml", "xml-text", "saml-metadata", "json"],
} as const satisfies Record<NonNullable<Route["bodyFormat"]>, readonly (keyof typeof contentTypes)[]>;

/**
 * Reads the body as the route expects it; undefined when there is none. Gateways pass bodies as text or base64, and
 * clients may gzip them; whether API Gateway passes such a body in base64, as text or inflated is not documented, so all
 * are read. The limit applies to the decompressed size.
 *
 * @returns for a form in parts, a promise
 * @throws ApiError `body-too-large`, `unsupported-media-type`, `bad-request`
 */
export function readBody(event: HttpEvent, route: Route): unknown {
  if (event.stream !== undefined) return readStream(event, event.stream, route);
  const limit = route.bodyLimit ?? defaultBodyLimit;
  const sent = sentBytes(event);
  if (sent.length > limit) throw new ApiError("body-too-large");
  const { bodyFormat = "json" } = route;
  const isBytes = bodyFormat === "multipart-mixed" || bodyFormat === "mls";
  const isAbsent = sent.length === 0 && !isBytes;
  if (route.body === undefined || isAbsent) return undefined;

  const format = formatOf(event, bodyFormat);
  checkReplacements(event, sent);
  const bytes = isGzip(event) ? inflate(sent, limit) : sent;
  if (bodyFormat === "multipart-mixed") return inOneChunk(bytes);
  if (isBytes) return bytes;
  if (format === "protobuf") return decodeProtobuf(bytes, route);
  if (format === "multipart") return parseMultipart(bytes, event.headers["content-type"] ?? "", route.body);
  if (bodyFormat === "xml-or-json" && format !== "json") return decodeXml(bytes);
  const text = decodeText(bytes);
  if (bodyFormat === "xml-or-json") return text;
  if (format === "form") return toRecord(parseForm(text), route.body);
  const value = parseBody(text, { keepsIntegers: bodyFormat === "json-int64" });
  const isKeptAsText = bodyFormat === "json-text";
  checkExtent(value, isKeptAsText ? unlimited : { mostValues, mostMembers });
  return isKeptAsText ? text : value;
}

/** @throws ApiError `unsupported-media-type` */
function formatOf(event: HttpEvent, bodyFormat: keyof typeof accepted): keyof typeof contentTypes {
  const formats: readonly (keyof typeof contentTypes)[] = accepted[bodyFormat];
  const format = formats.find((name) => contentTypes[name] === mediaType(event));
  if (format !== undefined) return format;
  const names = formats.map((name) => contentTypes[name]).join(" or ");
  throw new ApiError("unsupported-media-type", { message: `The body must be ${names}` });
}

/**
 * The body while it arrives. The operation limits its size by the announced length; the limit of the route does not
 * apply.
 * @throws ApiError `unsupported-media-type`, and `bad-request` while it is read
 */
function readStream(event: HttpEvent, stream: AsyncIterable<Uint8Array>, { bodyFormat, path }: Route) {
  if (bodyFormat !== "multipart-mixed") throw new Error(`${path} does not read its body as a stream`);
  formatOf(event, bodyFormat);
  return isGzip(event) ? inflateStream(stream) : stream;
}

async function* inflateStream(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const source = Readable.from(stream);
  const inflating = source.pipe(createGunzip());
  let failure: Error | undefined;
  source.on("error", (error) => {
    failure = error;
    inflating.destroy(error);
  });
  try {
    yield* inflating;
  } catch (cause) {
    throw failure ?? new ApiError("bad-request", { message: "The body is not valid gzip", cause });
  } finally {
    source.destroy();
  }
}

async function* inOneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}

/** Size of a body that has been read, after decompression. */
export function bodySize(event: HttpEvent, { bodyLimit = defaultBodyLimit }: Route): number {
  const sent = sentBytes(event);
  return isGzip(event) ? inflate(sent, bodyLimit).length : sent.length;
}

function decodeProtobuf(bytes: Buffer, { path, protobuf }: Route): unknown {
  if (protobuf === undefined) throw new Error(`${path} declares no protobuf message for its body`);
  try {
    return protobuf.decode(bytes);
  } catch (cause) {
    throw new ApiError("bad-request", { message: `The body is not a valid ${protobuf.message.name}`, cause });
  }
}

/** A form in parts (RFC 7578); files are read as text. */
async function parseMultipart(
  bytes: Buffer<ArrayBuffer>,
  contentType: string,
  schema: z.ZodType,
): Promise<Record<string, string>> {
  checkCount(count(bytes, "\r\n--"), "parts");
  let parts: [string, string | Blob][];
  try {
    const form = new Response(new Uint8Array(bytes), { headers: { "content-type": contentType } });
    parts = [...(await form.formData())];
  } catch (cause) {
    throw new ApiError("bad-request", { message: "The body is not a valid form", cause });
  }
  const texts = parts.map(
    async ([name, value]): Promise<[string, string]> => [
      name,
      typeof value === "string" ? value : await value.text(),
    ],
  );
  return toRecord(await Promise.all(texts), schema);
}

function parseForm(text: string): [string, string][] {
  checkCount(1 + count(text, "&"), "parameters");
  return [...new URLSearchParams(text)];
}

/** @throws ApiError `bad-request` */
function checkCount(found: number, what: string): void {
  if (found > mostMembers)
    throw new ApiError("bad-request", { message: `The body has more than ${mostMembers} ${what}` });
}

function count(body: string | Buffer, mark: string): number {
  let found = 0;
  for (let index = body.indexOf(mark); index >= 0; index = body.indexOf(mark, index + mark.length)) found++;
  return found;
}

/**
 * A parameter must not occur twice, and one without a value counts as absent (RFC 6749 §3.2). Parameters that the schema
 * does not know are ignored however often they occur, such as `resource` (RFC 8707 §2).
 */
function toRecord(parameters: readonly [string, string][], schema: z.ZodType): Record<string, string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const [name] of parameters) (seen.has(name) ? repeated : seen).add(name);
  const known = repeated.size === 0 ? undefined : fieldsOf(schema);
  const wrong = [...repeated].find((name) => known?.includes(name) !== false);
  if (wrong !== undefined)
    throw new ApiError("bad-request", { message: `body.${wrong.slice(0, 64)}: given more than once` });
  return Object.fromEntries(parameters.filter(([name, value]) => value !== "" && !repeated.has(name)));
}

/** The names of all fields that a schema may read; undefined if it may read any. */
function fieldsOf(schema: z.core.$ZodType): readonly string[] | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "object":
      return def.catchall === undefined ? Object.keys(def.shape) : undefined;
    case "union": {
      const options = def.options.map(fieldsOf);
      return options.every((names) => names !== undefined) ? options.flat() : undefined;
    }
    case "pipe":
      return fieldsOf(def.in);
    case "default":
    case "optional":
      return fieldsOf(def.innerType);
    default:
      return undefined;
  }
}

function parseBody(text: string, { keepsIntegers }: { keepsIntegers: boolean }): unknown {
  try {
    return keepsIntegers ? parseInt64Json(text, parseJson) : parseJson(text);
  } catch (cause) {
    throw new ApiError("bad-request", { message: "The body is not valid JSON", cause });
  }
}

const unlimited = { mostValues: Number.POSITIVE_INFINITY, mostMembers: Number.POSITIVE_INFINITY };

/** Checks the depth of a body and the number of its values, lists and objects included. @throws ApiError `bad-request` */
function checkExtent(value: unknown, { mostValues, mostMembers }: typeof unlimited): void {
  let count = 1;
  let parents = isParent(value) ? [value] : [];
  for (let level = 1; parents.length > 0; level++) {
    const nested: object[] = [];
    for (const parent of parents) {
      const names = Array.isArray(parent) ? parent : Object.keys(parent);
      if (names.length > mostMembers)
        throw new ApiError("bad-request", {
          message: `A list or an object in the body has more than ${mostMembers} values`,
        });
      for (const child of Array.isArray(parent) ? parent : Object.values(parent)) {
        count++;
        if (count > mostValues)
          throw new ApiError("bad-request", { message: `The body has more than ${mostValues} values` });
        if (level > deepestNesting)
          throw new ApiError("bad-request", {
            message: `The body is nested deeper than ${deepestNesting} levels`,
          });
        if (isParent(child)) nested.push(child);
      }
    }
    parents = nested;
  }
}

const isParent = (value: unknown): value is object => typeof value === "object" && value !== null;

const mediaType = (event: HttpEvent) => event.headers["content-type"]?.split(";")[0]?.trim().toLowerCase();

/**
 * A list may have empty elements (RFC 9110 §5.6.1), and `x-gzip` is gzip (§8.4.1.3).
 * @throws ApiError `unsupported-media-type` for any other encoding, with the one that is supported (RFC 7694 §3)
 */
function isGzip({ headers }: HttpEvent): boolean {
  const encodings = (headers["content-encoding"] ?? "")
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && name !== "identity");
  if (encodings.length === 0) return false;
  if (encodings.length === 1 && /^(x-)?gzip$/.test(encodings[0] ?? "")) return true;
  throw new ApiError("unsupported-media-type", {
    message: "The body may only be compressed with gzip",
    headers: { "accept-encoding": "gzip" },
  });
}

/**
 * The first two bytes of gzip (RFC 1952 §2.3.1). No JSON, form or protobuf message starts with them: protobuf has no
 * wire type 7.
 */
const gzipMark = Buffer.from([0x1f, 0x8b]);
const isGzipped = (bytes: Buffer) => bytes.subarray(0, gzipMark.length).equals(gzipMark);

/** A gateway that takes compressed JSON for text passes each byte on as one character. */
const gzipMarkAsText = gzipMark.toString("latin1");

function sentBytes({ body = "", isBase64Encoded }: HttpEvent): Buffer<ArrayBuffer> {
  if (isBase64Encoded) return Buffer.from(body, "base64");
  return Buffer.from(body, body.startsWith(gzipMarkAsText) ? "latin1" : "utf8");
}

/** Decompresses a body, unless the gateway has done so already and kept the header. */
function inflate(bytes: Buffer<ArrayBuffer>, limit: number): Buffer<ArrayBuffer> {
  if (!isGzipped(bytes)) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: limit });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE")
      throw new ApiError("body-too-large", { cause });
    throw new ApiError("bad-request", { message: "The body is not valid gzip", cause });
  }
}

/**
 * A gateway that takes other bytes for UTF-8 replaces some, which changes the length.
 * @throws ApiError `bad-request`
 */
function checkReplacements({ body = "", isBase64Encoded, headers }: HttpEvent, bytes: Buffer): void {
  const { "content-length": sent, "content-encoding": encoding } = headers;
  if (isBase64Encoded || encoding !== undefined || sent === undefined || !body.includes("\ufffd")) return;
  if (Number(sent) !== bytes.length)
    throw new ApiError("bad-request", { message: "The body is not valid UTF-8" });
}

function decodeText(bytes: Buffer, encoding = "utf-8"): string {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ApiError("bad-request", { message: `The body is not valid ${encoding.toUpperCase()}`, cause });
  }
}

/**
 * Decodes UTF-8, or UTF-16 with a byte order mark (XML 1.0 §4.3.3); an encoding that the text declares is then ignored.
 */
function decodeXml(bytes: Buffer): string {
  const mark = bytes.toString("hex", 0, 2);
  if (mark !== "fffe" && mark !== "feff") return decodeText(bytes);
  const text = decodeText(bytes, mark === "fffe" ? "utf-16le" : "utf-16be");
  return text.replace(/^(<\?xml[^>]*\sencoding=["'])utf-16(?:le|be)?(?=["'])/i, "$1UTF-8");
}
