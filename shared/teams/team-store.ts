import { describeAudited } from "#shared/platform/audit/audited.ts";
import type { Clock } from "#shared/platform/clock.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import {
  type Entry,
  listed,
  type NewestPage,
  newestFirst,
  partitionsOf,
} from "#shared/platform/data/newest-first.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { declareItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { type Item, Table } from "#shared/platform/data/table.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { hasOwnerRights, isTeamAdmin, type Member, memberItem } from "./member.ts";
import { type PermissionSet, roleOf } from "./permissions.ts";
import {
  fanoutLimit,
  isFullForLegalHold,
  isOpen,
  isPresent,
  limitsLegalHold,
  maxTeamAdmins,
  type Team,
  teamItem,
  teamTombstone,
} from "./team.ts";
import {
  LastOwnerError,
  TeamFullError,
  TeamFullForLegalHoldError,
  TeamNotFoundError,
  TeamTooLargeError,
  TooManyAdminsError,
} from "./team-errors.ts";

const ownerOf = (teamId: string) => `team#${teamId}`;
const teamKey = (teamId: string) => ({ owner: ownerOf(teamId), entry: "team" });
const teamList = "team";
const memberPrefix = "member#";
const memberKey = ({ teamId, userId }: Membership) => ({
  owner: ownerOf(teamId),
  entry: `${memberPrefix}${userId}`,
});
const memberIdOf = ({ entry }: Item) => String(entry).slice(memberPrefix.length);
const adminPrefix = "admin#";
const adminKey = ({ teamId, userId }: Membership) => ({
  owner: ownerOf(teamId),
  entry: `${adminPrefix}${userId}`,
});
const startsWith = (prefix: string) => ({
  range: "begins_with(entry, :prefix)",
  ExpressionAttributeValues: { ":prefix": prefix },
});

/** A user as a member of a team. */
export type Membership = Pick<Member, "teamId" | "userId">;

/** Fields that a change of a team may set. */
export type TeamFields = Partial<
  Pick<Team, "name" | "icon" | "iconKey" | "splashScreen" | "searchVisibility" | "currency">
>;

declareItem(
  { table: "teams", kind: "admin", key: ["team#*", "admin#*"], subject: { user: ["entry"] } },
  storedObject({}),
);

/**
 * Teams and their members. Access patterns: team by id; teams by time of founding, in pages; member by team and user; members of a team in the order of
 * their ids, all or one page; ids of its admins and owners.
 *
 * The team counts its members, owners, and admins. Each write of a member also updates the counts, on condition that
 * the limits hold, so a transaction can have only one write from here per team: combine them with `with`.
 */
