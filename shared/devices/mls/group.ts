import * as z from "zod";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";
import type { Leaves } from "./leaves.ts";

const bytes = z.instanceof(Uint8Array);

/** Items of a group that a commit replaces have a version, so that nobody reads uncommitted ones. */
const version = z.string();

/** An MLS group after its last commit. */
export const groupItem = storedItem(
  {
    table: "conversations",
    kind: "mls-group",
    key: ["mls-group#*", "group"],
    subject: {
      nobody: "state of a group, as its members have it",
      mentions: "devices, until a member commits their removal",
    },
  },
  storedObject({
    /** base64 */
    groupId: z.string(),
    conversationId: z.uuid(),
    /** Increases with each commit and proposal; a commit names the revision that it is based on. */
    revision: z.int(),
    epoch: z.int(),
    /** Unix milliseconds. */
    epochChangedAt: z.int(),
    cipherSuite: z.int(),
    /** `GroupContext` of the epoch, which signatures cover. */
    groupContext: bytes,
    confirmationTag: bytes,
    /** `Hash` of the transcript, from the epoch's group context. */
    confirmedTranscriptHash: bytes,
    /** Number of members' proposals in the epoch; absent: none. */
    memberProposals: z.int().optional(),
    /** Version of each part of the leaves. */
    leafVersions: z.array(version),
    groupInfo: storedObject({ version, parts: z.int() }),
    /** Sort keys of the parts that the last commit has replaced; the next one removes them. */
    obsolete: z.array(z.string()).optional(),
  }),
);

/** A group with its devices. */
export interface Group extends Stored<typeof groupItem> {
  readonly leaves: Leaves;
  /** Parts of the leaves, as they are stored: without later departures. */
  readonly storedLeaves: readonly Uint8Array[];
  /** Devices that have left by themselves; in `leaves`, they are about to be removed. */
  readonly departures: readonly Departure[];
}

/** A device that has left a group by itself, until it joins again. */
export const departureItem = storedItem(
  {
    table: "conversations",
    kind: "mls-departure",
    key: ["mls-group#*", "group-departure#*"],
    subject: {
      nobody: "state of a group, as its members have it",
      mentions: "devices, until a member commits their removal",
    },
  },
  storedObject({ userId: z.uuid(), clientId: z.string() }),
);
export type Departure = Stored<typeof departureItem>;

/** A proposal that waits for a commit of its epoch. */
export const pendingProposalItem = storedItem(
  {
    table: "conversations",
    kind: "mls-proposal",
    key: ["mls-group#*", "proposal#*"],
    subject: {
      nobody: "a change of a group, until a member commits it",
      mentions: "devices, until a member commits their removal",
    },
  },
  storedObject({
    groupId: z.string(),
    epoch: z.int(),
    /** base64 */
    reference: z.string(),
    /** `Proposal` */
    proposal: bytes,
    /** Whether the service has made it. */
    isOfService: z.boolean().optional(),
    /** Whether its sender has registered no key to verify it with; absent: verified. */
    isUnverified: z.boolean().optional(),
  }),
);
export type PendingProposal = Stored<typeof pendingProposalItem>;
