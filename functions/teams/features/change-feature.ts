import { describeAudited } from "#shared/platform/audit/audited.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change, combine } from "#shared/platform/messaging/change.ts";
import { featureConfigUpdate } from "#shared/teams/events.ts";
import type { FeatureName } from "#shared/teams/features/catalogue.ts";
import { effectiveFeature } from "#shared/teams/features/effective-feature.ts";
import {
  type Feature,
  type StoredFeature,
  type TeamFeatures,
  toStoredConfig,
} from "#shared/teams/features/feature.ts";
import { toFeatureView } from "#shared/teams/features/feature-view.ts";
import { TeamNotFoundError, TeamTooLargeError } from "#shared/teams/team-errors.ts";
import type { Deps } from "./deps.ts";
import { ruleOf } from "./feature-rules.ts";
import { type Caller, readTeam } from "./read-team.ts";

/** The value of a feature to store for a team. */
export interface FeatureChange extends StoredFeature {
  readonly teamId: string;
  readonly name: FeatureName;
}

/**
 * Change a feature of a team and tell its members.
 *
 * @param options.overridesLock whether it may be changed while it is locked
 * @returns the feature as it is in force after the change
 * @throws ApiError those of `readTeam`, `feature-locked`, and those of the feature's rule
 */
export async function changeFeature(
  deps: Deps,
  { teamId, name, ...fields }: FeatureChange,
  { caller, overridesLock }: { caller: Caller; overridesLock: boolean },
): Promise<Feature> {
  const { events, features, legalHoldServices, outbox, settings, teams } = deps;
  return change<Feature>(deps, async () => {
    const { team: previous, member } = await readTeam(deps, teamId, caller);
    const before = effectiveFeature(name, previous, settings);
    if (before.lockStatus === "locked") {
      // Only the list of teams in the settings unlocks this feature.
      if (name === "exposeInvitationURLsToTeamAdmin" && caller === "operator") return { result: before };
      if (!overridesLock) throw new ApiError("feature-locked");
    }
    const next = withFeature(previous, name, {
      ...previous.features[name],
      ...definedFields(overridesLock ? fields : { ...fields, lockStatus: before.lockStatus }),
    });
    const after = effectiveFeature(name, next, settings);
    const intended = effectiveFeature(name, unlocked(next, name), settings);
    const intendedBefore = effectiveFeature(name, unlocked(previous, name), settings);
    const rule = ruleOf(name);
    rule?.check?.({ before, intended, team: next, settings });
    describeFeature(name, intendedBefore, { ...intended, lockStatus: after.lockStatus }, before.lockStatus);
    const outcome = { teamId, before, after, unlocked: { before: intendedBefore, after: intended } };
    // Changes in one team are delivered in order, whoever makes them.
    const audience = {
      group: teamId,
      recipients: [],
      membersOf: { teamId, members: "all" as const },
      forCells: name === "cells",
    };
    const changed = {
      writes: [
        features.put(previous, next),
        rule?.teamWrite?.(teams, outcome) ?? teams.requirePresent(teamId),
      ],
      messages: events.to(audience, featureConfigUpdate, { team: teamId, name, data: toFeatureView(after) }),
    };
    const consequences = {
      writes: rule?.writes?.(legalHoldServices, outcome),
      messages: rule?.messages?.(outbox, outcome),
    };
    const permission = member && { writes: [teams.requirePermissions(member)] };
    return { ...combine(changed, consequences, permission), result: after };
  })
    .catch(answer(TeamNotFoundError, "no-team"))
    .catch(answer(TeamTooLargeError, "too-large-team-for-legalhold"));
}

/**
 * Lock or unlock a feature of a team, without an event.
 * @throws ApiError `no-team`
 */
export async function lockFeature(
  deps: Deps,
  { teamId, name, lockStatus }: Pick<FeatureChange, "teamId" | "name"> & Pick<Feature, "lockStatus">,
): Promise<void> {
  const { features, teams } = deps;
  await change(deps, async () => {
    const { team: previous } = await readTeam(deps, teamId, "operator");
    const next = withFeature(previous, name, { ...previous.features[name], lockStatus });
    const before = effectiveFeature(name, previous, deps.settings);
    describeFeature(name, before, { ...before, lockStatus }, before.lockStatus);
    return { writes: [features.put(previous, next), teams.requirePresent(teamId)] };
  }).catch(answer(TeamNotFoundError, "no-team"));
}

/** Record the feature of the team before and after the change in the audit trail, without values hidden by a lock. */
function describeFeature(
  name: FeatureName,
  before: Feature,
  after: Feature,
  lockBefore: Feature["lockStatus"],
): void {
  const configOf = ({ config }: Feature) => (config === undefined ? undefined : JSON.stringify(config));
  describeAudited({
    target: { feature: name },
    changes: {
      status: { before: before.status, after: after.status },
      lock: { before: lockBefore, after: after.lockStatus },
      config: { before: configOf(before), after: configOf(after) },
    },
  });
}

const withFeature = (team: TeamFeatures, name: FeatureName, stored: StoredFeature): TeamFeatures => ({
  ...team,
  features: { ...team.features, [name]: stored },
});

/** The value without the lock: rules apply to the stored value, even while the lock hides it. */
const unlocked = (team: TeamFeatures, name: FeatureName) =>
  withFeature(team, name, { ...team.features[name], lockStatus: "unlocked" });

const definedFields = ({ status, lockStatus, config }: StoredFeature): StoredFeature => ({
  ...(status && { status }),
  ...(lockStatus && { lockStatus }),
  ...(config && { config: toStoredConfig(config) }),
});
