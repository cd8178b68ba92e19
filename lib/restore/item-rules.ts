import type { GroupState } from "#shared/conversations/conversation.ts";
import { successorOf } from "#shared/conversations/group-id.ts";
import type { TableName } from "#shared/registry/tables.ts";

export type Item = Readonly<Record<string, unknown>>;

/** An item of a live table. */
interface LiveKey {
  readonly table: TableName;
  readonly key: Readonly<Record<string, string>>;
}

/** The rule of a restore for items of one kind. */
export interface ItemRule {
  /** The reason, for the operator. */
  readonly reason: string;
  /** The live item that decides; absent: none is needed. */
  readonly live?: (item: Item) => LiveKey;
  /**
   * Decides which item is stored.
   * @param live the current item; undefined if there is none
   * @param isLiveTrusted false if the operator says that the live tables are damaged: then they are not read
   * @returns undefined if the item is dropped
   */
  readonly apply: (item: Item, live: Item | undefined, isLiveTrusted: boolean) => Item | undefined;
}

/** Kinds that are copied from the live tables, including items that have been added since. */
export const carriedKinds: readonly string[] = [
  // Addresses that have been blocked since stay blocked.
  "accounts/block",
  "accounts/block-entry",
  // With another key, a repeated import would create everybody again.
  "accounts/import-key",
  // The epochs of devices: an older epoch would split the group, and two messages could be encrypted with the same key.
  "conversations/mls-departure",
  "conversations/mls-group",
  "conversations/mls-group-info",
  "conversations/mls-leaves",
  "conversations/mls-proposal",
  "conversations/subconversation",
  "conversations/subconversation-count",
  // Revoked invitations stay revoked. Anybody who has accepted one since is invited again.
  "teams/invitation",
  "teams/invitation-counts",
  "teams/invited-address",
];

/** Kinds that are restored as they were. */
export const keptKinds: readonly string[] = [
  "accounts/rich-info",
  "assets/asset",
  "clients/last-prekey",
  "clients/legal-hold-device",
  "connections/connection",
  "connections/count",
  "conversations/list-entry",
  "conversations/member",
  "domains/claimed",
  "domains/custom-backend",
  "domains/registration",
  "oauth/app-entry",
  "properties/index",
  "properties/value",
  "provisioning/default-provider",
  "provisioning/group",
  "provisioning/group-count",
  "provisioning/group-name",
  "provisioning/issuer",
  "provisioning/metadata",
  "search/directory",
  "search/full-pass",
  "search/pass",
  "search/refresh",
  "search/user",
  "search/word",
  "services/admitted",
  "services/bot",
  "services/directory",
  "services/listing",
  "services/provider-claim",
  "services/service-count",
  "teams/features",
  "teams/legal-hold-ending",
  "teams/legal-hold-service",
  "teams/legal-hold-whitelist",
  "teams/team",
];

const dropped = (reason: string): ItemRule => ({ reason, apply: () => undefined });

/** More resets than a group can have had since, so that no device knows the id. */
const skippedGenerations = 65_536;

/** A conversation or subconversation whose MLS group is replaced by an empty one, which its devices fill again. */
function withNewGroup(item: Item): Item {
  const { group } = item as { group?: GroupState };
  if (group === undefined) return item;
  return { ...item, group: { groupId: successorOf(group.groupId, skippedGenerations), epoch: 0 } };
}

const ofReplacedGroup = dropped("MLS groups begin anew: their devices may be at later epochs");
const mayBeRevoked = dropped("invitations may have been revoked since");

/** Rules for items with a partition key and a sort key of these names. */
const same =
  (table: TableName, partition: string, sort: string) =>
  (item: Item): LiveKey => ({
    table,
    key: { [partition]: String(item[partition]), [sort]: String(item[sort]) },
  });

const ofAccounts = same("accounts", "pk", "sk");
const ofOwner = (table: TableName) => same(table, "owner", "entry");
const accountOf = ({ userId }: Item): LiveKey => ({
  table: "accounts",
  key: { pk: `user#${userId}`, sk: "account" },
});

/** Fields that replace those of a restored item; fields that the live item lacks are removed. */
const withFields = (item: Item, live: Item, names: readonly string[]): Item => {
  const others = Object.entries(item).filter(([name]) => !names.includes(name));
  const taken = names.filter((name) => live[name] !== undefined).map((name) => [name, live[name]]);
  return Object.fromEntries([...others, ...taken]);
};

/** An account that was suspended or resumed since then has the same state in the restored tables. */
const suspension = new Set<unknown>(["active", "suspended"]);
const secretsOf = (item: Item, live: Item) =>
  withFields(item, live, [
    "passwordHash",
    "sessionEpoch",
    ...(suspension.has(item.status) && suspension.has(live.status) ? ["status", "isSuspendedWithTeam"] : []),
  ]);

