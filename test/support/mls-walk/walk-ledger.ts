import { decodeMlsMessage } from "ts-mls";
import type { ConversationModel, GroupModel } from "./walk-model.ts";
import { type Device, identityOf } from "./walk-people.ts";

/** An event of the conversation, as a device is told of it. */
export interface Told {
  readonly type: string;
  readonly conversation: string;
  readonly subconv?: string;
  readonly data: unknown;
}

/** The messages that each device may get, and those that it has not got yet. */
export class Ledger {
  readonly #model: ConversationModel;
  /** Devices that may get a message, by its bytes in base64. */
  readonly #allowed = new Map<string, Set<string>>();
  /** Devices that have not got a message yet, by its bytes. */
  readonly #awaited = new Map<string, Set<string>>();
  /** Devices that have been in a group or in the conversation since all were last asked for their events. */
  #formerDevices = new Set<string>();
  #formerMembers = new Set<string>();

  constructor(model: ConversationModel) {
    this.#model = model;
  }

  /** Note who may get a message; unless it may be refused, they have to. */
  allow(bytes: Buffer, group: GroupModel, sender: Device, { isCertain = true } = {}): void {
    const devices = group.present;
    devices.delete(identityOf(sender));
    this.#allowed.set(bytes.toString("base64"), devices);
    if (isCertain) this.await(bytes);
  }

  /** Note that a message was accepted: all who may get it have to. */
  await(bytes: Buffer): void {
    const key = bytes.toString("base64");
    this.#awaited.set(key, new Set(this.#allowed.get(key)));
  }

  /** Note who is in the groups and in the conversation now. */
  remember(): void {
    for (const group of [this.#model.main, this.#model.call])
      for (const one of group.present) this.#formerDevices.add(one);
    for (const id of this.#model.members.keys()) this.#formerMembers.add(id);
  }

  /** Note who may get a welcome. */
  allowWelcome(bytes: Buffer, identities: Set<string>): void {
    this.#allowed.set(bytes.toString("base64"), identities);
  }

  /** Note users who have been members, even if only for a moment. */
  rememberMembers(ids: Iterable<string>): void {
    for (const id of ids) this.#formerMembers.add(id);
  }

  /** All have been told of everything. @throws Error naming a device that has not */
  close(devices: readonly Device[]): void {
    const known = new Set(devices.map(identityOf));
    for (const [bytes, identities] of this.#awaited) {
      const one = [...identities].find((identity) => known.has(identity));
      if (one !== undefined) throw new Error(`${one} has not got a message: ${bytes.slice(0, 40)}`);
    }
    this.#awaited.clear();
    this.#allowed.clear();
    this.#formerDevices = new Set();
    this.#formerMembers = new Set();
    this.remember();
  }

  /** Check that a device may be told of an event. @throws Error otherwise */
  checkTold(device: Device, { type, data }: Told): void {
    const identity = identityOf(device);
    const about = `${device.owner.name} (${identity}) got ${type}`;
    if (!type.startsWith("conversation.mls-") || type === "conversation.mls-reset") {
      if (!this.#formerMembers.has(device.owner.id)) throw new Error(`${about}, but is no member`);
      return;
    }
    const bytes = String(data);
    const allowed = this.#allowed.get(bytes);
    if (allowed === undefined && !isRemovalByService(bytes))
      throw new Error(`${about}, which nobody was allowed to send`);
    if (!(allowed ?? this.#formerDevices).has(identity)) throw new Error(`${about}, but is not in the group`);
    this.#awaited.get(bytes)?.delete(identity);
  }
}

/** Whether a message, in base64, is a proposal to remove a device that no member has made. */
function isRemovalByService(bytes: string): boolean {
  const [message] = decodeMlsMessage(Buffer.from(bytes, "base64"), 0) ?? [];
  if (message?.wireformat !== "mls_public_message") return false;
  const { content } = message.publicMessage;
  return (
    content.sender.senderType === "external" &&
    content.contentType === "proposal" &&
    content.proposal.proposalType === "remove"
  );
}
