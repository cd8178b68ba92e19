import type { StackTemplate } from "./releases/kept-resources.ts";

/** Functions whose failure few people notice, and the canary, which then tests the new version first. */
const firstWave = [
  "canary",
  "api-info",
  "system",
  "calls",
  "properties",
  "push-tokens",
  "domains",
  "features",
  "providers",
  "services",
  "oauth",
  "authorize",
  "mail-feedback",
  "push-endpoints",
  "service-jobs",
  "slow-bot-delivery",
  "webhooks",
  "webhook-collector",
  "webhook-delivery",
  "slow-webhook-delivery",
  "socket-floods",
];

/** About half of the rest: functions that many people use, but can do without for a while. */
const secondWave = [
  "registration",
  "password-reset",
  "second-factor",
  "account-admin",
  "search",
  "search-indexer",
  "teams",
  "team-jobs",
  "legal-hold",
  "single-sign-on",
  "scim",
  "provisioning-jobs",
  "connections",
  "bots",
  "bot-delivery",
  "mail-delivery",
  "native-push",
  "erasure",
];

/**
 * Names of the functions that a guarded deployment updates together, wave after wave. All others, including logins,
 * messages and events, follow last, together with the removal of functions that no longer exist.
 */
export const earlyWaves: readonly (readonly string[])[] = [firstWave, secondWave];

type Resources = NonNullable<StackTemplate["Resources"]>;

/** The parts of a template that matter to waves: sections by name. */
export type WaveTemplate = StackTemplate & Readonly<Record<string, unknown>>;

/**
 * The template of the functions' stack with some functions updated and all others exactly as they are deployed, with
 * their roles, triggers and logs. A function that is not deployed yet counts as updated, since nothing calls it.
 * Everything else in the stack is new.
 *
 * @param updated names of functions
 * @throws Error naming a resource that is referred to, but in neither version
 */
export function waveTemplate(
  { deployed, next }: { readonly deployed: WaveTemplate; readonly next: WaveTemplate },
  updated: readonly string[],
): WaveTemplate {
  const before = deployed.Resources ?? {};
  const after = next.Resources ?? {};
  const groups = new Set(updated.map((name) => `${name.replaceAll("-", "")}function`));
  const kept = new Set(
    Object.keys(before)
      .map(functionOf)
      .filter((group) => group !== undefined && !groups.has(group)),
  );
  const isKept = (id: string) => kept.has(functionOf(id));
  const resources: Record<string, Resources[string]> = {
    ...Object.fromEntries(Object.entries(after).filter(([id]) => !isKept(id))),
    ...Object.fromEntries(Object.entries(before).filter(([id]) => isKept(id))),
  };
  const template = {
    ...deployed,
    ...next,
    ...mergedSections({ deployed, next }),
    Resources: resources,
  };
  // Resources that others refer to must exist. The deployed version of one is preferred, because functions of that
  // version refer to it.
  for (let missing = missingIn(template); missing.length > 0; missing = missingIn(template)) {
    for (const id of missing) {
      const found = before[id] ?? after[id];
      if (found === undefined)
        throw new Error(`No version of the stack has ${id}, but other resources refer to it`);
      resources[id] = found;
    }
  }
  return template;
}

/** The prefix that the logical ids of a function and its resources share; undefined for other resources. */
const functionOf = (logicalId: string): string | undefined => /^([a-z\d]+function)[A-Z]/.exec(logicalId)?.[1];

const mergedSections = ({ deployed, next }: { deployed: WaveTemplate; next: WaveTemplate }) =>
  Object.fromEntries(
    ["Parameters", "Mappings", "Conditions"]
      .filter((section) => section in deployed || section in next)
      .map((section) => [section, { ...(deployed[section] as object), ...(next[section] as object) }]),
  );

function missingIn(template: WaveTemplate): string[] {
  const known = { ...(template.Parameters as object), ...template.Resources };
  const wanted = referencesIn([template.Resources, template.Outputs]);
  return [...new Set(wanted)].filter((id) => !id.startsWith("AWS::") && !(id in known));
}

/** Logical ids to which a part of a template refers. */
function referencesIn(part: unknown): string[] {
  if (typeof part !== "object" || part === null) return [];
  if (Array.isArray(part)) return part.flatMap(referencesIn);
  return Object.entries(part).flatMap(([key, value]) => {
    if (key === "Ref" && typeof value === "string") return [value];
    if (key === "Fn::GetAtt")
      return [Array.isArray(value) ? String(value[0]) : (String(value).split(".")[0] ?? "")];
    if (key === "DependsOn") return [value].flat().map(String);
    if (key === "Fn::Sub") return substituted(value);
    return referencesIn(value);
  });
}

function substituted(value: unknown): string[] {
  const [text, variables = {}] = [value].flat() as [string, object?];
  const names = [...text.matchAll(/\$\{([^!}.]+)(\.[^}]*)?\}/g)].map(([, name = ""]) => name);
  return [...names.filter((name) => !(name in variables)), ...referencesIn(variables)];
}
