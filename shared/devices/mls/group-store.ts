import { randomUUID } from "node:crypto";
import * as z from "zod";
import { type Clock, toSeconds } from "#shared/platform/clock.ts";
import { type Parts, StaleReadError, type Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { declareItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { type Item, type Key, Table } from "#shared/platform/data/table.ts";
import { inPlaceOf } from "#shared/platform/data/unknown-fields.ts";
import {
  type Departure,
  departureItem,
  type Group,
  groupItem,
  type PendingProposal,
  pendingProposalItem,
} from "./group.ts";
import { decodeLeaves, encodeLeaves, type Leaves, leafOf, markDeparted } from "./leaves.ts";

type GroupKey = Key<"conversations">;

const partitionOf = (groupId: string) => `mls-group#${groupId}`;
const groupKey = (groupId: string): GroupKey => ({ owner: partitionOf(groupId), entry: "group" });
/** Sorts right after the group, so that one query reads both. */
const leavesPrefix = "group-leaves#";
const leavesKey = (groupId: string, part: number, version: string): GroupKey => ({
  owner: partitionOf(groupId),
  entry: `${leavesPrefix}${String(part).padStart(4, "0")}#${version}`,
});
/** Sorts between the group and its leaves. */
const departurePrefix = "group-departure#";
const departureKey = (groupId: string, { userId, clientId }: Departure): GroupKey => ({
  owner: partitionOf(groupId),
  entry: `${departurePrefix}${userId}#${clientId}`,
});
const groupInfoKey = (groupId: string, version: string, part: number): GroupKey => ({
  owner: partitionOf(groupId),
  entry: `info#${version}#${String(part).padStart(2, "0")}`,
});
const proposalPrefix = (epoch: number) => `proposal#${epoch}#`;
const proposalKey = ({ groupId, epoch, reference }: PendingProposal): GroupKey => ({
  owner: partitionOf(groupId),
  entry: `${proposalPrefix(epoch)}${reference}`,
});

/** Bytes of group info in one item: DynamoDB takes 400 KB in all. */
const maxPartBytes = 380 * 1024;
/** Maximum number of replaced parts whose sort keys fit into a group item. */
const maxObsolete = 100;
/** Attempts to read a group while commits replace its parts. */
const maxReads = 4;
/** Proposals and departures in groups to which nobody commits are kept for 28 days. */
const pendingSeconds = 28 * 86_400;

/** The state of a group after a commit. */
export interface NextEpoch
  extends Omit<
    Group,
    "revision" | "leafVersions" | "groupInfo" | "memberProposals" | "obsolete" | "storedLeaves" | "departures"
  > {
  /** The `GroupInfo`, as it was uploaded. */
  readonly groupInfo: Buffer;
}

/** A commit that is about to be stored. */
export interface Advance {
  /** Writes the parts that do not fit into the transaction; nobody finds them before the commit. */
  readonly parts: Parts;
  /** Rejected as `StaleReadError` when the group has got a commit or proposal since it was read. */
  readonly write: Write;
  /** Removes the replaced parts, unless a later commit does. */
  readonly cleanUp: () => Promise<void>;
}

declareItem(
  {
    table: "conversations",
    kind: "mls-leaves",
    key: ["mls-group#*", "group-leaves#*"],
    subject: {
      nobody: "state of a group, as its members have it",
      mentions: "devices, until a member commits their removal",
    },
  },
  storedObject({ leaves: z.instanceof(Uint8Array) }),
);
declareItem(
  {
    table: "conversations",
    kind: "mls-group-info",
    key: ["mls-group#*", "info#*"],
    subject: {
      nobody: "state of a group, as its members have it",
      mentions: "devices, until a member commits their removal",
    },
  },
  storedObject({ bytes: z.instanceof(Uint8Array) }),
);

/**
 * MLS groups (ADR 121). Access patterns: a group with its devices; its group info; its pending proposals. A group has
 * an item that names its epoch and the versions of its parts: leaves in parts of some kilobytes, and the group info. A
 * commit stores the parts that it changes under a new version, then replaces that item. The next commit removes the
 * replaced parts while it stores its own, so that no request waits for that.
 */
export class GroupStore {
  readonly #table: Table<"conversations">;
  readonly #clock: Clock;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "conversations");
    this.#clock = context.clock;
  }

  /** A group with its devices, by its id in base64; undefined before its first commit. */
  async get(groupId: string): Promise<Group | undefined> {
    for (let read = 1; ; read++) {
      const items: Item[] = [];
      const range = { range: "begins_with(entry, :group)", ExpressionAttributeValues: { ":group": "group" } };
      for await (const item of this.#table.query(partitionOf(groupId), range)) items.push(item);
      const [first, ...others] = items;
      if (first?.entry !== groupKey(groupId).entry) return undefined;
      const group = groupItem.parse(first);
      const { departed = [], parts = [] } = Object.groupBy(others, ({ entry }) =>
        String(entry).startsWith(departurePrefix) ? "departed" : "parts",
      );
      const byEntry = new Map(parts.map((part) => [String(part.entry), part.leaves as Uint8Array]));
      const entries = group.leafVersions.map((version, part) => leavesKey(groupId, part, version).entry);
      const found = entries.flatMap((entry) => byEntry.get(entry) ?? []);
      if (found.length === entries.length) {
        const departures = departed.map((item) => departureItem.parse(item));
        const leaves = markDeparted(decodeLeaves(found), departures);
        return { ...group, leaves, storedLeaves: found, departures };
      }
      if (read === maxReads) throw new StaleReadError(`MLS group ${groupId}`);
    }
  }

  /** The group info of a group's epoch, as it was uploaded; undefined when a commit replaces it at this moment. */
  async getGroupInfo({
    groupId,
    groupInfo: { version, parts },
  }: Pick<Group, "groupId" | "groupInfo">): Promise<Buffer | undefined> {
    const keys = Array.from({ length: parts }, (_, part) => groupInfoKey(groupId, version, part));
    const items = await Promise.all(keys.map((key) => this.#table.get(key)));
    const found = items.flatMap((item) => (item === undefined ? [] : [item.bytes as Uint8Array]));
    return found.length === parts ? Buffer.concat(found) : undefined;
  }

  /** The proposals that wait for a commit of an epoch. */
  async pendingProposals(groupId: string, epoch: number): Promise<PendingProposal[]> {
    const query = {
      range: "begins_with(entry, :prefix)",
      ExpressionAttributeValues: { ":prefix": proposalPrefix(epoch) },
    };
    const proposals: PendingProposal[] = [];
    for await (const item of this.#table.query(partitionOf(groupId), query))
      proposals.push(pendingProposalItem.parse(item));
    return proposals;
  }

  /**
   * Keep a member's proposal for the group's epoch. Rejected as `StaleReadError` when the group has got a commit or
   * proposal since it was read.
   */
  addProposal(
    { groupId, epoch, revision, memberProposals = 0 }: Group,
    proposal: Omit<PendingProposal, "groupId" | "epoch">,
  ): Write[] {
    return [
      this.#table.updateWrite(groupKey(groupId), {
        UpdateExpression: "SET revision = :next, memberProposals = :proposals",
        ConditionExpression: "revision = :revision",
        ExpressionAttributeValues: {
          ":next": revision + 1,
          ":proposals": memberProposals + 1,
          ":revision": revision,
        },
      }),
      this.#putProposal({ groupId, epoch, ...proposal }),
    ];
  }

  /**
   * Plan to store the outcome of a commit.
   * @param pending the proposals of the epoch that the commit ends
   */
  advance(
    previous: Group | undefined,
    { leaves, groupInfo, ...next }: NextEpoch,
    pending: readonly PendingProposal[],
  ): Advance {
    const { groupId } = next;
    const version = randomUUID();
    const { versions, changed, replaced } = changedParts(previous, leaves, version);
    const infoParts = chunksOfBytes(groupInfo);
    const items = [
      ...changed.map(({ part, bytes }) => ({ ...leavesKey(groupId, part, version), leaves: bytes })),
      ...infoParts.map((bytes, part) => ({ ...groupInfoKey(groupId, version, part), bytes })),
    ];
    const stored = items.map(({ owner, entry }) => ({ owner, entry }));
    const replacedKeys = [
      ...replaced.map(({ part, version: old }) => leavesKey(groupId, part, old)),
      ...infoKeysOf(previous),
      ...pending.map(proposalKey),
    ];
    const owner = partitionOf(groupId);
    const former = (previous?.obsolete ?? []).map((entry) => ({ owner, entry }));
    const group = {
      ...next,
      leafVersions: versions,
      groupInfo: { version, parts: infoParts.length },
      obsolete: replacedKeys.slice(0, maxObsolete).map(({ entry }) => entry),
    };
    return {
      parts: {
        store: async () => {
          await Promise.all([this.#table.putMany(items), this.#table.deleteMany(former)]);
        },
        discard: () => this.#table.deleteMany(stored),
      },
      write: this.#replace(previous, group),
      cleanUp: () => this.#table.deleteMany(replacedKeys.slice(maxObsolete)),
    };
  }

  /**
   * Plan to store proposals of the service to remove devices, which get nothing from then on.
   * @param leaves all devices, with the removed ones marked
   */
  proposeRemovals(
    previous: Group,
    leaves: Leaves,
    proposals: readonly Omit<PendingProposal, "groupId" | "epoch">[],
  ): Omit<Advance, "write"> & { readonly writes: readonly Write[] } {
    const { leaves: _, storedLeaves: __, departures: ___, ...group } = previous;
    const { groupId, epoch } = group;
    const version = randomUUID();
    const { versions, changed, replaced } = changedParts(previous, leaves, version);
    const items = changed.map(({ part, bytes }) => ({ ...leavesKey(groupId, part, version), leaves: bytes }));
    const stored = items.map(({ owner, entry }) => ({ owner, entry }));
    const obsolete = replaced.map(({ part, version: old }) => leavesKey(groupId, part, old));
    return {
      parts: { store: () => this.#table.putMany(items), discard: () => this.#table.deleteMany(stored) },
      writes: [
        this.#replace(previous, { ...group, leafVersions: versions }),
        ...proposals.map((proposal) => this.#putProposal({ groupId, epoch, ...proposal, isOfService: true })),
      ],
      cleanUp: () => this.#table.deleteMany(obsolete),
    };
  }

  /**
   * Let a device leave by itself. It gets nothing from then on; a job proposes to remove it. Many devices may leave at
   * the same instant: each writes an item of its own, and none waits for the others.
   */
  depart({ groupId }: Pick<Group, "groupId">, { userId, clientId }: Departure): Write {
    const purgeAtSeconds = toSeconds(this.#clock()) + pendingSeconds;
    return this.#table.putWrite({
      ...departureKey(groupId, { userId, clientId }),
      userId,
      clientId,
      purgeAtSeconds,
    });
  }

  /** For a commit: delete the departures of devices that are in the group again. */
  readmit(previous: Group | undefined, leaves: Leaves): Write[] {
    const { groupId = "", departures = [] } = previous ?? {};
    return departures
      .filter((device) => leafOf(leaves, device) !== undefined)
      .map((device) => this.#table.deleteWrite(departureKey(groupId, device)));
  }

  /** Require that a group has got no commit or proposal since it was read. Rejected as `StaleReadError`. */
  requireUnchanged({ groupId, revision }: Pick<Group, "groupId" | "revision">): Write {
    return this.#table.requireWrite(groupKey(groupId), { atRevision: revision });
  }

  /** Rejected as `StaleReadError` when the group has changed since it was read. */
  #replace(
    previous: Group | undefined,
    next: Omit<Group, "leaves" | "revision" | "storedLeaves" | "departures">,
  ): Write {
    const revision = previous?.revision ?? 0;
    return this.#table.putWrite(
      inPlaceOf(previous, { ...groupKey(next.groupId), ...next, revision: revision + 1 }),
      { atRevision: revision },
    );
  }

  #putProposal(pending: PendingProposal): Write {
    const purgeAtSeconds = toSeconds(this.#clock()) + pendingSeconds;
    return this.#table.putWrite({ ...proposalKey(pending), ...pending, purgeAtSeconds });
  }

  /** Remove everything of a group. May be repeated. */
  async erase(groupId: string): Promise<void> {
    const owner = partitionOf(groupId);
    for await (const { Items = [] } of this.#table.pages(owner, { ProjectionExpression: "entry" })) {
      await this.#table.deleteMany(Items.map(({ entry }) => ({ owner, entry: String(entry) })));
    }
  }
}

/** Parts of the leaves whose bytes differ from the previous ones. */
function changedParts(previous: Group | undefined, leaves: Leaves, version: string) {
  const before = previous?.storedLeaves ?? [];
  const parts = encodeLeaves(leaves);
  const isSame = (bytes: Buffer, part: number) => bytes.equals(before[part] ?? new Uint8Array());
  const oldVersions = previous?.leafVersions ?? [];
  return {
    versions: parts.map((bytes, part) => (isSame(bytes, part) ? (oldVersions[part] ?? version) : version)),
    changed: parts.map((bytes, part) => ({ part, bytes })).filter(({ part, bytes }) => !isSame(bytes, part)),
    replaced: oldVersions
      .map((old, part) => ({ part, version: old }))
      .filter(({ part }) => {
        const bytes = parts[part];
        return bytes === undefined || !isSame(bytes, part);
      }),
  };
}

const infoKeysOf = (group: Group | undefined): GroupKey[] =>
  group === undefined
    ? []
    : Array.from({ length: group.groupInfo.parts }, (_, part) =>
        groupInfoKey(group.groupId, group.groupInfo.version, part),
      );

function chunksOfBytes(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += maxPartBytes)
    parts.push(bytes.subarray(start, start + maxPartBytes));
  return parts;
}
