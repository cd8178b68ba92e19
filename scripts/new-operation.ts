// Adds an operation to an endpoint family, or to the folder of one of its resources, which it creates if needed, as
// code that compiles, passes its test, and is ready to be filled in:
//   npm run new:operation -- DOMAIN/FAMILY[/RESOURCE] OPERATION METHOD PATH [none|user|internal]
//   npm run new:operation -- people/users get-user-status GET '/users/{uid}/status'
//   npm run new:operation -- teams/teams/invitations send-team-invitation POST '/teams/{tid}/invitations'
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { families, workers } from "#functions/families.ts";
import { domains } from "#shared/registry/domains.ts";

const root = join(import.meta.dirname, "..");
const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const audiences = ["none", "user", "internal"];
const usage = `usage: npm run new:operation -- DOMAIN/FAMILY[/RESOURCE] OPERATION ${methods.join("|")} PATH [${audiences.join("|")}]`;

interface Operation {
  readonly domain: string;
  readonly family: string;
  /** The folder within the family's. */
  readonly resource: string | undefined;
  readonly id: string;
  /** Name of its use case: the id; for an internal operation without its prefix, if that name is free. */
  readonly task: string;
  readonly method: string;
  readonly path: string;
  readonly auth: string;
}

/** The reason why nothing is written. */
class RefusedError extends Error {}

/** The texts to write, by file. */
const texts = new Map<string, string>();

function addOperation(operation: Operation): void {
  const { domain, family, resource, task } = operation;
  const familyFolder = `functions/${domain}/${family}`;
  const folder = resource === undefined ? familyFolder : `${familyFolder}/${resource}`;
  if (!exists(familyFolder)) createFamily(operation, familyFolder);
  if (resource !== undefined && !exists(folder)) createResource(familyFolder, resource);
  const routes = exists(`${folder}/routes.ts`) ? read(`${folder}/routes.ts`) : "";
  if (!routes.includes("defineRoutes({"))
    throw new RefusedError(`${folder}/routes.ts has no rows of its own: name the folder of a resource`);
  const own = withImports(rowImports(operation), routes);
  write(
    `${folder}/routes.ts`,
    insert(withSchemas(operation, own), ["defineRoutes({", "\n});"], row(operation)),
  );
  const handlers = withImports([[camel(task), `./${task}.ts`]], read(`${folder}/handlers.ts`));
  write(`${folder}/handlers.ts`, insert(handlers, [...handlersStart, "\n  };\n}"], handler(operation)));
  write(`${folder}/${task}.ts`, useCase(operation));
  if (operation.auth !== "internal")
    write(publishedTest, insert(read(publishedTest), unpublishedList, reason(operation)));
  const test = `test/e2e/${domain}/${resource ?? family}.test.ts`;
  const tests = exists(test) ? read(test) : "";
  write(test, withImports(testImports(operation), tests) + testOf(operation));
}

/** The file with a reason for each operation that the published documents lack. */
const publishedTest = "test/contract/published-interface.test.ts";
const unpublishedList = ["const unpublishedOperations = {", "\n"];
const reason = ({ id }: Operation) => `\n  "${id}": "new here",`;

/** Only an operation that reads may be left out of the audit trail. */
const rowImports = (operation: Operation): [string, string][] => [
  ...(operation.method === "GET"
    ? []
    : [["unaudited", "#shared/registry/audit-events.ts"] as [string, string]]),
  ...(isCharged(operation) ? [["uncharged", "#shared/registry/uncharged.ts"] as [string, string]] : []),
];

/** Whether the operation costs a daily budget of bytes, unless its row says why not. */
const isCharged = ({ auth, method }: Pick<Operation, "auth" | "method">) =>
  auth === "user" && takesBody(method);

const emptyRoutes = `import { defineRoutes } from "#shared/platform/http/route.ts";

export const routes = defineRoutes({
});
`;
const depsOf = (resource: string | undefined) => (resource === undefined ? "./deps.ts" : "../deps.ts");
/** The file with all rows of a family: the manifest, if all rows belong to resources. */
const allRowsOf = (familyFolder: string) =>
  exists(`${familyFolder}/routes.ts`) ? `${familyFolder}/routes.ts` : `${familyFolder}/family.ts`;
