import { describe, expect, it } from "vitest";
import { internalOpenapi, openapiOf } from "#functions/platform/api-info/openapi-of.ts";
import type { OpenApiDocument } from "#shared/platform/http/openapi.ts";
import { allVersions, newestVersion } from "#shared/platform/http/versions.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { type ApiRequest, api, internalApi, outcome } from "../../support/api.ts";
import { operations } from "../../support/contract.ts";
import { samplePath, sampleQuery } from "../../support/sample.ts";
import { newUser, type User } from "../../support/users.ts";

/** What "Try it out" fills in is what people send first, so each operation must understand it. */

interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly examples?: readonly unknown[];
}

interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

const settings = parseSettings({});
const form = "application/x-www-form-urlencoded";

/** Bodies as the page with the document fills them in, by operation id. */
function examplesIn({ paths, components }: OpenApiDocument) {
  const exampleOf = ({ $ref, anyOf, examples }: Schema): unknown => {
    if ($ref !== undefined) return exampleOf(components.schemas[$ref.replace(/.*\//, "")] as Schema);
    return examples?.[0] ?? (anyOf?.[0] && exampleOf(anyOf[0]));
  };
  return Object.values(paths)
    .flatMap((methods) => Object.values(methods) as Operation[])
    .flatMap(({ operationId, requestBody }) => {
      const [[type, content] = []] = Object.entries(requestBody?.content ?? {});
      return content ? [{ operationId, type, example: exampleOf(content.schema) }] : [];
    });
}

const documents = [...allVersions.map((version) => openapiOf(version, settings)), internalOpenapi(settings)];
const examples = [
  ...new Map(documents.flatMap(examplesIn).map((example) => [example.operationId, example])).values(),
];
/** Forms of pages have tokens in hidden fields, so nobody fills them in elsewhere; nobody writes protobuf or MLS by hand. */
const isFilledInByPeople = ({ operationId, type = "" }: (typeof examples)[number]) =>
  type === form
    ? operationId === "create-oauth-access-token"
    : !["application/x-protobuf", "message/mls"].includes(type);

function send({ operationId, type, example }: (typeof examples)[number], user: User) {
  const route = operations[operationId];
  if (route === undefined) throw new Error(`There is no operation ${operationId}`);
  const request: ApiRequest =
    type === form
      ? {
          body: new URLSearchParams(example as Record<string, string>).toString(),
          headers: { "content-type": form },
        }
      : { json: example };
  const isInternal = route.auth === "internal";
  const prefix = isInternal ? "" : `/v${route.until ?? newestVersion}`;
  const path = prefix + samplePath(route) + sampleQuery(route);
  return isInternal
    ? internalApi(route.method, path, { ...request, headers: { "Z-User": user.id } })
    : api(route.method, path, {
        ...request,
        ...(route.auth !== "none" && { token: user.token, cookie: user.cookie }),
      });
}

describe.concurrent("the API document's example", () => {
  it.each(examples.filter(isFilledInByPeople))("for $operationId exists", ({ example }) => {
    expect(example).toBeDefined();
  });

  // `fetch` sends no body with GET.
  const sendable = examples.filter(
    (example) => isFilledInByPeople(example) && operations[example.operationId]?.method !== "GET",
  );

  it.each(sendable)("for $operationId is understood", async (example) => {
    expect(outcome(await send(example, await newUser()))).not.toBe("400 bad-request");
  });

  it.each(["register", "add-client"])("for %s behaves as it says", async (operationId) => {
    const example = examples.find((candidate) => candidate.operationId === operationId);
    expect(example && (await send(example, await newUser())).status).toBe(201);
  });

  it("for i-send-idp-changed-email contains a valid identity provider", async () => {
    const example = examples.find(({ operationId }) => operationId === "i-send-idp-changed-email");
    expect(example && (await send(example, await newUser())).status).toBe(200);
  });
});
