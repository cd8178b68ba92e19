/**
 * What the interface promises about a conversation with MLS, without any code of the product: who may do what, which
 * devices are in which group, and so who may be told of it.
 */

/** A user as the model knows them. */
export interface Person {
  readonly name: string;
  readonly id: string;
  readonly isOfTeam: boolean;
}

/** The group of a conversation or of its subconversation. Devices go by their MLS identities. */
export class GroupModel {
  epoch = 0;
  /** Devices with a leaf, those about to be removed included. */
  leaves = new Set<string>();
  /** Devices whose removal the service has to propose; they are told of nothing any more. */
  readonly leaving = new Set<string>();

  get present(): Set<string> {
    return new Set([...this.leaves].filter((one) => !this.leaving.has(one)));
  }

  begin(epoch: number, leaves: ReadonlySet<string>): void {
    this.epoch = epoch;
    this.leaves = new Set(leaves);
    for (const one of this.leaving) if (!leaves.has(one)) this.leaving.delete(one);
  }

  /** Devices leave: their removal is pending until a commit contains it. */
  depart(isGone: (identity: string) => boolean): void {
    for (const one of this.leaves) if (isGone(one)) this.leaving.add(one);
  }

  reset(): void {
    this.begin(0, new Set());
    this.leaving.clear();
  }
}

export type Protocol = "proteus" | "mixed" | "mls";

/** A conversation of a team, with guests. */
export class ConversationModel {
  protocol: Protocol;
  /** Roles by the id of the user. */
  readonly members = new Map<string, "admin" | "member">();
  readonly main = new GroupModel();
  readonly call = new GroupModel();
  /** Users about whom a team has requested legal hold. */
  readonly held = new Set<string>();
  /** Devices that exist, by the id of their user. */
  readonly devices = new Map<string, Set<string>>();
  readonly #acquainted: ReadonlySet<string>;

  /** @param acquainted pairs of ids of users who are connected, in both orders */
  constructor(protocol: Protocol, acquainted: ReadonlySet<string>) {
    this.protocol = protocol;
    this.#acquainted = acquainted;
  }

  isMember = ({ id }: Person): boolean => this.members.has(id);

  /** Whether a commit or a request may make a user a member. */
  mayBring(actor: Person, other: Person): boolean {
    return (
      this.members.get(actor.id) === "admin" &&
      ((actor.isOfTeam && other.isOfTeam) || this.#acquainted.has(`${actor.id} ${other.id}`))
    );
  }

  /** Whether a commit may add these devices, of one user who has none in the group. */
  mayAdd(actor: Person, other: Person, { isComplete }: { isComplete: boolean }): boolean {
    if (this.protocol === "mixed") return this.isMember(other);
    // A device of a member needs nobody's leave, but that of the member.
    return isComplete && (this.isMember(other) || this.mayBring(actor, other));
  }

  /** Whether a commit may remove devices of another user. */
  mayRemove(actor: Person, { isComplete }: { isComplete: boolean }): boolean {
    return this.protocol === "mixed" || (isComplete && this.members.get(actor.id) === "admin");
  }

  /** The user is no longer a member, for whatever reason. */
  depart({ id }: Person): void {
    this.members.delete(id);
    for (const group of [this.main, this.call]) group.depart((one) => one.startsWith(`${id}:`));
    this.endDesertedCall();
  }

  /** The group begins an epoch. @returns ids of users who have joined and left the conversation by it */
  commit(epoch: number, leaves: ReadonlySet<string>): { joined: string[]; left: string[] } {
    const former = this.main.leaves;
    const before = usersOf(former);
    const after = usersOf(leaves);
    const pending = usersOf(this.main.leaving);
    const wasPresent = usersOf(this.main.present);
    this.main.begin(epoch, leaves);
    // A reset leaves the call as it is, also for devices that the new group does not have.
    this.call.depart((one) => former.has(one) && !leaves.has(one));
    this.endDesertedCall();
    if (this.protocol !== "mls") return { joined: [], left: [] };
    const joined = [...after].filter((id) => !this.members.has(id) && !pending.has(id));
    const left = [...before].filter((id) => !after.has(id) && this.members.has(id) && wasPresent.has(id));
    for (const id of joined) this.members.set(id, "member");
    for (const id of left) this.members.delete(id);
    return { joined, left };
  }

  /** The call is reset when nobody is in it. */
  endDesertedCall(): void {
    if (this.call.epoch > 0 && this.call.present.size === 0) this.call.reset();
  }
}

export const usersOf = (identities: Iterable<string>): Set<string> =>
  new Set([...identities].map((one) => one.split(":")[0] ?? ""));
