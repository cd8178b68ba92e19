import { onTeamForm, showTeamPage } from "#shared/accounts/team-pages/team-page.ts";
import { switchedFeatures } from "#shared/accounts/team-pages/texts.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { effectiveFeature } from "#shared/teams/features/effective-feature.ts";
import { changeFeature } from "../change-feature.ts";
import type { Deps } from "../deps.ts";
import { readTeam } from "../read-team.ts";
import { featuresPage } from "./features-page.ts";
import type { routes } from "./routes.ts";

export const createHandlers = (deps: Deps): Handlers<typeof routes> => ({
  "get-team-features-page": (input) =>
    showTeamPage(deps, "features", input, async (frame, { teamId, userId }) => {
      const { team } = await readTeam(deps, teamId, { userId });
      return featuresPage(
        frame,
        switchedFeatures.map((name) => {
          const { status, lockStatus } = effectiveFeature(name, team, deps.settings);
          return { name, isOn: status === "enabled", isLocked: lockStatus === "locked" };
        }),
      );
    }),

  "post-team-feature": (input) =>
    onTeamForm(deps, "features", input, async ({ teamId, userId }) => {
      const { feature: name, status } = input.body;
      const caller = { userId, need: { role: "admin" } } as const;
      await changeFeature(deps, { teamId, name, status }, { caller, overridesLock: false });
      return status === "enabled" ? "switched-on" : "switched-off";
    }),
});
