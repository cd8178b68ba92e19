import { randomUUID } from "node:crypto";
import { causeHeader } from "./recording-proxy.ts";

export interface BenchRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as a form. */
  readonly form?: Readonly<Record<string, string>>;
  /** Sent unchanged, as MLS messages. */
  readonly mls?: Uint8Array<ArrayBuffer>;
  /** Sent as the parts of an upload, with the boundary `frontier`. */
  readonly multipart?: Uint8Array<ArrayBuffer>;
}

export interface BenchAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the benchmark reads only fields that it knows to exist
  readonly body: any;
  /** Identifies the request in recorded calls. */
  readonly cause: string;
  readonly milliseconds: number;
}

/** The APIs of a stack, and its clock. */
export interface BenchStack {
  /** Prefix of the names of its resources. */
  readonly prefix: string;
  readonly publicUrl: string;
  readonly internalUrl: string;
  advance(seconds: number): void;
}

/**
 * Send a request and time it.
 * @throws Error for an unexpected status, which would make the figures meaningless
 */
export async function call(
  baseUrl: string,
  { method, path, headers, ...content }: BenchRequest,
  expectedStatus: number,
): Promise<BenchAnswer> {
  const cause = randomUUID();
  const startedAt = performance.now();
  const response = await fetch(baseUrl + path, {
    method,
    headers: { ...typeOf(content), ...headers, [causeHeader]: cause },
    body: bodyOf(content),
  });
  const text = await response.text();
  const milliseconds = performance.now() - startedAt;
  if (response.status !== expectedStatus) {
    throw new Error(`${method} ${path} answered ${response.status} instead of ${expectedStatus}: ${text}`);
  }
  const { status, headers: answered } = response;
  const isJson = answered.get("content-type")?.startsWith("application/json") ?? false;
  return { status, headers: answered, body: isJson && text ? JSON.parse(text) : text, cause, milliseconds };
}

type Content = Pick<BenchRequest, "json" | "form" | "mls" | "multipart">;

export function typeOf({ json, form, mls, multipart }: Content): Record<string, string> {
  if (mls !== undefined) return { "content-type": "message/mls" };
  if (multipart !== undefined) return { "content-type": "multipart/mixed; boundary=frontier" };
  if (form !== undefined) return { "content-type": "application/x-www-form-urlencoded" };
  return json === undefined ? {} : { "content-type": "application/json" };
}

export function bodyOf({
  json,
  form,
  mls,
  multipart,
}: Content): string | Uint8Array<ArrayBuffer> | undefined {
  if (mls !== undefined) return mls;
  if (multipart !== undefined) return multipart;
  if (form !== undefined) return new URLSearchParams(form).toString();
  return json === undefined ? undefined : JSON.stringify(json);
}
