import type { KeyPackage } from "#shared/devices/mls/key-package.ts";
import type { Leaves } from "#shared/devices/mls/leaves.ts";
import type { Proposal } from "#shared/devices/mls/proposal.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { protocolError } from "./protocol-error.ts";
import type { Addition } from "./verify.ts";

/** Maximum number of devices that one commit may add: all devices of 500 users. */
export const maxAdditions = 5000;

/**
 * Devices whose signatures are verified before it is known whether they exist. Anybody can sign thousands of others,
 * whose verification would take a second.
 */
export const verifiedUnknown = 10;

interface Checks {
  /** Reads the owner of the key package, which is cheap. */
  readonly read: (keyPackage: KeyPackage) => Addition;
  /** Verifies its signatures; a body has room for ten thousand. */
  readonly verify: (addition: Addition) => void;
}

/**
 * Check the proposals of a member's commit. Signatures are verified last, and only of so many different devices.
 *
 * @returns leaves to remove, devices to add, and a function that verifies the other signatures, once it is known that
 * the devices may be added
 * @throws ApiError `mls-protocol-error`, `mls-invalid-leaf-node-index`, `mls-unsupported-proposal`
 */
export function checkProposals(proposals: Iterable<Proposal>, leaves: Leaves, { read, verify }: Checks) {
  const removed = new Set<number>();
  const added = new Map<string, Addition>();
  for (const proposal of proposals) {
    if (proposal.kind === "external-init") throw protocolError("Only new members initialise a group");
    if (proposal.kind === "add") {
      if (added.size === maxAdditions) throw protocolError("A commit adds too many devices");
      const addition = read(proposal.keyPackage);
      const name = `${addition.userId}:${addition.clientId}`;
      if (added.has(name)) throw protocolError("A commit adds a device twice");
      added.set(name, addition);
    }
    if (proposal.kind !== "remove") continue;
    const { leafIndex } = proposal;
    if (!leaves.has(leafIndex) || removed.has(leafIndex)) throw new ApiError("mls-invalid-leaf-node-index");
    removed.add(leafIndex);
  }
  const additions = [...added.values()];
  for (const addition of additions.slice(0, verifiedUnknown)) verify(addition);
  const verifyOthers = () => {
    for (const addition of additions.slice(verifiedUnknown)) verify(addition);
  };
  return { removed, added: additions, verifyOthers };
}
