import { gunzipSync } from "node:zlib";
import { ApiError } from "../errors.ts";
import type { HttpEvent } from "./request.ts";
import { defaultBodyLimit, type Route } from "./route.ts";

const contentTypes = { json: "application/json", form: "application/x-www-form-urlencoded" } as const;

/**
 * The body as the route expects it, undefined when there is none. Gateways hand bodies over as text or base64, clients
 * may gzip them; the limit holds for the inflated size.
 *
 * @throws ApiError `body-too-large`, `unsupported-media-type`, `bad-request`
 */
export function readBody(event: HttpEvent, route: Route): unknown {
  const limit = route.bodyLimit ?? defaultBodyLimit;
  const sent = Buffer.from(event.body ?? "", event.isBase64Encoded ? "base64" : "utf8");
  if (sent.length > limit) throw new ApiError("body-too-large");
  if (route.body === undefined || sent.length === 0) return undefined;

  const format = route.bodyFormat ?? "json";
  if (mediaType(event) !== contentTypes[format]) {
    throw new ApiError("unsupported-media-type", { message: `The body must be ${contentTypes[format]}` });
  }
  const text = decodeText(inflate(sent, event.headers["content-encoding"], limit));
  if (format === "form") return Object.fromEntries(new URLSearchParams(text));
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ApiError("bad-request", { message: "The body is not valid JSON", cause });
  }
}

const mediaType = (event: HttpEvent) => event.headers["content-type"]?.split(";")[0]?.trim().toLowerCase();

function inflate(bytes: Buffer, encoding: string | undefined, limit: number): Buffer {
  if (encoding === undefined || encoding.toLowerCase() === "identity") return bytes;
  if (encoding.toLowerCase() !== "gzip") {
    throw new ApiError("unsupported-media-type", { message: "The body may only be compressed with gzip" });
  }
  try {
    return gunzipSync(bytes, { maxOutputLength: limit });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE")
      throw new ApiError("body-too-large", { cause });
    throw new ApiError("bad-request", { message: "The body is not valid gzip", cause });
  }
}

function decodeText(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ApiError("bad-request", { message: "The body is not valid UTF-8", cause });
  }
}
