import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { families, workers } from "#functions/families.ts";
import { guides } from "#functions/platform/api-info/guides/rendered-guides.ts";
import { internalOpenapi, openapiOf } from "#functions/platform/api-info/openapi-of.ts";
import { bundleFunctions, bundleRelay, relayFiles } from "#lib/bundle/bundle.ts";
import { variables } from "#shared/platform/config.ts";
import { buckets } from "#shared/registry/buckets.ts";
import { queues } from "#shared/registry/queues.ts";
import { secrets } from "#shared/registry/secrets.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { tables } from "#shared/registry/tables.ts";
import { isSoak } from "../support/soak.ts";

const outdir = mkdtempSync(join(tmpdir(), "parley-bundle-"));
/** All in `npm run test:soak`; otherwise those that differ in what their bundles need. */
const sample = ["api-info", "assets", "delivery", "mail-delivery", "sessions", "users"];
const manifests = [...families, ...workers].filter(({ name }) => isSoak || sample.includes(name));
const names = manifests.map(({ name }) => name);
const settings = parseSettings({ productName: "Bundled" });

beforeAll(async () => {
  mkdirSync(join(outdir, "removed-function"));
  writeFileSync(join(outdir, "removed-function", "index.js"), "");
  await bundleFunctions({ outdir, settings, manifests });
});

afterAll(() => rmSync(outdir, { recursive: true, force: true }));

it("a build removes the output of an earlier one", () => {
  expect(existsSync(join(outdir, "removed-function"))).toBe(false);
});

it("a build gives every function its settings", () => {
  for (const name of names) {
    const bundled = JSON.parse(readFileSync(join(outdir, name, "settings.json"), "utf8"));
    expect(bundled).toEqual(JSON.parse(JSON.stringify(settings)));
  }
});

it("a build gives the assets of the documentation page only to its function", () => {
  expect(names.filter((name) => existsSync(join(outdir, name, "swagger-ui")))).toEqual(["api-info"]);
  expect(existsSync(join(outdir, "api-info", "swagger-ui", "swagger-ui-bundle.js"))).toBe(true);
});

it("a build puts the numbering plans next to the bundles of the functions that check numbers", () => {
  const plans = "libphonenumber.js";
  const reading = names.filter((name) => existsSync(join(outdir, name, plans)));
  expect(reading).toContain("sessions");
  expect(reading).not.toContain("users");
  const script = `
    const { parsePhoneNumberFromString } = require(${JSON.stringify(join(outdir, "sessions", plans))});
    console.log(parsePhoneNumberFromString("+4930123456").country);`;
  expect(spawnSync(process.execPath, ["--eval", script], { encoding: "utf8" }).stdout.trim()).toBe("DE");
});

it("a build puts the verification of imported password hashes next to the bundles of the functions that check passwords", () => {
  const verification = "imported-hash.js";
  const checking = names.filter((name) => existsSync(join(outdir, name, verification)));
  expect(checking).toContain("sessions");
  expect(checking).not.toContain("delivery");
  expect(readFileSync(join(outdir, "sessions", "index.js"), "utf8")).not.toContain("pbkdf2-sha256");
  const hash = "$2b$04$1ErXH1vO0qEyHJOqVuZZzOdGiN1XxIIW8La9G091JrYjRA7rnclFq";
  const script = `
    const { verifyImportedHash } = require(${JSON.stringify(join(outdir, "sessions", verification))});
    verifyImportedHash("sécret password", ${JSON.stringify(hash)}).then(console.log);`;
  expect(spawnSync(process.execPath, ["--eval", script], { encoding: "utf8" }).stdout.trim()).toBe("true");
});

it("a build puts the verification of JSON Web Tokens next to the bundles of the functions that need it", () => {
  const verification = "jwt-verification.js";
  const having = names.filter((name) => existsSync(join(outdir, name, verification)));
  expect(having).toContain("users");
  expect(having).not.toContain("delivery");
  const script = `console.log(Object.keys(require(${JSON.stringify(join(outdir, "users", verification))})).sort().join());`;
  const { stdout } = spawnSync(process.execPath, ["--eval", script], { encoding: "utf8" });
  expect(stdout.trim()).toBe("JwtBaseError,assertStringEquals,verifyJwtSync");
});

