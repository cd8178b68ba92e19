import { STATUS_CODES } from "node:http";
import * as z from "zod";
import type { ErrorRow } from "#shared/registry/errors/define-errors.ts";
import { scimErrorLabel } from "#shared/registry/errors/provisioning.ts";
import { errorCatalogue } from "#shared/registry/errors.ts";
import { pageBody } from "../html/page.ts";
import type { ErrorName } from "../product.ts";
import { type Components, errorNameOf, type JsonSchema, type Response } from "./openapi-components.ts";
import { type ErrorFormat, impliedErrors, type ResponseBody, type Route } from "./route.ts";

const json = "application/json";
const scimJson = "application/scim+json";

/** Describes responses by status. A status that stands for both a success and errors shows both. */
export function describeResponses(route: Route, components: Components): JsonSchema {
  const errors = Map.groupBy(
    new Set([...route.errors, ...impliedErrors(route)]),
    (name) => errorCatalogue[name].status as number,
  );
  const declared = new Map(Object.entries(route.responses).map(([status, body]) => [Number(status), body]));
  const statuses = [...new Set([...declared.keys(), ...errors.keys()])].sort((one, other) => one - other);
  return Object.fromEntries(
    statuses.map((status) => {
      const names = errors.get(status) ?? [];
      const body = declared.get(status);
      const answer = body === undefined ? undefined : describeResponse(route, status, body, components);
      if (names.length === 0) return [status, answer];
      const { errorFormat = "json" } = route;
      const refusal =
        errorFormat === "scim"
          ? describeScimErrors(names, components)
          : describeErrors(names, errorFormat, components);
      if (answer !== undefined) return [status, eitherOf(answer, refusal)];
      // Most statuses have a single error, which many operations share.
      const [only, ...others] = names;
      const shared = errorFormat === "json" || only?.startsWith("scim-") ? only : `${only}-${errorFormat}`;
      return [status, shared && others.length === 0 ? components.share(shared, refusal) : refusal];
    }),
  );
}

/** Statuses of the interface that HTTP does not have. */
const ownStatuses: Readonly<Record<number, string>> = { 533: "Unreachable Backends" };

function describeResponse(
  { errorFormat, responseHeaders = {} }: Route,
  status: number,
  body: ResponseBody,
  components: Components,
): Response {
  const headers = Object.entries(responseHeaders).map(([name, description]) => [
    name,
    { description, schema: { type: "string" } },
  ]);
  return {
    description: STATUS_CODES[status] ?? ownStatuses[status] ?? "",
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    ...(body !== null && { content: contentOf(body, errorFormat === "scim", components) }),
  };
}

function contentOf(
  body: NonNullable<ResponseBody>,
  isScim: boolean,
  components: Components,
): Response["content"] {
  if (!("parse" in body)) return { [body.contentType]: { schema: { type: "string" } } };
  const content = { schema: components.refer(body, "output") };
  return isScim ? { [scimJson]: content, [json]: content } : { [json]: content };
}

/** Describes the errors of one status by the schemas of the labels that can occur. */
function describeErrors(names: readonly ErrorName[], format: ErrorFormat, components: Components): Response {
  const isPage = format === "page" || format === "own";
  const rows = names.map((name): ErrorRow => errorCatalogue[name]);
  const byLabel = Map.groupBy(rows, ({ label }) => label);
  const labels = [...byLabel.keys()].sort();
  const schemas = labels.map((label) => defineError(label, components));
  const causesOf = (label: string) => byLabel.get(label)?.map(({ message }) => message) ?? [];
  return {
    description: labels.map((label) => `- \`${label}\`: ${causesOf(label).join("; ")}`).join("\n"),
    ...(rows.some(({ hasRetryAfter }) => hasRetryAfter) && { headers: { "Retry-After": retryAfter } }),
    content: {
      [json]: { schema: unionOf(format === "oauth" ? [oauthError(components), ...schemas] : schemas) },
      ...(isPage && { [pageBody.contentType]: { schema: { type: "string" } } }),
    },
  };
}

