/** Domains of `shared/`, lowest first: a domain imports only the domains before it in this list. */
const domains: readonly string[] = [
  "codes",
  "events",
  "sessions",
  "teams",
  "accounts",
  "provisioning",
  "devices",
  "services",
  "conversations",
  "oauth",
  "assets",
];

/** The project files that a file may import; packages are not limited. The first matching rule applies. */
export interface ImportRule {
  readonly files: string;
  readonly mayImport: readonly string[] | ((file: string) => readonly string[]);
  readonly advice: string;
}

const registry = "shared/registry/**";
const platform = "shared/platform/**";

/** The catalogues of the registry that the platform reads as values, by the files that do; see ADR 25. */
const catalogues: Readonly<Record<string, readonly string[]>> = {
  "data/table.ts": ["tables"],
  "html/brand.ts": ["page-palette"],
  "http/{api-error,api-handler}.ts": ["errors", "errors/define-errors"],
  "http/openapi-responses.ts": ["errors", "errors/define-errors", "errors/provisioning"],
  "http/openapi.ts": ["domains", "oauth-scopes"],
  "http/render.ts": ["errors/provisioning"],
  "messaging/{batch-worker,outbox,outbox-item,outbox-sweep}.ts": ["queues"],
};

const platformAdvice =
  "The platform knows nothing of the product. Take names and settings from shared/platform/product.ts, " +
  "let the caller pass in what else it needs, or move this file to a domain.";

export const importRules: readonly ImportRule[] = [
  {
    files: registry,
    mayImport: [registry, "shared/platform/{address-types,int64,locale}.ts"],
    advice: "The registry is plain data. Move what needs code to the platform or to a domain.",
  },
  ...Object.entries(catalogues).map(([file, catalogue]) => ({
    files: `shared/platform/${file}`,
    mayImport: [platform, ...catalogue.map((name) => `shared/registry/${name}.ts`)],
    advice: platformAdvice,
  })),
  {
    files: platform,
    mayImport: [platform],
    advice: platformAdvice,
  },
  ...domains.map((domain, index) => ({
    files: `shared/${domain}/**`,
    mayImport: [registry, platform, ...domains.slice(0, index + 1).map((lower) => `shared/${lower}/**`)],
    advice:
      "A domain imports the registry, the platform and lower domains. " +
      "Move what both need to the lower one, or let the use case bring the two together.",
  })),
  {
    files: "shared/runtime/**",
    mayImport: ["shared/**"],
    advice: "Shared code knows neither families nor their wiring. Let deps.ts pass in what it needs.",
  },
  {
    files: "shared/**",
    mayImport: [],
    advice: "This folder has no layer yet: add it to the domains in scripts/layers/rules.ts, in its place.",
  },
  {
    files: "functions/families.ts",
    mayImport: ["shared/platform/manifest.ts", "functions/*/*/family.ts", "functions/*/*/worker.ts"],
    advice: "The list of families reads manifests only. Put what it needs into family.ts or worker.ts.",
  },
  {
    files: "functions/platform/api-info/openapi-of.ts",
    mayImport: [
      "shared/**",
      "functions/families.ts",
      "functions/events.ts",
      "functions/platform/api-info/**",
    ],
    advice:
      "The API document is made from the manifests. Reach other families through functions/families.ts.",
  },
  {
    files: "functions/*/*/**/{family,worker,routes,schemas}.ts",
    mayImport: (file) => ["shared/**", `${familyOf(file)}/**/{routes,schemas,protobuf,*-cursor}.ts`],
    advice:
      "CDK, the gateways and the API document load this file. Keep it to rows, schemas and adapters of older forms; a use case imports them.",
  },
  {
    files: "functions/**",
    mayImport: (file) => ["shared/**", `${familyOf(file)}/**`],
    advice:
      "A family imports neither another family nor the wiring. Move what two families need to a domain in shared/.",
  },
  {
    files: "lib/**",
    mayImport: ["shared/**", "lib/**", "functions/families.ts"],
    advice: "The wiring knows functions by their manifests. Reach them through functions/families.ts.",
  },
  {
    files: "examples/**",
    mayImport: ["examples/**"],
    advice: "Examples are for other developers, who have only the published interface.",
  },
  {
    files: "bin/**",
    mayImport: ["shared/**", "lib/**"],
    advice: "Programs start what lib/ has wired. Reach functions through lib/.",
  },
];

/** Code that may import everything, and that no file with a rule may import. */
export const testCode: readonly string[] = ["**/*.test.ts", "test/**", "bench/**"];

/** Modules that files must not load, not even indirectly. Importing a type loads nothing. */
export interface LoadRule {
  readonly files: string;
  readonly mustNotLoad: readonly string[];
  readonly advice: string;
}

export const loadRules: readonly LoadRule[] = [
  {
    files: "functions/*/*/**/{family,worker,routes,schemas}.ts",
    mustNotLoad: ["@aws-sdk/*", "@middy/*", "shared/**/*-store.ts"],
    advice:
      "CDK, the gateways and the API document load this file. " +
      "Move what it needs to a file that loads no store and no SDK.",
  },
];

/**
 * Folders whose parts (subfolders and files) must not import each other in a cycle. In `shared/` the order of the
 * layers already rules that out; import cycles of files are forbidden everywhere.
 */
export const foldersWithoutCycles: readonly string[] = ["lib", "lib/local"];

const familyOf = (file: string) => file.split("/").slice(0, 3).join("/");