export class TeamStore {
  readonly #table: Table<"teams">;
  readonly #settings: Settings;
  readonly #clock: Clock;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "teams");
    this.#settings = context.config.settings;
    this.#clock = context.clock;
  }

  async get(teamId: string): Promise<Team | undefined> {
    const item = await this.#table.get(teamKey(teamId));
    return item && teamItem.parse(item);
  }

  /** Teams by distinct ids, in any order; unknown ids are left out. */
  async getMany(teamIds: readonly string[]): Promise<Team[]> {
    return (await this.#table.getMany(teamIds.map(teamKey))).map((item) => teamItem.parse(item));
  }

  /**
   * One page of the teams with the times when they were founded, the newest first: without those that are deleted or cannot
   * be read. So it may have fewer than `limit`.
   *
   * @returns `last` if another page may follow: the entry after which it starts
   */
  async pageOfNewest(page: NewestPage): Promise<{
    teams: { readonly team: Team; readonly foundedAt: string }[];
    last: Entry | undefined;
  }> {
    const { entries, last } = await newestFirst(this.#table, partitionsOf(teamList), page);
    const read = await Promise.all(
      entries.map(async ({ id, createdAt: foundedAt }) => {
        const item = await this.#table.get(teamKey(id));
        return { team: item && teamItem.parseOrAbsent(item), foundedAt };
      }),
    );
    const teams = read.flatMap(({ team, foundedAt }) =>
      team === undefined || team.status === "deleted" ? [] : [{ team, foundedAt }],
    );
    return { teams, last };
  }

  async getMember(membership: Membership): Promise<Member | undefined> {
    const item = await this.#table.get(memberKey(membership));
    return item && memberItem.parse(item);
  }

  /** Members by user id, in any order; users who are not in the team are left out. */
  async getMembers(teamId: string, userIds: readonly string[]): Promise<Member[]> {
    const items = await this.#table.getMany(
      [...new Set(userIds)].map((userId) => memberKey({ teamId, userId })),
    );
    return items.map((item) => memberItem.parse(item));
  }

  /**
   * Members in the order of their ids.
   * @param page.after the member after whom to start; absent: start with the first
   * @param page.limit up to 2000, which always fit into one page of DynamoDB
   */
  async pageOfMembers(teamId: string, page: { after?: string; limit: number }): Promise<Member[]> {
    return (await this.#pageOfMembers(teamId, page)).map((item) => memberItem.parse(item));
  }

  /**
   * A page as `pageOfMembers` reads it, for display: without unreadable members.
   * @returns `last`: the member after whom the next page starts, whether read or not
   */
  async readableMembers(
    teamId: string,
    { after, limit }: { after?: string; limit: number },
  ): Promise<{ members: Member[]; last: string | undefined; hasMore: boolean }> {
    const items = await this.#pageOfMembers(teamId, { after, limit: limit + 1 });
    const shown = items.slice(0, limit);
    const last = shown.at(-1);
    return {
      members: shown.map((item) => memberItem.parseOrAbsent(item)).filter((member) => member !== undefined),
      last: last && memberIdOf(last),
      hasMore: items.length > limit,
    };
  }

  async #pageOfMembers(teamId: string, { after, limit }: { after?: string; limit: number }): Promise<Item[]> {
    const { Items = [] } = await this.#table.page(ownerOf(teamId), {
      ...startsWith(memberPrefix),
      Limit: limit,
      ExclusiveStartKey: after === undefined ? undefined : memberKey({ teamId, userId: after }),
    });
    return Items;
  }

  /** All members, page by page, in the order of their ids. */
  async *members(teamId: string): AsyncGenerator<Member> {
    for await (const item of this.#table.query(ownerOf(teamId), startsWith(memberPrefix)))
      yield memberItem.parse(item);
  }

  /** Ids of all members, page by page, in order: also of those who cannot be read. */
  async *memberIds(teamId: string): AsyncGenerator<string> {
    for await (const item of this.#table.query(ownerOf(teamId), startsWith(memberPrefix)))
      yield memberIdOf(item);
  }

  /** Ids of admins and owners, page by page. */
  async *admins(teamId: string): AsyncGenerator<string> {
    for await (const { entry } of this.#table.query(ownerOf(teamId), startsWith(adminPrefix)))
      yield String(entry).slice(adminPrefix.length);
  }

  /** Found a team with its first member, who is its owner. */
  create(
    team: Omit<Team, "memberCount" | "ownerCount" | "adminCount">,
    owner: Pick<Member, "permissions" | "legalHoldStatus">,
  ): Write[] {
    const { teamId, creator: userId } = team;
    describeAudited({ target: { tid: teamId }, team: teamId });
    const counted: Team = { ...team, memberCount: 1, ownerCount: 1, adminCount: 1 };
    return [
      this.#table.putWrite(
        { ...teamKey(teamId), ...counted, ...listingOf(counted) },
        { ConditionExpression: "attribute_not_exists(entry)" },
      ),
      ...this.#putMember(undefined, { teamId, userId, ...owner }),
    ];
  }

  /** Change an existing team. Rejected as `TeamNotFoundError`. */
  update(teamId: string, fields: TeamFields): Write {
    const names = Object.keys(fields);
    return this.#table.updateWrite(teamKey(teamId), {
      UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join(", ")}`,
      ...whilePresent,
      ExpressionAttributeNames: {
        ...whilePresent.ExpressionAttributeNames,
        ...Object.fromEntries(names.map((name) => [`#${name}`, name])),
      },
      ExpressionAttributeValues: {
        ...whilePresent.ExpressionAttributeValues,
        ...Object.fromEntries(Object.entries(fields).map(([name, value]) => [`:${name}`, value])),
      },
      onRejected: () => new TeamNotFoundError(teamId),
    });
  }

  /** Change the status of a team. Rejected as `StaleReadError` when it has changed since it was read. */
  changeStatus(
    { teamId, status: previous }: Pick<Team, "teamId" | "status">,
    next: Pick<Team, "status" | "statusChangedAt"> & TeamFields,
  ): Write {
    const names = Object.keys(next);
    return this.#table.updateWrite(teamKey(teamId), {
      UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join(", ")}`,
      ConditionExpression: "#status = :previous",
      ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: {
        ":previous": previous,
        ...Object.fromEntries(Object.entries(next).map(([name, value]) => [`:${name}`, value])),
      },
    });
  }

  /**
   * Start the deletion of a team, for the first time or again. Rejected as `StaleReadError` when its status has changed
   * since it was read, or another request has started the deletion.
   *
   * @param options.isAlone whether to require that the team still has only one member
   * @param options.deletedBy the owner who starts it for the first time
   */
  orderDeletion(
    { teamId, status, deletionOrderedAt }: Team,
    now: number,
    { isAlone = false, deletedBy }: { isAlone?: boolean; deletedBy?: string } = {},
  ): Write {
    const isFirst = status !== "pending_delete";
    const assignments = [
      "deletionOrderedAt = :now",
      ...(isFirst ? ["#status = :pendingDelete", "statusChangedAt = :now"] : []),
      ...(deletedBy === undefined ? [] : ["deletedBy = :deletedBy"]),
    ];
    return this.#table.updateWrite(teamKey(teamId), {
      UpdateExpression: `SET ${assignments.join(", ")}`,
      ConditionExpression: [
        "#status = :previous",
        deletionOrderedAt === undefined
          ? "attribute_not_exists(deletionOrderedAt)"
          : "deletionOrderedAt = :orderedAt",
        ...(isAlone ? ["memberCount <= :one"] : []),
      ].join(" AND "),
      ExpressionAttributeNames: { "#status": "status" },
      ExpressionAttributeValues: {
        ":previous": status,
        ":now": now,
        ...(isFirst && { ":pendingDelete": "pending_delete" }),
        ...(deletionOrderedAt !== undefined && { ":orderedAt": deletionOrderedAt }),
        ...(isAlone && { ":one": 1 }),
        ...(deletedBy !== undefined && { ":deletedBy": deletedBy }),
      },
    });
  }

  /**
   * Reduce a team that is being deleted to a tombstone. Rejected as `StaleReadError` when the team is not being
   * deleted.
   */
  bury(team: Team, now: number): Write {
    return this.#table.putWrite(
      { ...teamKey(team.teamId), ...teamTombstone(team, now) },
      {
        ConditionExpression: "#status = :pendingDelete",
        ExpressionAttributeNames: { "#status": "status" },
        ExpressionAttributeValues: { ":pendingDelete": "pending_delete" },
      },
    );
  }

  /** Delete everything else stored with a team. */
  async removeContents(teamId: string): Promise<void> {
    const pages = this.#table.pages(ownerOf(teamId), {
      ProjectionExpression: "#owner, entry",
      ExpressionAttributeNames: { "#owner": "owner" },
    });
    const { entry: teamEntry } = teamKey(teamId);
    for await (const { Items = [] } of pages) {
      const keys = Items.map(({ owner, entry }) => ({ owner: String(owner), entry: String(entry) }));
      await this.#table.deleteMany(keys.filter(({ entry }) => entry !== teamEntry));
    }
  }

  /** Condition that a team exists and is not being deleted. Rejected as `TeamNotFoundError`. */
  requirePresent(teamId: string): Write {
    return this.#table.requireWrite(teamKey(teamId), {
      ...whilePresent,
      onRejected: () => new TeamNotFoundError(teamId),
    });
  }

  /**
   * Store whether legal hold is in force, which affects those who join. Rejected as `TeamNotFoundError`, and as
   * `TeamTooLargeError` when the team has too many members for it.
   */
  changeLegalHold(teamId: string, hasLegalHold: boolean): Write {
    return this.#table.updateWrite(teamKey(teamId), {
      UpdateExpression: "SET hasLegalHold = :hasLegalHold",
      ...whilePresent,
      ConditionExpression: hasLegalHold
        ? `${whilePresent.ConditionExpression} AND memberCount <= :limit`
        : whilePresent.ConditionExpression,
      ExpressionAttributeValues: {
        ...whilePresent.ExpressionAttributeValues,
        ":hasLegalHold": hasLegalHold,
        ...(hasLegalHold && { ":limit": fanoutLimit(this.#settings) }),
      },
      onRejected: (existing) => {
        const team = existing && teamItem.parse(existing);
        return team !== undefined && isPresent(team)
          ? new TeamTooLargeError(teamId)
          : new TeamNotFoundError(teamId);
      },
    });
  }

  /** Condition that a team still admits members. Rejected as `StaleReadError`. */
  requireOpen(teamId: string): Write {
    return this.#table.requireWrite(teamKey(teamId), whileOpen);
  }

  /** Condition that a member's permissions have not changed since they were read. Rejected as `StaleReadError`. */
  requirePermissions({ permissions, ...membership }: Membership & Pick<Member, "permissions">): Write {
    return this.#table.requireWrite(memberKey(membership), hasPermissions({ permissions }));
  }

  /**
   * Add a member. Rejected as `TeamNotFoundError`, `TeamFullError`, `TeamFullForLegalHoldError` or `TooManyAdminsError`,
   * and as `StaleReadError` when the user is a member already.
   */
  addMember(member: Member): Write[] {
    describeAudited({
      target: { tid: member.teamId, uid: member.userId },
      changes: { role: { before: undefined, after: nameOfRole(member.permissions) } },
      team: member.teamId,
    });
    return [
      ...this.#putMember(undefined, member),
      this.#recount(member.teamId, undefined, member.permissions),
    ];
  }

  /**
   * Change the permissions of a member. Rejected as `StaleReadError` when the member has changed since the read, as
   * `TeamNotFoundError`, `TooManyAdminsError`, and as `LastOwnerError` when no owner would be left.
   */
  changePermissions(member: Member, permissions: PermissionSet): Write[] {
    describeAudited({
      changes: { role: { before: nameOfRole(member.permissions), after: nameOfRole(permissions) } },
    });
    const changed = { ...member, permissions };
    return [
      ...this.#putMember(member, changed),
      this.#recount(member.teamId, member.permissions, permissions),
    ];
  }

  /** Change a member's legal hold status. Rejected as `StaleReadError` when it has changed since it was read. */
  changeLegalHoldStatus(
    { legalHoldStatus: previous, ...membership }: Membership & Pick<Member, "legalHoldStatus">,
    next: Member["legalHoldStatus"],
  ): Write {
    return this.#table.updateWrite(memberKey(membership), {
      UpdateExpression: "SET legalHoldStatus = :next",
      ConditionExpression: "legalHoldStatus = :previous",
      ExpressionAttributeValues: { ":next": next, ":previous": previous },
    });
  }

  /**
   * Remove a member. Rejected as `StaleReadError` when the member has changed since it was read, and as `LastOwnerError`
   * when no owner would be left.
   */
  removeMember(member: Member): Write[] {
    return [...this.#deleteMember(member), this.#recount(member.teamId, member.permissions, undefined)];
  }

  /** Remove a member of a team that is being deleted, which no longer counts its members. */
  removeLeftOver(member: Member): Write[] {
    return this.#deleteMember(member);
  }

  #putMember(previous: Member | undefined, member: Member): Write[] {
    const isListed = isTeamAdmin(member);
    const wasListed = previous !== undefined && isTeamAdmin(previous);
    return [
      this.#table.putWrite(
        { ...memberKey(member), ...member, permissionsChangedAt: this.#clock() },
        previous === undefined
          ? { ConditionExpression: "attribute_not_exists(entry)" }
          : isUnchanged(previous),
      ),
      ...(isListed && !wasListed ? [this.#table.putWrite(adminKey(member))] : []),
      ...(wasListed && !isListed ? [this.#table.deleteWrite(adminKey(member))] : []),
    ];
  }

  #deleteMember(member: Member): Write[] {
    return [
      this.#table.deleteWrite(memberKey(member), isUnchanged(member)),
      ...(isTeamAdmin(member) ? [this.#table.deleteWrite(adminKey(member))] : []),
    ];
  }

  /** Adjusts the team's counts to the change of one member. */
  #recount(teamId: string, before: PermissionSet | undefined, after: PermissionSet | undefined): Write {
    const change = (counts: (permissions: PermissionSet) => boolean) =>
      Number(after !== undefined && counts(after)) - Number(before !== undefined && counts(before));
    const members = change(() => true);
    const owners = change((permissions) => hasOwnerRights({ permissions }));
    const admins = change((permissions) => isTeamAdmin({ permissions }));
    const limits = [
      ...(members > 0
        ? [{ condition: "memberCount < :maxMembers", values: { ":maxMembers": this.#settings.maxTeamSize } }]
        : []),
      ...(members > 0 && limitsLegalHold(this.#settings)
        ? [
            {
              condition:
                "(attribute_not_exists(hasLegalHold) OR hasLegalHold = :no OR memberCount < :fanout)",
              values: { ":no": false, ":fanout": fanoutLimit(this.#settings) },
            },
          ]
        : []),
      ...(admins > 0
        ? [{ condition: "adminCount < :maxAdmins", values: { ":maxAdmins": maxTeamAdmins } }]
        : []),
      ...(owners < 0 ? [{ condition: "ownerCount > :one", values: { ":one": 1 } }] : []),
    ];
    // A team that is being deleted can be left, but not joined; a suspended one cannot be joined, either.
    const stillThere = after === undefined ? isThere : whilePresent;
    const presence = members > 0 ? whileOpen : stillThere;
    return this.#table.updateWrite(teamKey(teamId), {
      UpdateExpression: "ADD memberCount :members, ownerCount :owners, adminCount :admins",
      ...presence,
      ConditionExpression: [presence.ConditionExpression, ...limits.map(({ condition }) => condition)].join(
        " AND ",
      ),
      ExpressionAttributeValues: Object.assign(
        { ":members": members, ":owners": owners, ":admins": admins },
        presence.ExpressionAttributeValues,
        ...limits.map(({ values }) => values),
      ),
      onRejected: (existing) => {
        const team = existing && teamItem.parse(existing);
        if (team === undefined || !(members > 0 ? isOpen : isPresent)(team))
          return new TeamNotFoundError(teamId);
        if (members > 0 && team.memberCount >= this.#settings.maxTeamSize) return new TeamFullError(teamId);
        if (members > 0 && isFullForLegalHold(team, this.#settings))
          return new TeamFullForLegalHoldError(teamId);
        return owners < 0 ? new LastOwnerError(teamId) : new TooManyAdminsError(teamId);
      },
    });
  }
}

/**
 * Attributes that list a team by the time when it was founded.
 * @param team.statusChangedAt when it was founded; a guess for a team from a version without the list
 */
export const listingOf = ({ teamId, statusChangedAt }: Pick<Team, "teamId" | "statusChangedAt">) =>
  listed(teamList, { id: teamId, createdAt: statusChangedAt });

const isThere = {
  ConditionExpression: "attribute_exists(entry)",
  ExpressionAttributeNames: undefined,
  ExpressionAttributeValues: {},
};
const whilePresent = {
  ConditionExpression: "attribute_exists(entry) AND NOT #status IN (:pendingDelete, :deleted)",
  ExpressionAttributeNames: { "#status": "status" },
  ExpressionAttributeValues: { ":pendingDelete": "pending_delete", ":deleted": "deleted" },
};

const whileOpen = {
  ConditionExpression: "#status IN (:active, :pendingActive)",
  ExpressionAttributeNames: { "#status": "status" },
  ExpressionAttributeValues: { ":active": "active", ":pendingActive": "pending_active" },
};

/** Condition on the fields that writing a whole member would overwrite. */
const isUnchanged = ({ permissions, legalHoldStatus }: Member) => {
  const { ConditionExpression, ExpressionAttributeNames, ExpressionAttributeValues } = hasPermissions({
    permissions,
  });
  return {
    ConditionExpression: `${ConditionExpression} AND legalHoldStatus = :previousStatus`,
    ExpressionAttributeNames,
    ExpressionAttributeValues: { ...ExpressionAttributeValues, ":previousStatus": legalHoldStatus },
  };
};

const hasPermissions = ({ permissions }: Pick<Member, "permissions">) => ({
  ConditionExpression: "#permissions = :previous",
  ExpressionAttributeNames: { "#permissions": "permissions" },
  ExpressionAttributeValues: { ":previous": permissions },
});

/** The role with exactly these permissions, or the permissions if there is none. */
const nameOfRole = (permissions: PermissionSet): string =>
  roleOf(permissions) ?? `permissions ${permissions.self}`;
