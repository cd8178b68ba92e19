import * as z from "zod";
import { describeAudited } from "#shared/platform/audit/audited.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { declareItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { Table } from "#shared/platform/data/table.ts";
import { type Group, group } from "./group.ts";

/** The team has reached its limit of groups. */
export class TooManyGroupsError extends Error {
  override readonly name = "TooManyGroupsError";
}

type GroupId = Pick<Group, "teamId" | "groupId">;

const ownerOf = (teamId: string) => `team#${teamId}`;
const groupKey = ({ teamId, groupId }: GroupId) => ({
  owner: ownerOf(teamId),
  entry: `group#${groupId}`,
});
const namePrefix = "group-name#";
const nameKey = ({ teamId, groupId }: GroupId) => ({
  owner: ownerOf(teamId),
  entry: `${namePrefix}${groupId}`,
});
const countKey = (teamId: string) => ({ owner: ownerOf(teamId), entry: "group-count" });

declareItem(
  {
    table: "provisioning",
    kind: "group-name",
    key: ["team#*", "group-name#*"],
    subject: { team: "partition" },
  },
  storedObject({ groupId: z.uuid(), displayName: z.string() }),
);
declareItem(
  {
    table: "provisioning",
    kind: "group-count",
    key: ["team#*", "group-count"],
    subject: { team: "partition" },
  },
  storedObject({ count: z.int() }),
);

/**
 * Groups created by directories, in the partition of their team's provisioning. Access patterns: group by team and id;
 * the names of all groups of a team, in the order of their ids. Names are separate items, because a query reads whole
 * items, and a group's item has all members. A count per team enforces the limit.
 */
export class GroupStore {
  readonly #table: Table<"provisioning">;
  readonly #maxGroups: number;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "provisioning");
    this.#maxGroups = context.config.settings.scim.maxGroups;
  }

  async get(id: GroupId): Promise<Group | undefined> {
    const item = await this.#table.get(groupKey(id));
    return item && group.parse(item);
  }

  /** Groups by distinct ids, in any order; unknown ids are left out. */
  async getMany(teamId: string, groupIds: readonly string[]): Promise<Group[]> {
    const items = await this.#table.getMany(groupIds.map((groupId) => groupKey({ teamId, groupId })));
    return items.map((item) => group.parse(item));
  }

  /** The names of a team's groups, page by page, in the order of their ids. */
  async *names(teamId: string): AsyncGenerator<Pick<Group, "groupId" | "displayName">> {
    const items = this.#table.query(ownerOf(teamId), {
      range: "begins_with(entry, :prefix)",
      ExpressionAttributeValues: { ":prefix": namePrefix },
    });
    for await (const { groupId, displayName } of items) {
      yield { groupId: String(groupId), displayName: String(displayName) };
    }
  }

  /** Create a group. Rejected as `TooManyGroupsError`. */
  create(created: Omit<Group, "revision">): Write[] {
    const { teamId, groupId } = created;
    describeAudited({ target: { group: groupId } });
    return [
      this.#put(created, 0),
      this.#putName(created),
      this.#table.updateWrite(countKey(teamId), {
        UpdateExpression: "ADD #count :one",
        ConditionExpression: "attribute_not_exists(#count) OR #count < :max",
        ExpressionAttributeNames: { "#count": "count" },
        ExpressionAttributeValues: { ":one": 1, ":max": this.#maxGroups },
        onRejected: () => new TooManyGroupsError(`group ${groupId} of team ${teamId}`),
      }),
    ];
  }

  /** Replace a group. Rejected as `StaleReadError`. */
  replace({ revision, displayName }: Group, next: Omit<Group, "revision">): Write[] {
    return [this.#put(next, revision), ...(next.displayName === displayName ? [] : [this.#putName(next)])];
  }

  /** Remove a group. Rejected as `StaleReadError`. */
  remove({ teamId, groupId, revision }: Group): Write[] {
    return [
      this.#table.deleteWrite(groupKey({ teamId, groupId }), { atRevision: revision }),
      this.#table.deleteWrite(nameKey({ teamId, groupId })),
      this.#table.updateWrite(countKey(teamId), {
        UpdateExpression: "ADD #count :minusOne",
        ExpressionAttributeNames: { "#count": "count" },
        ExpressionAttributeValues: { ":minusOne": -1 },
      }),
    ];
  }

  #putName({ teamId, groupId, displayName }: Omit<Group, "revision">): Write {
    return this.#table.setFieldsWrite(nameKey({ teamId, groupId }), { groupId, displayName });
  }

  #put(next: Omit<Group, "revision">, revision: number): Write {
    return this.#table.putWrite(
      { ...groupKey(next), ...next, revision: revision + 1 },
      { atRevision: revision },
    );
  }
}
