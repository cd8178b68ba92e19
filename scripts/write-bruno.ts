// Writes a collection for Bruno, generated from docs/openapi.json:
//   npm run bruno -- FOLDER [BASE-URL]
// The environment "local" contains the address (http://127.0.0.1:8080) and the variables email and password. Running
// "login" stores its access token for all other requests.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly examples?: readonly unknown[];
}
interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security: readonly object[];
  readonly servers?: readonly { readonly url: string }[];
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}
interface ApiDocument {
  readonly info: { readonly title: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const api: ApiDocument = JSON.parse(readFileSync(join(import.meta.dirname, "../docs/openapi.json"), "utf8"));

function exampleOf(schema: Schema): unknown {
  const { $ref, anyOf, examples } = schema;
  if ($ref !== undefined) return exampleOf(api.components.schemas[$ref.replace(/.*\//, "")] ?? {});
  return examples?.[0] ?? (anyOf?.[0] && exampleOf(anyOf[0]));
}

const block = (name: string, lines: readonly string[]) =>
  lines.length === 0 ? [] : [`${name} {\n${lines.map((line) => `  ${line}`).join("\n")}\n}\n`];

function toRequest(path: string, method: string, operation: Operation): string {
  const { operationId, parameters = [], requestBody, security, servers = api.servers } = operation;
  const inPlace = (place: string) =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, required }) => `${place === "path" || required ? "" : "~"}${name}: `);
  const [[type, content] = []] = Object.entries(requestBody?.content ?? {});
  const example = content && exampleOf(content.schema);
  const isJson = type?.endsWith("json") === true;
  const isForm = type === "application/x-www-form-urlencoded";
  const isLogin = operationId === "login";
  const body = isLogin ? { email: "{{email}}", password: "{{password}}" } : example;
  const needsToken = security.some((scheme) => "accessToken" in scheme);
  const prefix = servers[0]?.url.replace(/\/$/, "") ?? "";
  return [
    ...block("meta", [`name: ${operationId}`, "type: http"]),
    ...block(method, [
      `url: {{baseUrl}}${prefix}${path.replaceAll(/\{(\w+)\}/g, ":$1")}`,
      `body: ${isJson ? "json" : isForm ? "formUrlEncoded" : "none"}`,
      `auth: ${needsToken ? "bearer" : "none"}`,
    ]),
    ...block("params:query", inPlace("query")),
    ...block("params:path", inPlace("path")),
    ...block("headers", inPlace("header")),
    ...block("auth:bearer", needsToken ? ["token: {{token}}"] : []),
    ...block("body:json", isJson ? JSON.stringify(body ?? {}, null, 2).split("\n") : []),
    ...block(
      "body:form-urlencoded",
      isForm ? Object.entries(example ?? {}).map(([name, value]) => `${name}: ${value}`) : [],
    ),
    ...block(
      "script:post-response",
      isLogin ? ['if (res.status === 200) bru.setVar("token", res.body.access_token);'] : [],
    ),
  ].join("\n");
}

const [folder, baseUrl = "http://127.0.0.1:8080"] = process.argv.slice(2);
if (folder === undefined) {
  console.error("usage: npm run bruno -- FOLDER [BASE-URL]");
  process.exitCode = 2;
} else {
  const write = (file: string, text: string) => {
    mkdirSync(join(folder, file, ".."), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  const about = { version: "1", name: api.info.title, type: "collection" };
  write("bruno.json", `${JSON.stringify(about, null, 2)}\n`);
  write("environments/local.bru", block("vars", [`baseUrl: ${baseUrl}`, "email: ", "password: "]).join("\n"));
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const file = join(operation.tags[0] ?? "", `${operation.operationId}.bru`);
      write(file, toRequest(path, method, operation));
    }
  }
}
