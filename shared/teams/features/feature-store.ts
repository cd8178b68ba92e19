import type { Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { Table } from "#shared/platform/data/table.ts";
import { noFeatures, type TeamFeatures, teamFeaturesItem } from "./feature.ts";

const featuresKey = (teamId: string) => ({ owner: `team#${teamId}`, entry: "features" });

/**
 * Stored features of teams: one item for all features of a team, so that one read finds them, and one condition covers
 * several. Access pattern: by team.
 */
export class FeatureStore {
  readonly #table: Table<"teams">;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "teams");
  }

  async get(teamId: string): Promise<TeamFeatures> {
    const item = await this.#table.get(featuresKey(teamId));
    return item === undefined ? noFeatures(teamId) : teamFeaturesItem.parse(item);
  }

  getMany(teamIds: readonly string[]): Promise<TeamFeatures[]> {
    return Promise.all(teamIds.map((teamId) => this.get(teamId)));
  }

  /** Replace the features that were read. Rejected as `StaleReadError` after another change. */
  put(previous: TeamFeatures, next: TeamFeatures): Write {
    const { teamId, revision } = previous;
    return this.#table.putWrite(
      { ...featuresKey(teamId), ...next, revision: revision + 1 },
      { atRevision: revision },
    );
  }

  /** Condition that no feature has changed since it was read. Rejected as `StaleReadError`. */
  requireUnchanged({ teamId, revision }: TeamFeatures): Write {
    return this.#table.requireWrite(featuresKey(teamId), { atRevision: revision });
  }
}
