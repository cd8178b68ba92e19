import { type FeatureName, featureNames, operatorFeatures } from "#shared/teams/features/catalogue.ts";
import { team } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { pathOf } from "./team.ts";

const featureOf = (id: string, name: string) => `${pathOf(id)}/features/${name}`;

export const teamFeaturesShow = defineCommand({
  name: "team features show",
  summary: "Show the features of a team, with their locks",
  examples: [
    "team features show 8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60 --stage prod",
    "team features show 8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60 --json",
  ],
  effect: "reads",
  arguments: { team },
  run: async ({ api }, values) =>
    Promise.all(
      featureNames.map(async (feature: FeatureName) => {
        const { status, lockStatus, config } = await api.read(featureOf(values.team, feature));
        return { feature, status, lock: lockStatus, config };
      }),
    ),
});

export const teamFeaturesSet = defineCommand({
  name: "team features set",
  summary: "Change a feature of a team, or its lock, which decides whether admins may change it",
  examples: [
    "team features set 8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60 sso --status enabled --lock unlocked --stage prod",
    "team features set 8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60 fileSharing --status disabled --lock unlocked",
    `team features set 8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60 appLock --config '{"enforceAppLock":true,"inactivityTimeoutSecs":60}'`,
  ],
  effect: "changes",
  arguments: {
    team,
    feature: { kind: "choice", description: "which feature", choices: operatorFeatures },
  },
  options: {
    status: { kind: "choice", description: "whether the team has it", choices: ["enabled", "disabled"] },
    lock: {
      kind: "choice",
      description: "whether its admins may change it; while it is locked, the team has the default",
      choices: ["locked", "unlocked"],
    },
    config: { kind: "json", description: "its configuration" },
  },
  async run({ api }, { team: id, feature, status, lock, config }) {
    const json = { status, lockStatus: lock, config: config === undefined ? undefined : parsed(config) };
    if (Object.values(json).every((value) => value === undefined))
      throw new CommandError("Name a --status, --lock or --config");
    return api.call("PATCH", featureOf(id, feature), { json });
  },
});

function parsed(config: string): unknown {
  try {
    return JSON.parse(config);
  } catch {
    throw new CommandError(`--config must be JSON: ${config}`);
  }
}
