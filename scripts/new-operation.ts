// Adds an operation to an endpoint family, which it creates if needed, as code that compiles, passes its test, and only
// needs filling in: npm run new:operation -- DOMAIN/FAMILY OPERATION METHOD PATH [none|user|internal] npm run
// new:operation -- teams/invitations send-team-invitation POST '/teams/{tid}/invitations'
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { domains } from "#shared/registry/domains.ts";

const root = join(import.meta.dirname, "..");
const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const audiences = ["none", "user", "internal"];
const usage = `usage: npm run new:operation -- DOMAIN/FAMILY OPERATION ${methods.join("|")} PATH [${audiences.join("|")}]`;

interface Operation {
  readonly domain: string;
  readonly family: string;
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly auth: string;
}

const changed: string[] = [];

function addOperation(operation: Operation): void {
  const { domain, family, id } = operation;
  const folder = `functions/${domain}/${family}`;
  if (!existsSync(join(root, folder))) createFamily(operation, folder);
  const routes = read(`${folder}/routes.ts`);
  if (routes.includes(`"${id}":`)) throw new Error(`${folder}/routes.ts already has the operation ${id}`);
  const rows = routes.includes("./schemas.ts")
    ? routes
    : `import * as schemas from "./schemas.ts";\n${routes}`;
  write(`${folder}/routes.ts`, beforeLast(rows, "});", row(operation)));
  write(`${folder}/schemas.ts`, read(`${folder}/schemas.ts`) + schemas(operation));
  const handlers = withImports([[camel(id), `./${id}.ts`]], read(`${folder}/handlers.ts`));
  write(`${folder}/handlers.ts`, beforeLast(handlers, "  };", handler(operation)));
  write(`${folder}/${id}.ts`, useCase(operation));
  const test = `test/e2e/${domain}/${family}.test.ts`;
  const tests = existsSync(join(root, test)) ? read(test) : "";
  write(test, withImports(testImports(operation), tests) + testOf(operation));
}

function createFamily({ domain, family }: Operation, folder: string): void {
  mkdirSync(join(root, folder), { recursive: true });
  mkdirSync(join(root, `test/e2e/${domain}`), { recursive: true });
  write(
    `${folder}/family.ts`,
    `import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "${domain}",
  name: "${family}",
  summary: "${sentence(family)}",
  routes,
  secrets: ["verification-keys"],
};
`,
  );
  write(
    `${folder}/routes.ts`,
    `import { defineRoutes } from "#shared/platform/http/route.ts";\n\nexport const routes = defineRoutes({\n});\n`,
  );
  write(`${folder}/schemas.ts`, `import * as z from "zod";\n`);
  write(
    `${folder}/deps.ts`,
    `import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { createVerifiers } from "#shared/tokens/verifiers.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const secrets = new SecretReader(runtime);
  return {
    ...runtime,
    ...createVerifiers(runtime, secrets),
  };
}
`,
  );
  write(
    `${folder}/handlers.ts`,
    `import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "./deps.ts";
import type { routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  return {
  };
}
`,
  );
  write(`${folder}/README.md`, `# ${family}\n\n${sentence(family)}.\n\n## Peculiarities\n`);
  const name = camel(family);
  const families = `import { family as ${name} } from "./${domain}/${family}/family.ts";\n${read("functions/families.ts")}`;
  write(
    "functions/families.ts",
    families.replace(/(families: readonly Family\[\] = \[[^\]]*)\]/, `$1  ${name},\n]`),
  );
}

const row = ({ id, method, path, auth }: Operation) => `  "${id}": {
    method: "${method}",
    path: "${path}",
    auth: "${auth}",
    summary: "${sentence(id)}",
${parameters(path).length > 0 ? `    params: schemas.${camel(id)}Path,\n` : ""}${takesBody(method) ? `    body: schemas.${camel(id)}Request,\n` : ""}    responses: { 200: schemas.${camel(id)}View },
    errors: [],
  },
`;

