import type { Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { findItem, type Item, Table } from "#shared/platform/data/table.ts";
import { noFeatures, type TeamFeatures, teamFeaturesItem } from "./feature.ts";

const featuresKey = (teamId: string) => ({ owner: `team#${teamId}`, entry: "features" });

/**
 * Stored features of teams: one item for all features of a team, so that one read finds them, and one condition covers
 * several. Access pattern: by team.
 */
export class FeatureStore {
  readonly tableName: string;
  readonly #table: Table<"teams">;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "teams");
    this.tableName = this.#table.name;
  }

  async get(teamId: string): Promise<TeamFeatures> {
    const item = await this.#table.get(featuresKey(teamId));
    return item === undefined ? noFeatures(teamId) : teamFeaturesItem.parse(item);
  }

  async getMany(teamIds: readonly string[]): Promise<TeamFeatures[]> {
    const items = teamIds.length === 0 ? [] : await this.#table.getMany(teamIds.map(featuresKey));
    return teamIds.map((teamId) => this.featuresOf(teamId, items));
  }

  /** Key of a team's features, for a batch read together with the team and its members. */
  featureKeys = (teamId: string) => [featuresKey(teamId)];

  /** Find a team's features among the items of a batch read of `featureKeys`. */
  featuresOf(teamId: string, items: readonly Item[]): TeamFeatures {
    const found = findItem(items, featuresKey(teamId));
    return found === undefined ? noFeatures(teamId) : teamFeaturesItem.parse(found);
  }

  /** Replace what was read. Rejected as `StaleReadError` when another change was faster. */
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
