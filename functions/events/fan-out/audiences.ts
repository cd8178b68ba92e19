import type { TeamAudience } from "#shared/events/event-message.ts";
import { hasFeature } from "#shared/teams/features/effective-feature.ts";
import { fanoutLimit } from "#shared/teams/team.ts";
import type { Deps } from "./deps.ts";

/**
 * The members of the teams that events name. Each team is looked up once, so create one only for events that have all
 * been committed, and drop it with them.
 */
export class Audiences {
  readonly #deps: Pick<Deps, "features" | "settings" | "teams">;
  readonly #limited = new Map<string, Promise<boolean>>();
  readonly #admins = new Map<string, Promise<readonly string[]>>();
  readonly #hasFanout = new Map<string, Promise<boolean>>();

  constructor(deps: Pick<Deps, "features" | "settings" | "teams">) {
    this.#deps = deps;
  }

  /** Decides by the feature `limitedEventFanout` which members of a team get an event. */
  async limit(audience: TeamAudience | undefined): Promise<TeamAudience | undefined> {
    if (audience?.members !== "all-unless-limited") return audience;
    const isLimited = await once(this.#limited, audience.teamId, (teamId) => this.#isLimited(teamId));
    return { ...audience, members: isLimited ? "admins" : "all" };
  }

  /** Yields the ids of those members; none if all members of a large team are meant. */
  async *members({ teamId, members }: TeamAudience): AsyncGenerator<string> {
    if (members === "admins") return yield* await once(this.#admins, teamId, () => this.#listAdmins(teamId));
    if (!(await once(this.#hasFanout, teamId, () => this.#isSmall(teamId)))) return;
    yield* this.#deps.teams.memberIds(teamId);
  }

  async #listAdmins(teamId: string): Promise<string[]> {
    const userIds: string[] = [];
    for await (const userId of this.#deps.teams.admins(teamId)) userIds.push(userId);
    return userIds;
  }

  async #isLimited(teamId: string): Promise<boolean> {
    const { features, settings } = this.#deps;
    return hasFeature("limitedEventFanout", await features.get(teamId), settings);
  }

  async #isSmall(teamId: string): Promise<boolean> {
    const { settings, teams } = this.#deps;
    const team = await teams.get(teamId);
    return team !== undefined && team.memberCount <= fanoutLimit(settings);
  }
}

function once<Result>(
  known: Map<string, Promise<Result>>,
  teamId: string,
  lookUp: (teamId: string) => Promise<Result>,
): Promise<Result> {
  const found = known.get(teamId) ?? lookUp(teamId);
  known.set(teamId, found);
  return found;
}