it("a build writes the API documents and guides from the files next to the bundle of their function", () => {
  const event = (rawPath: string, authorizer?: object) => ({
    rawPath,
    headers: {},
    requestContext: { authorizer, http: { method: "GET", path: rawPath, sourceIp: "127.0.0.1" } },
  });
  const requests = [
    event("/v9/api/openapi.json"),
    event("/i/openapi.json", { iam: {} }),
    event("/api/docs/guides"),
  ];
  const script = `
    const { handler } = require(${JSON.stringify(join(outdir, "api-info"))});
    Promise.all(${JSON.stringify(requests)}.map((request) => handler(request, {}))).then((answers) =>
      process.stdout.write(JSON.stringify(answers.map(({ body }) => JSON.parse(body)))),
    );`;
  const env = {
    AWS_REGION: "eu-central-1",
    [variables.settingsFile]: join(outdir, "api-info", "settings.json"),
    [variables.publicUrl]: "https://example.com",
    [variables.docsAssets]: outdir,
    [variables.logLevel]: "ERROR",
  };
  const options = { env, encoding: "utf8", maxBuffer: 10_000_000 } as const;
  const { stdout, stderr } = spawnSync(process.execPath, ["--eval", script], options);
  expect(stderr).toBe("");
  const index = guides.map(({ name, title, sections }) => ({ name, title, sections }));
  const documents = [openapiOf(9, settings), internalOpenapi(settings), { guides: index }];
  expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(documents)));
});

it("a build creates bundles that load without the project around them", () => {
  const named = (registry: object, variable: (name: never) => string) =>
    Object.keys(registry).map((name) => [variable(name as never), "https://example.com/name"]);
  const env = {
    AWS_REGION: "eu-central-1",
    [variables.settingsFile]: join(outdir, "api-info", "settings.json"),
    [variables.publicUrl]: "https://example.com",
    ...Object.fromEntries([
      ...named(tables, variables.table),
      ...named(buckets, variables.bucket),
      ...named(queues, variables.queue),
      ...named(secrets, variables.secret),
    ]),
  };
  const script = `
    let formatted = "";
    Number.prototype.toLocaleString = function () {
      formatted = "locales";
      return String(this);
    };
    const intl = Intl;
    globalThis.Intl = new Proxy(intl, {
      get(_, name) {
        formatted = "locales";
        return intl[name];
      },
    });
    let built = 0;
    let registry;
    Object.defineProperty(globalThis, "__zod_globalRegistry", {
      get: () => registry,
      set(created) {
        registry = created;
        const add = created.add;
        registry.add = (...metadata) => {
          built++;
          return add.apply(created, metadata);
        };
      },
    });
    for (const name of ${JSON.stringify(names)}) {
      const { handler } = require(${JSON.stringify(outdir)} + "/" + name);
      if (typeof handler !== "function") throw new Error(name + " exports no handler");
    }
    const modules = [...process.moduleLoadList, ...Object.keys(require.cache)];
    const unneeded = /undici|libphonenumber|jwt-verification|openapi-of/;
    console.log(JSON.stringify({ modules: modules.filter((name) => unneeded.test(name)), formatted, built }));`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--eval", script], {
    cwd: outdir,
    env,
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const { modules, formatted, built } = JSON.parse(stdout);
  // Node's second HTTP client, which nobody uses and which takes longer to load than any function's own code; what is
  // beside the bundles; and locale data, for formatting a number in a text.
  expect({ modules, formatted }).toEqual({ modules: [], formatted: "" });
  // Schemas with metadata, of all functions together: the others are built when a request needs them.
  expect(built).toBeLessThan(20);
});

it("a build leaves code that no function needs on Lambda out of the bundles", () => {
  const unneeded = {
    "guides, and what renders them, which are beside the bundle": "markdown",
    "validation of settings": "Bad settings",
    "credentials other than those in the environment": "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "numbering plans, which are beside the bundle": "country_calling_codes",
    "schemas of commands that nobody sends": "ListObjectVersions",
    "verification of JSON Web Tokens, which is beside the bundle": "JwtInvalidSignature",
  };
  for (const [what, text] of Object.entries(unneeded)) {
    const having = names.filter((name) =>
      readFileSync(join(outdir, name, "index.js"), "utf8").includes(text),
    );
    expect({ what, having }).toEqual({ what, having: [] });
  }
});

it("a build bundles what a relay's task copies, and the function that removes what relays leave behind", async () => {
  const folder = join(outdir, "relay");
  await bundleRelay({ outdir: folder, settings });
  const bundled = JSON.parse(readFileSync(join(folder, relayFiles.settings), "utf8"));
  expect(bundled).toEqual(JSON.parse(JSON.stringify(settings)));
  const run = (argument: string[]) => spawnSync(process.execPath, argument, { encoding: "utf8", env: {} });
  // Without variables, it gets no further than to its configuration.
  const { stderr, status } = run([join(folder, relayFiles.program)]);
  expect([status, stderr]).toEqual([1, expect.stringContaining("SETTINGS_FILE is missing")]);
  expect(stderr.length).toBeLessThan(10_000);
  const script = `console.log(Object.keys(require(${JSON.stringify(join(folder, relayFiles.removal))})).join());`;
  expect(run(["--eval", script]).stdout.trim()).toBe("handler");
});
