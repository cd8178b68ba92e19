import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import type * as z from "zod";
import { scimErrorLabel } from "#shared/registry/errors/provisioning.ts";
import { isTooLarge } from "./answer-size.ts";
import { ApiError } from "./api-error.ts";
import type { ResponseBody, Route } from "./route.ts";

/** A function's response, in the form that the gateways expect. */
export type HttpResult = APIGatewayProxyStructuredResultV2;

const json = "application/json;charset=utf-8";
const scimJson = "application/scim+json;charset=utf-8";

const names = (accept: string, type: string) => accept.toLowerCase().includes(type);
const knowsScim = (accept: string) => names(accept, "application/scim+json");
/** Libraries for SCIM that accept any type refuse members that RFC 7644 does not have. */
const takesScim = (accept: string) =>
  knowsScim(accept) || (names(accept, "*/*") && !names(accept, "application/json"));

/** Content type for a client that accepts JSON but not that of SCIM (RFC 7644 §3.8). */
export const acceptableType = (type: string, accept = ""): string =>
  type === scimJson && names(accept, "application/json") && !knowsScim(accept) ? json : type;

interface AnyReply {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: readonly string[];
}

/** The status of a handler's reply, which may omit it if its route has only one. */
export const statusOf = ({ responses }: Route, { status }: Pick<AnyReply, "status">) =>
  status ?? Number(Object.keys(responses)[0]);

/** Renders a handler's reply; fields that the response schema lacks are stripped. @throws when the reply does not fit */
export function renderReply(route: Route, reply: AnyReply): HttpResult {
  const status = statusOf(route, reply);
  const declared = route.responses[status];
  if (declared === undefined)
    throw new Error(`${route.method} ${route.path} does not declare status ${status}`);
  const jsonType = route.errorFormat === "scim" ? scimJson : json;
  const content = renderBody(declared, reply.body, jsonType);
  if (isTooLarge(content?.text ?? ""))
    throw new Error(`${route.method} ${route.path} has too large an answer`);
  return {
    statusCode: status,
    headers: { ...(content && { "content-type": content.type }), ...reply.headers },
    ...(reply.cookies && { cookies: [...reply.cookies] }),
    body: content?.text ?? "",
    ...(content?.isBase64 && { isBase64Encoded: true }),
  };
}

/** Renders an error with the error body of the interface. */
export function renderError(error: ApiError): HttpResult {
  const { status, label, message, headers, fields } = error;
  return {
    statusCode: status,
    headers: { "content-type": json, ...headers },
    body: JSON.stringify({ code: status, label, message, ...fields }),
  };
}

/** Renders an error as OAuth libraries read it (RFC 6749 §5.2), together with the error body of the interface. */
export function renderOAuthError(error: ApiError): HttpResult {
  const { status, label, message, oauthError, headers, fields } = error;
  const body = { error: oauthError, error_description: toDescription(message), code: status, label, message };
  return {
    statusCode: status,
    headers: { "content-type": json, ...headers },
    body: JSON.stringify({ ...body, ...fields }),
  };
}

/** The characters that RFC 6749 allows in `error_description`. */
const toDescription = (message: string) => message.replaceAll(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "'");

/**
 * Renders an error in SCIM form (RFC 7644 §3.12), where `status` is a string, together with the error body of the
 * interface. A client that asks for the content type of SCIM gets the SCIM form alone, because strict clients refuse
 * other fields.
 */
export function renderScimError(error: ApiError, accept = ""): HttpResult {
  const { status, scimType, message, headers, fields } = error;
  const body = {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
    status: String(status),
    scimType,
    detail: message,
    ...(!takesScim(accept) && { code: status, label: scimErrorLabel, message, ...fields }),
  };
  return {
    statusCode: status,
    headers: { "content-type": scimJson, ...headers },
    body: JSON.stringify(body),
  };
}

interface Content {
  readonly type: string;
  readonly text: string;
  readonly isBase64?: boolean;
}

function renderBody(declared: ResponseBody, body: unknown, jsonType: string): Content | undefined {
  if (declared === null) return undefined;
  if (!("parse" in declared)) {
    const type = declared.contentType;
    return body instanceof Uint8Array
      ? { type, text: Buffer.from(body).toString("base64"), isBase64: true }
      : { type, text: String(body) };
  }
  const view = declared.parse(body);
  return view === undefined ? undefined : { type: jsonType, text: JSON.stringify(view) };
}

/** Describes the first problem of an input and its place. */
export function toBadRequest(part: string, error: z.ZodError): ApiError {
  const [issue] = error.issues;
  const place = [part, ...(issue?.path ?? [])].join(".");
  return new ApiError("bad-request", { message: `${place}: ${issue?.message ?? "invalid"}`, cause: error });
}