const emptyHandlers = (resource?: string) => `import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "${depsOf(resource)}";
import type { routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  return {
  };
}
`;
/** The beginning of the handlers of a family or resource that has its own operations. */
const handlersStart = ["export function createHandlers(", "\n  return {"];

function createFamily({ domain, family, resource }: Operation, folder: string): void {
  if ([...families, ...workers].some(({ name }) => name === family))
    throw new RefusedError(`There is a function ${family} already`);
  write(
    `${folder}/family.ts`,
    `import type { Family } from "#shared/platform/manifest.ts";
${resource === undefined ? 'import { routes } from "./routes.ts";' : "\nexport const routes = {};"}

export const family: Family = {
  domain: "${domain}",
  name: "${family}",
  summary: "${sentence(family)}",
  routes,
  secrets: ["verification-keys"],
};
`,
  );
  if (resource === undefined) write(`${folder}/routes.ts`, emptyRoutes);
  write(
    `${folder}/handlers.ts`,
    resource === undefined
      ? emptyHandlers()
      : `import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "./deps.ts";
import type { routes } from "./family.ts";

export const createHandlers = (deps: Deps): Handlers<typeof routes> => ({
});
`,
  );
  write(
    `${folder}/deps.ts`,
    `import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { verifiers } from "#shared/sessions/tokens/verifiers.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({
  ...verifiers,
});
`,
  );
  write(`${folder}/README.md`, `# ${family}\n\n${sentence(family)}.\n`);
  const name = camel(family);
  const listed = `import { family as ${name} } from "./${domain}/${family}/family.ts";\n${read("functions/families.ts")}`;
  write(
    "functions/families.ts",
    listed.replace(/(families: readonly Family\[\] = \[[^\]]*)\]/, `$1  ${name},\n]`),
  );
}

const joined = /(export const routes = (?:hideOtherMethods\()?\{)([^}]*?),?\s*\}(\)?);/;

/** Creates the folder of a resource, and adds its rows and handlers to those of the family. */
function createResource(familyFolder: string, resource: string): void {
  const folder = `${familyFolder}/${resource}`;
  write(`${folder}/routes.ts`, emptyRoutes);
  write(`${folder}/handlers.ts`, emptyHandlers(resource));
  const name = camel(resource);
  const importOfRoutes = `import { routes as ${name} } from "./${resource}/routes.ts";\n`;
  const file = allRowsOf(familyFolder);
  const routes = importOfRoutes + read(file);
  write(
    file,
    joined.test(routes)
      ? routes
          .replace(joined, (_, start, spreads, end) => `${start}${spreads}, ...${name} }${end};`)
          .replace("{,", "{")
      : `${routes.replace("export const routes =", "const ownRoutes =")}
export const routes = { ...ownRoutes, ...${name} };
`,
  );
  const create = `create${pascal(resource)}Handlers`;
  const importOfHandlers = `import { createHandlers as ${create} } from "./${resource}/handlers.ts";\n`;
  const handlers = importOfHandlers + read(`${familyFolder}/handlers.ts`);
  const spread = `\n...${create}(deps),`;
  const start = "export const createHandlers =";
  write(
    `${familyFolder}/handlers.ts`,
    handlers.includes(start)
      ? insert(handlers, [start, "});"], spread)
      : insert(handlers, [...handlersStart, "\n"], spread),
  );
}

const row = ({ id, task, method, path, auth }: Operation) => `
  "${id}": {
    method: "${method}",
${method === "GET" ? "" : "    audit: unaudited.reading,\n"}${isCharged({ auth, method }) ? "    costs: uncharged.nothing,\n" : ""}    path: "${path}",
    auth: "${auth}",
    summary: "${sentence(id)}",
${parameters(path).length > 0 ? `    params: ${camel(task)}Path,\n` : ""}${takesBody(method) ? `    body: ${camel(task)}Request,\n` : ""}    responses: { 200: ${camel(task)}View },
    errors: [],
  },`;

