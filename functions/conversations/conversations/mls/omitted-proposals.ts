import type { CipherSuite } from "#shared/devices/mls/cipher-suites.ts";
import { deviceNamedBy } from "#shared/devices/mls/credential-identity.ts";
import type { PendingProposal } from "#shared/devices/mls/group.ts";
import { type Leaves, leafOf } from "#shared/devices/mls/leaves.ts";
import { decodeProposal, type Proposal } from "#shared/devices/mls/proposal.ts";
import { toPublicKey } from "#shared/devices/mls/signature-key.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "../deps.ts";
import { additionRefusal } from "./client-sets.ts";
import { checkMembers, type MemberChange } from "./commit-members.ts";
import { type CommitSubject, changesMembers } from "./commit-subject.ts";
import { readAddition } from "./verify.ts";

/** The parts of a commit that decide which proposals it can contain. */
interface Omission {
  readonly subject: CommitSubject & { readonly leaves: Leaves };
  /** Leaves that the commit removes. */
  readonly removed: ReadonlySet<number>;
}

/**
 * Check the proposals that a commit omits. It may omit those of members that the committer may not carry out, by our
 * rules or by MLS (RFC 9420 §12.2), and those that devices might not accept. So no member's proposal blocks a group.
 *
 * @throws ApiError `mls-commit-missing-references`
 */
export async function checkOmitted(
  deps: Deps,
  commit: Omission,
  omitted: readonly PendingProposal[],
): Promise<void> {
  const proposals = omitted.map(({ proposal }) => decodeProposal(Buffer.from(proposal)));
  const wanted = proposals.flatMap((one) => (one.kind === "remove" ? [one.leafIndex] : []));
  const removable = new Set([...commit.removed, ...wanted]);
  const checks = proposals.map(
    (proposal, index) =>
      omitted[index]?.isOfService !== true &&
      (omitted[index]?.isUnverified === true || cannotContain(deps, { ...commit, removable }, proposal)),
  );
  if (!(await Promise.all(checks)).every(Boolean)) throw new ApiError("mls-commit-missing-references");
}

async function cannotContain(
  deps: Deps,
  { subject, removed, removable }: Omission & { readonly removable: ReadonlySet<number> },
  proposal: Proposal,
): Promise<boolean> {
  const { device, leaves, suite, suiteNumber } = subject;
  switch (proposal.kind) {
    case "add": {
      const { settings } = deps;
      const added = readAddition(proposal.keyPackage, { number: suiteNumber, suite, settings });
      const owner = await deps.devices.get(added.userId);
      if (additionRefusal(subject, added, owner) !== undefined) return true;
      return isRefused(deps, subject, { joining: [added.userId], leaving: [] });
    }
    case "remove": {
      const { leafIndex } = proposal;
      const { userId } = leaves.get(leafIndex) ?? {};
      if (userId === undefined || removed.has(leafIndex)) return true;
      if (userId === device.userId) return changesMembers(subject) || leafIndex === leafOf(leaves, device);
      const remains = [...leaves].some(
        ([index, leaf]) => leaf.userId === userId && !leaf.isLeaving && !removable.has(index),
      );
      if (remains && changesMembers(subject)) return true;
      return isRefused(deps, subject, { joining: [], leaving: [userId] });
    }
    case "update": {
      const leaf = leafUpdated(proposal, leaves, suite);
      return leaf === undefined || leaf === leafOf(leaves, device) || removed.has(leaf);
    }
    default:
      // A pre-shared key that nobody else has, a new group together with other proposals, or extensions that not all
      // devices support.
      return true;
  }
}

/** Whether the committer may not bring in or remove users. */
async function isRefused(
  deps: Deps,
  subject: CommitSubject,
  { joining, leaving }: MemberChange,
): Promise<boolean> {
  if (!changesMembers(subject)) return false;
  const isMember = (userId: string) => subject.members.some((member) => member.userId === userId);
  try {
    await checkMembers(deps, subject, {
      joining: joining.filter((userId) => !isMember(userId)),
      leaving: leaving.filter(isMember),
    });
    return false;
  } catch (error) {
    if (error instanceof ApiError) return true;
    throw error;
  }
}

/** The leaf that a stored proposal updates. */
export function leafUpdated(
  { leafNode }: Extract<Proposal, { kind: "update" }>,
  leaves: Leaves,
  { signatureScheme }: CipherSuite,
): number | undefined {
  const key = toPublicKey(signatureScheme, leafNode.signatureKey);
  const device = key && deviceNamedBy(leafNode.credential, key);
  const entry = [...leaves].find(
    ([, { userId, clientId }]) => userId === device?.userId && clientId === device.clientId,
  );
  return entry?.[0];
}