/** The schema of the errors with a label, for every status; all operations refer to it. */
function defineError(label: string, components: Components): JsonSchema {
  const rows = Object.values<ErrorRow>(errorCatalogue).filter((row) => row.label === label);
  const fields = [...new Set(rows.flatMap((row) => row.fields ?? []))];
  const shape = z.object({
    ...errorBody.shape,
    label: z.literal(label),
    ...Object.fromEntries(fields.map((field) => [field, z.int().optional()])),
  });
  return components.define(errorNameOf(label), components.inline(shape, "output"));
}

const unionOf = (schemas: readonly JsonSchema[]): JsonSchema =>
  schemas.length === 1 ? (schemas[0] as JsonSchema) : { anyOf: schemas };

/** Describes the errors of one status as SCIM has them. */
function describeScimErrors(names: readonly ErrorName[], components: Components): Response {
  const rows = names.map((name): ErrorRow => errorCatalogue[name]);
  const content = { schema: components.refer(scimErrorBody, "output") };
  const describeRow = ({ scimType, message }: ErrorRow) =>
    scimType === undefined ? `- ${message}` : `- \`${scimType}\`: ${message}`;
  return {
    description: rows.map(describeRow).join("\n"),
    ...(rows.some(({ hasRetryAfter }) => hasRetryAfter) && { headers: { "Retry-After": retryAfter } }),
    content: { [scimJson]: content, [json]: content },
  };
}

function eitherOf(answer: Response, refusal: Response): Response {
  const [one, other] = [answer.content?.[json]?.schema, refusal.content?.[json]?.schema];
  return {
    description: `${answer.description}, or one of these errors:\n\n${refusal.description}`,
    headers: { ...answer.headers, ...refusal.headers },
    content: {
      ...answer.content,
      ...refusal.content,
      ...(one && other && { [json]: { schema: unionOf([one, ...formsOf(other)]) } }),
    },
  };
}

/** A union in a union is one union. */
const formsOf = (schema: JsonSchema) => (schema.anyOf as readonly JsonSchema[] | undefined) ?? [schema];

const retryAfter = { description: "Seconds to wait before the next request", schema: { type: "integer" } };

/** Body of every error. */
const errorBody = z.object({
  code: z.int().meta({ description: "The status of the answer" }),
  label: z.string().meta({ description: "Kind of error, for programs" }),
  message: z.string().meta({ description: "What went wrong, for developers" }),
});

/** Body of an error that an OAuth library gets (RFC 6749 §5.2), with the fields of every error. */
const oauthErrorBody = errorBody
  .extend({
    error: z.string().meta({ description: "Kind of error in the words of RFC 6749 §5.2" }),
    error_description: z.string().meta({ description: "As `message`" }),
  })
  .meta({ id: "OAuthError" });

/** Common fields of all errors of an operation for OAuth libraries. */
const oauthError = (components: Components) => components.refer(oauthErrorBody, "output");

const notForScimReaders = "Absent for a client that accepts `application/scim+json`, by name or as `*/*`";
/** Body of an error that a directory gets (RFC 7644 §3.12), with the fields of every error. */
const scimErrorBody = z
  .object({
    schemas: z.array(z.string()),
    status: z.string().meta({ description: "The status of the answer" }),
    scimType: z.string().optional().meta({ description: "Kind of error, where RFC 7644 has a word for it" }),
    detail: z.string().meta({ description: "What went wrong" }),
    code: z
      .int()
      .optional()
      .meta({ description: `As \`status\`. ${notForScimReaders}` }),
    label: z.literal(scimErrorLabel).optional().meta({ description: notForScimReaders }),
    message: z
      .string()
      .optional()
      .meta({ description: `As \`detail\`. ${notForScimReaders}` }),
  })
  .meta({ id: "ScimError" });