/** Puts the operation's schemas in front of the rows. */
const withSchemas = ({ task, method, path }: Operation, routes: string) => {
  const fields = parameters(path).map((name) => `${name}: z.string().meta({ description: "${name}" })`);
  const added = `
${fields.length > 0 ? `const ${camel(task)}Path = z.object({ ${fields.join(", ")} });\n` : ""}${
  takesBody(method)
    ? `const ${camel(task)}Request = z.object({}).meta({ id: "${pascal(task)}Request", examples: [{}] });\n`
    : ""
}const ${camel(task)}View = z.object({ at: z.iso.datetime() }).meta({ id: "${pascal(task)}View" });

`;
  const withAdded = routes.replace(/^(?:export )?const \w+ = defineRoutes\(/m, (start) => added + start);
  if (/^import \* as z /m.test(routes)) return withAdded;
  return `import * as z from "zod";\n${withAdded.replace(/^import type \* as z .*\n/m, "")}`;
};

const handler = ({ id, task }: Operation) => `

    "${id}": async () => ({ body: await ${camel(task)}(deps) }),`;

const useCase = ({ id, task, resource }: Operation) => `import type { Deps } from "${depsOf(resource)}";

/**
 * ${sentence(id)}.
 *
 * @see operation \`${id}\`
 */
export async function ${camel(task)}({ clock }: Deps): Promise<{ at: string }> {
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
    .filter(([name]) => !new RegExp(`^import [^;]*\\b${name}\\b`, "m").test(text))
    .map(([name, module]) => `import { ${name} } from "${module}";\n`)
    .join("") + text;

/** Inserts before the last of the marks; each is searched for after the previous one. */
function insert(text: string, marks: readonly string[], addition: string): string {
  let at = 0;
  for (const [index, mark] of marks.entries()) {
    const found = text.indexOf(mark, at);
    if (found < 0)
      throw new RefusedError(`Found no place, after "${marks[index - 1]}", for this:\n${addition}`);
    at = index < marks.length - 1 ? found + mark.length : found;
  }
  return text.slice(0, at) + addition + text.slice(at);
}

const exists = (place: string) =>
  existsSync(join(root, place)) ||
  [...texts.keys()].some((file) => file === place || file.startsWith(`${place}/`));
const read = (file: string) => texts.get(file) ?? readFileSync(join(root, file), "utf8");
const write = (file: string, text: string) => texts.set(file, text);

function writeFiles(): void {
  for (const [file, text] of texts) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  const biome = "node_modules/@biomejs/biome/bin/biome";
  spawnSync(process.execPath, [biome, "check", "--write", ...texts.keys()], { cwd: root, stdio: "inherit" });
}

function readOperation([place = "", id = "", method = "", path = "", auth = "user"]: string[]): Operation {
  const [domain = "", family = "", resource, ...rest] = place.split("/");
  const isName = (text: string) => /^[a-z][a-z0-9-]*$/.test(text);
  const isValid =
    [domain, family, resource ?? "none", id].every(isName) &&
    rest.length === 0 &&
    methods.includes(method) &&
    path.startsWith("/") &&
    audiences.includes(auth);
  if (!isValid) throw new RefusedError(usage);
  if (!(domain in domains))
    throw new RefusedError(`Introduce the domain ${domain} in shared/registry/domains.ts first`);
  const owner = families.find(({ routes }) => id in routes);
  if (owner !== undefined) throw new RefusedError(`${owner.name} already has the operation ${id}`);
  const short = auth === "internal" ? id.replace(/^i-/, "") : id;
  const folder = ["functions", domain, family, resource].filter((part) => part !== undefined).join("/");
  const task = exists(`${folder}/${short}.ts`) ? id : short;
  return { domain, family, resource, id, task, method, path, auth };
}

const nextSteps = ({ auth, method }: Operation): string[] => [
  "the schemas, errors and requirements of the row",
  ...(method === "GET" ? [] : ["in `audit`, the event for the audit trail"]),
  "the use case and its tests",
  ...(auth === "internal" ? ["in scripts/admin/roles/roles.ts, the roles that may call it"] : []),
  ...(auth === "internal" ? [] : [`in ${publishedTest}, the reason for an operation that is not published`]),
  "npm run docs",
];

try {
  const operation = readOperation(process.argv.slice(2));
  addOperation(operation);
  writeFiles();
  console.log([...texts.keys()].join("\n"));
  console.log(`Next: ${nextSteps(operation).join("; ")}`);
} catch (error) {
  if (!(error instanceof RefusedError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
