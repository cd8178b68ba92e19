import { changeLeaves, type Leaf, leafOf } from "#shared/devices/mls/leaves.ts";
import type { Commit } from "#shared/devices/mls/mls-message.ts";
import type { Proposal } from "#shared/devices/mls/proposal.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "../deps.ts";
import type { CommitBundle } from "./commit-bundle.ts";
import type { CommitPlan } from "./commit-members.ts";
import { type CommitSubject, requireInParent } from "./commit-subject.ts";
import { protocolError } from "./protocol-error.ts";
import { verifyMessage, verifyOwnLeaf } from "./verify.ts";

/**
 * Check a commit by which a device of a member joins the group itself, and decide what it changes (RFC 9420 §12.4.3.2).
 *
 * @throws ApiError `mls-protocol-error`, `mls-invalid-leaf-node-index`, `mls-subconv-join-parent-missing`,
 * `mls-identity-mismatch`
 */
export async function planExternalCommit(
  deps: Pick<Deps, "groups" | "settings">,
  subject: CommitSubject,
  { message, commit, welcome }: CommitBundle,
): Promise<CommitPlan> {
  const { settings } = deps;
  const { device, group, registered, suite } = subject;
  if (group === undefined) throw protocolError("Nobody has committed to the group yet");
  if (welcome !== undefined) throw protocolError("An external commit adds nobody else");
  const proposals = inlineProposals(commit);
  checkKinds(proposals);
  const { leaves } = group;
  const removed = proposals.flatMap((proposal) => (proposal.kind === "remove" ? [proposal.leafIndex] : []));
  const [former] = removed;
  if (removed.length > 1) throw protocolError("An external commit removes more than one device");
  // A leaf that is about to be removed counts, too. Otherwise leaves and proposals to remove them would add up.
  if (former === undefined && [...leaves.values()].some(isOfDevice(device)))
    throw protocolError("The device has a leaf in the group, which its commit does not remove");
  if (former !== undefined) {
    const leaf = leaves.get(former);
    if (leaf === undefined) throw new ApiError("mls-invalid-leaf-node-index");
    if (!isOfDevice(device)(leaf)) throw protocolError("An external commit removes another device");
  }
  const conditions = await requireInParent(deps, subject);

  if (commit.pathLeaf === undefined) throw protocolError("An external commit lacks an update path");
  const added = [device];
  const leafIndex = leafOf(changeLeaves(leaves, { removed, added }), device) ?? 0;
  const { signatureScheme: scheme } = suite;
  const place = { groupId: message.groupId, leafIndex };
  const key = verifyOwnLeaf(commit.pathLeaf, {
    source: "commit",
    device,
    own: registered,
    place,
    scheme,
    settings,
  });
  verifyMessage(message, { scheme, key, groupContext: group.groupContext });
  return {
    leaves,
    removed,
    added,
    leafIndex,
    key,
    joining: [],
    leaving: [],
    conditions,
    statuses: new Map(),
  };
}

const isOfDevice =
  (device: Leaf) =>
  ({ userId, clientId }: Leaf) =>
    userId === device.userId && clientId === device.clientId;

function inlineProposals({ proposals }: Commit): Proposal[] {
  return proposals.map((entry) => {
    if ("proposal" in entry) return entry.proposal;
    throw protocolError("An external commit refers to a proposal");
  });
}

const allowedKinds: readonly Proposal["kind"][] = ["external-init", "remove", "psk"];

function checkKinds(proposals: readonly Proposal[]): void {
  if (proposals.filter(({ kind }) => kind === "external-init").length !== 1)
    throw protocolError("An external commit has exactly one ExternalInit");
  if (!proposals.every(({ kind }) => allowedKinds.includes(kind)))
    throw protocolError("An external commit has a proposal of another kind");
}