const schemas = ({ id, method, path }: Operation) => {
  const fields = parameters(path).map((name) => `${name}: z.string().meta({ description: "${name}" })`);
  return `
${fields.length > 0 ? `export const ${camel(id)}Path = z.object({ ${fields.join(", ")} });\n` : ""}${
  takesBody(method)
    ? `export const ${camel(id)}Request = z.object({}).meta({ id: "${pascal(id)}Request", examples: [{}] });\n`
    : ""
}export const ${camel(id)}View = z.object({ at: z.iso.datetime() }).meta({ id: "${pascal(id)}View" });
`;
};

const handler = ({ id }: Operation) => `
    "${id}": async () => ({ body: await ${camel(id)}(deps) }),
`;

const useCase = ({ id }: Operation) => `import type { Deps } from "./deps.ts";

/**
 * ${sentence(id)}.
 *
 * @see operation \`${id}\`
 */
export async function ${camel(id)}({ clock }: Deps): Promise<{ at: string }> {
  return { at: new Date(clock()).toISOString() };
}
`;

/** Imports of the operation's test: name and module. */
const testImports = ({ auth }: Operation): [string, string][] => [
  ["expect", "vitest"],
  ["it", "vitest"],
  [apiFor(auth), "../../support/api.ts"],
  ...(auth === "user" ? [["newUser", "../../support/users.ts"] as [string, string]] : []),
];

const apiFor = (auth: string) => (auth === "internal" ? "internalApi" : "api");

const testOf = ({ id, method, path, auth }: Operation) => `
it("${id} answers with the time", async () => {
${auth === "user" ? "  const { token } = await newUser();\n" : ""}  const answer = await ${apiFor(auth)}("${method}", "${path.replaceAll(/\{\w+\}/g, "any")}", {${
  auth === "user" ? " token," : ""
}${takesBody(method) ? " json: {}," : ""} });
  expect(answer.status).toBe(200);
});
`;

const parameters = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
const takesBody = (method: string) => ["POST", "PUT", "PATCH"].includes(method);
const pascal = (id: string) =>
  id
    .split("-")
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("");
const camel = (id: string) => pascal(id).slice(0, 1).toLowerCase() + pascal(id).slice(1);
/** Drops the prefix of internal operations, such as `i-get-user`. */
const sentence = (id: string) => {
  const words = id.replace(/^i-/, "").replaceAll("-", " ");
  return words.slice(0, 1).toUpperCase() + words.slice(1);
};

/** Adds the imports that a file lacks; Biome sorts them. */
const withImports = (imports: readonly [name: string, module: string][], text: string) =>
  imports
    .filter(([name]) => !new RegExp(`^import .*\\b${name}\\b`, "m").test(text))
    .map(([name, module]) => `import { ${name} } from "${module}";\n`)
    .join("") + text;

function beforeLast(text: string, mark: string, addition: string): string {
  const at = text.lastIndexOf(mark);
  if (at < 0) throw new Error(`Found no "${mark}" to insert this before:\n${addition}`);
  return text.slice(0, at) + addition + text.slice(at);
}

const read = (file: string) => readFileSync(join(root, file), "utf8");

function write(file: string, text: string): void {
  writeFileSync(join(root, file), text);
  if (!changed.includes(file)) changed.push(file);
}

function main([place = "", id = "", method = "", path = "", auth = "user"]: string[]): void {
  const [domain = "", family = "", ...rest] = place.split("/");
  const isName = (text: string) => /^[a-z][a-z0-9-]*$/.test(text);
  const isValid =
    [domain, family, id].every(isName) &&
    rest.length === 0 &&
    methods.includes(method) &&
    path.startsWith("/");
  if (!isValid || !audiences.includes(auth)) {
    console.error(usage);
    process.exitCode = 1;
    return;
  }
  if (!(domain in domains)) {
    console.error(`Introduce the domain ${domain} in shared/registry/domains.ts first`);
    process.exitCode = 1;
    return;
  }
  addOperation({ domain, family, id, method, path, auth });
  spawnSync(process.execPath, ["node_modules/@biomejs/biome/bin/biome", "check", "--write", ...changed], {
    cwd: root,
    stdio: "inherit",
  });
  console.log(changed.join("\n"));
  console.log("Next: schemas, errors and requirements of the row; the use case and its tests; npm run docs");
}

main(process.argv.slice(2));
