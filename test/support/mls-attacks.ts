import { encodeKeyPackage } from "ts-mls/keyPackage.js";
import { outcome } from "./api.ts";
import { addition, type MlsClient, type PreparedCommit, removal } from "./mls.ts";
import type { MutationTarget } from "./mls-mutations.ts";

/** A valid request, which is to be damaged. */
export interface Attack extends MutationTarget {
  readonly name: string;
  readonly client: MlsClient;
  readonly path: string;
}

/** Devices that are to be in a group, and two that are not. */
export interface Attackers {
  /** A device that has begun the group, of the user who created the conversation. */
  readonly admin: MlsClient;
  readonly members: readonly [MlsClient, MlsClient];
  /** A device of a user whom the administrator may add. */
  readonly guest: MlsClient;
  /** A device of a member, which is not in the group. */
  readonly further: MlsClient;
}

/**
 * Add the members to a new group, and make requests of every kind that are all valid in its epoch. Using them does not
 * change the devices.
 */
export async function newAttacks(
  conversationId: string,
  { admin, members: [bob, cleo], guest, further }: Attackers,
): Promise<Attack[]> {
  const packages = await Promise.all([bob, cleo].map((member) => member.makePackage()));
  const first = await admin.prepare(...packages.map((one) => addition(one.publicPackage)));
  const answer = await admin.send(first);
  if (answer.status !== 201) throw new Error(`The members cannot be added: ${outcome(answer)}`);
  const welcome = { type: "conversation.mls-welcome", data: first.welcome?.toString("base64") };
  await Promise.all([bob, cleo].map((member) => member.handle(welcome)));
  const { publicPackage } = await guest.makePackage();
  const bundle = (name: string, client: MlsClient, prepared: PreparedCommit) => ({
    name,
    client,
    path: "/v9/mls/commit-bundles",
    parts: [
      prepared.commit,
      prepared.groupInfo,
      ...(prepared.welcome === undefined ? [] : [prepared.welcome]),
    ],
  });
  const message = (name: string, client: MlsClient, bytes: Buffer) => ({
    name,
    client,
    path: "/v9/mls/messages",
    parts: [bytes],
  });
  const adding = await admin.prepare(addition(publicPackage));
  const proposed = async (...proposal: Parameters<MlsClient["propose"]>) => {
    const before = bob.state;
    const bytes = await bob.propose(...proposal);
    bob.state = before;
    return bytes;
  };
  const keyPackage = Buffer.concat([Buffer.from([0, 1, 0, 5]), encodeKeyPackage(publicPackage)]);
  return [
    bundle("commit that adds", admin, adding),
    bundle("commit that removes", admin, await admin.prepare(removal(cleo.leafIndex))),
    bundle("commit", bob, await bob.prepare()),
    bundle("external commit", further, await further.prepareJoin(conversationId)),
    bundle("commit that rejoins", cleo, await cleo.prepareJoin(conversationId, { isRejoining: true })),
    message("proposal to add", bob, await proposed(addition(publicPackage))),
    message("proposal to remove", bob, await proposed(removal(cleo.leafIndex))),
    message("text", bob, await bob.encrypt("text")),
    message("group info", admin, adding.groupInfo),
    message("welcome", admin, adding.welcome ?? Buffer.alloc(0)),
    message("key package", guest, keyPackage),
  ];
}
