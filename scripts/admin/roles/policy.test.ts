import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { families } from "#functions/families.ts";
import { apiOperations } from "../api-documents.ts";
import type { Operation } from "../operations.ts";
import { isNamed, operationsOf, policyOf } from "./policy.ts";
import { operationsByAccess, type Role, roles } from "./roles.ts";

const account = "arn:aws:cloudformation:eu-central-1:123456789012";
const api = { stackArn: `${account}:stack/parley-prod-api/0af3`, apiId: "a1b2c3d4e5" };
const prefix = "arn:aws:execute-api:eu-central-1:123456789012:a1b2c3d4e5/$default/";
const operations = apiOperations();
const { internal, users } = operations;
const all = [...internal, ...users];
const entries = Object.values(operationsByAccess).flat();

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Documented>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}
interface Documented {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, unknown>>;
}
const documents = ["openapi-internal.json", "openapi.json"].map(
  (file): Document => JSON.parse(readFileSync(join(import.meta.dirname, "../../../docs", file), "utf8")),
);

/** Names of the properties in the answer of an operation, at any level. */
const namesAnsweredBy = (operationId: string): string[] =>
  documents.flatMap((document) => {
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    const found = operations.find((operation) => operation.operationId === operationId);
    return namesIn(document, found?.responses["200"]);
  });

function namesIn(document: Document, schema: unknown, seen: readonly unknown[] = []): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { $ref, properties, ...others } = schema as Record<string, unknown>;
  if (typeof $ref === "string")
    return seen.includes($ref)
      ? []
      : namesIn(document, document.components.schemas[$ref.replace(/^.*\//, "")], [...seen, $ref]);
  const values = [...Object.values(properties ?? {}), ...Object.values(others)];
  return [...Object.keys(properties ?? {}), ...values.flatMap((value) => namesIn(document, value, seen))];
}

/** Patterns of method and path that a role may call. */
const patternsOf = (role: Role): string[] =>
  (policyOf(role, operations, api).Statement[0]?.Resource ?? []).map((arn) => arn.replace(prefix, ""));

/** Placeholder for any characters within a segment of a path. */
const anything = "~";
/** Method and path of the requests of an operation: ids are UUIDs, because other requests are refused. */
const requestsOf = (operation: Operation) =>
  [operation.path, ...(users.includes(operation) ? [`/v9${operation.path}`] : [])].map((path) =>
    requestOf({ ...operation, path }),
  );
const requestOf = ({ method, path, parameters }: Operation) =>
  method +
  path.replace(/\{(\w+)\}/g, (_, name) =>
    parameters.find((parameter) => parameter.name === name)?.schema.format === "uuid"
      ? "0190a5b8-7f6e-7d43-8a51-3c2a9be0d1f4"
      : anything,
  );

/** Whether a pattern of IAM matches one of the requests: `*` is any text, slashes included, and `?` any character. */
function canMatch([part, ...parts]: readonly string[], [letter, ...letters]: readonly string[]): boolean {
  if (part === "*")
    return (
      canMatch(parts, letter === undefined ? [] : [letter, ...letters]) ||
      (letter !== undefined && canMatch([part, ...parts], letters))
    );
  if (letter === anything)
    return (
      canMatch(part === undefined ? [] : [part, ...parts], letters) ||
      (part !== undefined && part !== "/" && canMatch(parts, [letter, ...letters]))
    );
  if (part === undefined || letter === undefined) return part === letter;
  return (part === "?" || part === letter) && canMatch(parts, letters);
}
const allows = (patterns: readonly string[], request: string) =>
  patterns.some((pattern) => canMatch([...pattern], [...request]));

describe("the roles of operators", () => {
  it("cover each operation of the internal API once, and no others", () => {
    const undecided = internal.filter(
      ({ operationId }) => entries.filter((entry) => isNamed(entry, operationId)).length !== 1,
    );
    const advice = "scripts/admin/roles/roles.ts names each operation of the internal API once";
    expect(
      undecided.map(({ operationId }) => operationId),
      advice,
    ).toEqual([]);
    const unknown = entries.filter((entry) => !all.some(({ operationId }) => isNamed(entry, operationId)));
    expect(unknown, advice).toEqual([]);
  });

  it("use the API documents of the route tables", () => {
    const routes = families.flatMap(({ routes }) => Object.entries(routes));
    const ids = routes
      .filter(([, { auth, formOf }]) => auth === "internal" && formOf === undefined)
      .map(([id]) => id);
    expect(new Set(internal.map(({ operationId }) => operationId))).toEqual(new Set(ids));
  });

  it.each(["help-desk", "auditor"] as const)("show the %s no codes, secrets and tokens", (role) => {
    const names = operationsOf(role, all).flatMap(({ operationId }) => namesAnsweredBy(operationId));
    const shown = new Set(names.filter((name) => /code|secret|token|password/i.test(name)));
    // None of them gives access: a DNS record, ids of tokens and identity providers, and a feature.
    expect(shown).toEqual(
      new Set(["dns_verification_token", "refresh_token_id", "sndFactorPasswordChallenge", "sso_code"]),
    );
  });

  it("let the auditor change nothing", () => {
    const writing = operationsOf("auditor", all).filter(({ method }) => !["GET", "HEAD"].includes(method));
    // Reads whose lists of ids are too long for a query.
    expect(writing.map(({ operationId }) => operationId)).toEqual([
      "i-get-team-members-by-ids-using-post",
      "i-find-team-members",
      "i-scim-get-user-info",
    ]);
  });
});

describe.each(roles)("the policy of the %s", (role) => {
  const patterns = patternsOf(role);
  const allowed = operationsOf(role, all);

  it("allows the operations of the role", () => {
    const refused = allowed.flatMap(requestsOf).filter((request) => !allows(patterns, request));
    expect(refused).toEqual([]);
  });

  it("fits into a managed policy of at most 6,144 characters", () => {
    expect(JSON.stringify(policyOf(role, operations, api)).length).toBeLessThanOrEqual(6144);
  });
});

it.each(["help-desk", "auditor"] as const)(
  "the policy of the %s allows nothing else, for any parameters",
  (role) => {
    const allowed = operationsOf(role, all);
    const others = all.filter((operation) => !allowed.includes(operation)).flatMap(requestsOf);
    expect(others.filter((request) => allows(patternsOf(role), request))).toEqual([]);
  },
);
