import type { KeyObject } from "node:crypto";
import type { Leaf, LeafChange, Leaves } from "#shared/devices/mls/leaves.ts";
import type { Change } from "#shared/platform/messaging/change.ts";
import type { MemberCheck } from "./commit-members.ts";

/** The changes of an accepted commit. */
export interface CommitPlan extends LeafChange, MemberCheck {
  /** The devices before the commit; before the first one, only that of the creator. */
  readonly leaves: Leaves;
  readonly added: readonly Leaf[];
  /** The committer's leaf in the new epoch. */
  readonly leafIndex: number;
  /** The committer's key, unless it is unknown because the device has registered none. */
  readonly key: KeyObject | undefined;
  /** Users who become members of the conversation. */
  readonly joining: readonly string[];
  /** Members who leave it. */
  readonly leaving: readonly string[];
  /** Writes that make room for a subconversation that the commit begins. */
  readonly room?: Partial<Pick<Change, "writes" | "messages">>;
}
