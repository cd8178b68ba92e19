import { team } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { ApiFailure, type InternalApi } from "./internal-api.ts";
import { pathOf, theTeam } from "./team.ts";

/**
 * Whether the team may use legal hold: by its feature or, if the setting `legalhold` uses a list of teams, by that
 * list.
 */
async function setLegalHold(api: InternalApi, id: string, status: "enabled" | "disabled"): Promise<void> {
  try {
    await api.call("PATCH", `${pathOf(id)}/features/legalhold`, { json: { status } });
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.label !== "legalhold-whitelisted-only") throw error;
    const method = status === "enabled" ? "PUT" : "DELETE";
    await api.call(method, `/i/legalhold/whitelisted-teams/${encodeURIComponent(id)}`);
  }
}

export const teamLegalHoldAllow = defineCommand({
  name: "team legal-hold allow",
  summary: "Let a team have legal hold",
  examples: ["team legal-hold allow 8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60 --stage prod"],
  effect: "changes",
  arguments: { team },
  run: ({ api }, values) => setLegalHold(api, values.team, "enabled"),
});

export const teamLegalHoldDeny = defineCommand({
  name: "team legal-hold deny",
  summary: "Take legal hold from a team; where it is a feature, this ends it for all members",
  examples: [
    'team legal-hold deny 8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60 --stage prod --yes "Analytical Engines"',
  ],
  effect: "changes",
  confirms: "the team's name",
  arguments: { team },
  async run({ api, confirm }, values) {
    const { id, name } = await theTeam(api, values.team);
    await confirm(name, `the team ${id}`);
    await setLegalHold(api, id, "disabled");
  },
});