/** Whether access has been withdrawn since, or may have been. */
const onlyIfLive = (table: TableName, reason: string): ItemRule => ({
  reason,
  live: ofOwner(table),
  apply: (item, live) => (live === undefined ? undefined : item),
});

/** Fields that must not be restored to their former values. */
const liveFields = (table: TableName, reason: string, names: readonly string[]): ItemRule => ({
  reason,
  live: ofOwner(table),
  apply: (item, live) => (live === undefined ? item : withFields(item, live, names)),
});

const pick = (values: unknown, names: readonly string[]) =>
  Object.fromEntries(Object.entries(values ?? {}).filter(([name]) => names.includes(name)));

/** Rules by `<table>/<kind>`. Those of carried kinds count only if the live tables are not to be trusted. */
export const itemRules: Readonly<Record<string, ItemRule>> = {
  "accounts/account": {
    reason: "keeps the password of today, a suspension, and whatever was deleted since",
    live: ofAccounts,
    apply(item, live) {
      if (live === undefined) return item;
      return live.status === "deleted" ? live : secretsOf(item, live);
    },
  },
  "accounts/claim": {
    reason: "agrees with its account",
    live: accountOf,
    apply(item, live) {
      if (live === undefined) return item;
      return live.status === "deleted" ? undefined : secretsOf(item, live);
    },
  },
  "accounts/sessions": {
    reason: "cookies of today: none comes back that was revoked or has been replaced",
    live: ofAccounts,
    apply: (item, live) => live ?? { ...item, cookies: {} },
  },
  "accounts/password-checks": dropped("counts of that time say nothing"),
  "clients/devices": {
    reason: "without devices that have been removed since",
    live: ofOwner("clients"),
    apply(item, live, isLiveTrusted) {
      if (!isLiveTrusted) return item;
      return { ...item, devices: pick(item.devices, Object.keys(live?.devices ?? {})) };
    },
  },
  "clients/prekeys": dropped(
    "each prekey is used once; devices upload new ones, and have their last one until then",
  ),
  "clients/nonce": dropped("used once"),
  "conversations/conversation": {
    reason: "its MLS group is that of today, or an empty one if that is gone",
    live: ofOwner("conversations"),
    apply: (item, live) =>
      live === undefined || live.isDeleted === true ? withNewGroup(item) : withFields(item, live, ["group"]),
  },
  "conversations/guest-link": onlyIfLive("conversations", "links that were revoked since stay revoked"),
  "conversations/mls-departure": ofReplacedGroup,
  "conversations/mls-group": ofReplacedGroup,
  "conversations/mls-group-info": ofReplacedGroup,
  "conversations/mls-leaves": ofReplacedGroup,
  "conversations/mls-proposal": ofReplacedGroup,
  "conversations/subconversation": { reason: "its MLS group is a new one", apply: withNewGroup },
  "conversations/subconversation-count": {
    reason: "groups of subconversations that are not stored have ids that no device knows",
    apply: (item) => ({ ...item, firstGeneration: Number(item.firstGeneration ?? 0) + skippedGenerations }),
  },
  "domains/challenge": dropped("used once"),
  "oauth/app": liveFields("oauth", "secrets of today", ["secrets"]),
  "oauth/authorization-code": dropped("used once"),
  "oauth/grants": {
    reason: "what users allow apps today",
    live: ofOwner("oauth"),
    apply: (item, live, isLiveTrusted) => (isLiveTrusted ? live : item),
  },
  "oauth/refresh-token": onlyIfLive("oauth", "each is used once"),
  "provisioning/assertion": dropped("old ones have expired"),
  "provisioning/identity-provider": liveFields("provisioning", "certificates of today", ["certificates"]),
  "provisioning/login-request": dropped("used once"),
  "provisioning/scim-token": onlyIfLive("provisioning", "tokens that were revoked since stay revoked"),
  "provisioning/team": liveFields("provisioning", "tokens of today", ["tokens"]),
  "services/bot-backlog": dropped("events of that time are gone"),
  "services/provider": liveFields("services", "the password of today", ["passwordHash"]),
  "services/service": liveFields("services", "keys and tokens of today", ["keys", "authTokens", "baseUrl"]),
  "teams/admin": {
    reason: "without accounts that were deleted since",
    live: ({ entry }) => accountOf({ userId: String(entry).slice("admin#".length) }),
    apply: (item, live) => (live?.status === "deleted" ? undefined : item),
  },
  "teams/invitation": mayBeRevoked,
  "teams/invitation-counts": mayBeRevoked,
  "teams/invited-address": mayBeRevoked,
  "teams/member": {
    reason: "without accounts that were deleted since",
    live: accountOf,
    apply: (item, live) => (live?.status === "deleted" ? undefined : item),
  },
};
