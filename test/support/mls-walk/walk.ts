import { setTimeout as delay } from "node:timers/promises";
import { type ClientState, decodeMlsMessage } from "ts-mls";
import { type Api, type ApiAnswer, api, internalApi, outcome } from "../api.ts";
import { addBot, type RunningService } from "../bots.ts";
import { connectUsers, localDomain } from "../connections.ts";
import { createConversation, qualified } from "../conversations.ts";
import { createLink, joinByLink, type Link } from "../guest-links.ts";
import { setLegalHold } from "../legal-hold-status.ts";
import { addition, type MlsClient, newMlsClient, type PreparedCommit, removal } from "../mls.ts";
import { subconversationPath } from "../subconversations.ts";
import { newTeam } from "../teams.ts";
import { newUser, register, type User } from "../users.ts";
import { ConversationModel, type GroupModel, type Person, type Protocol, usersOf } from "./walk-model.ts";

/** What a step does; which users and devices do it is counted from the numbers. */
export interface Step {
  readonly kind: (typeof kinds)[number];
  readonly actor: number;
  readonly target: number;
  readonly variant: number;
}

export const kinds = [
  "commit",
  "add",
  "remove",
  "commit twice",
  "commit without removals",
  "join",
  "write",
  "propose",
  "leave",
  "expel",
  "invite",
  "follow link",
  "reset",
  "migrate",
  "delete device",
  "begin or join call",
  "leave call",
  "end call",
  "commit to call",
  "add bot",
  "hold",
  "change role",
] as const;

/** What was requested so far, by all walks. */
export const counts = { requests: 0, steps: 0, outcomes: new Map<string, number>() };

const countingApi: Api = (...request) => {
  counts.requests++;
  return api(...request);
};

const conference = "conference";
/** How often a client follows and tries again what others, or the service, were faster with. */
const maxAttempts = 100;
const pauseMilliseconds = 50;
const isOvertaken = (answer: ApiAnswer) =>
  /mls-stale-message|mls-commit-missing-references|mls-proposal-not-found|concurrent-change/.test(
    outcome(answer),
  );

interface Participant extends Person {
  readonly user: User;
  readonly devices: Device[];
}

/** A device with its state in both groups. */
interface Device {
  readonly owner: Participant;
  readonly main: MlsClient;
  readonly call: MlsClient;
  last: string | undefined;
  isDeleted: boolean;
}

/** An event of the conversation. */
interface Told {
  readonly type: string;
  readonly conversation: string;
  readonly subconv?: string;
  readonly data: unknown;
}

/** A conversation with all who are or may be in it, and with strangers. */
export class Walk {
  readonly #service: RunningService;
  readonly #people: readonly Participant[];
  readonly #model: ConversationModel;
  readonly #id: string;
  readonly #link: Link;
  #groupId: string;
  #callId: string | undefined;
  /** Devices that may get a message, by its bytes in base64. */
  readonly #allowed = new Map<string, Set<string>>();
  /** Devices that have not got a message yet, by its bytes. */
  readonly #awaited = new Map<string, Set<string>>();
  /** Whoever has been in a group, or in the conversation, since all were last asked what they were told. */
  #formerDevices = new Set<string>();
  #formerMembers = new Set<string>();

  private constructor(
    fields: { service: RunningService; people: readonly Participant[]; id: string; link: Link },
    model: ConversationModel,
    groupId: string,
  ) {
    this.#service = fields.service;
    this.#people = fields.people;
    this.#id = fields.id;
    this.#link = fields.link;
    this.#model = model;
    this.#groupId = groupId;
  }

  static async start(service: RunningService, isMigrating: boolean): Promise<Walk> {
    const withMls = { supported_protocols: ["proteus" as const, "mls" as const] };
    const team = await newTeam({ owner: withMls });
    for (const name of ["mls", "mlsMigration"]) {
      const json = {
        status: "enabled",
        lockStatus: "unlocked",
        ...(name === "mlsMigration" && { config: {} }),
      };
      await internalApi("PATCH", `/i/teams/${team.id}/features/${name}`, { json });
    }
    const whitelisting = { provider: service.provider, id: service.id, whitelisted: true };
    const listed = await api("POST", `/teams/${team.id}/services/whitelist`, {
      token: team.owner.token,
      json: whitelisting,
    });
    if (listed.status !== 200) throw new Error(`The service is not on the list: ${outcome(listed)}`);
    const [bob, cleo, dan, eve, gus] = await Promise.all([
      team.add("member", withMls),
      team.add("member", withMls),
      newUser(withMls),
      newUser(withMls),
      newGuest(),
    ]);
    await connectUsers(team.owner, dan);
    const enter = async (name: string, user: User, count: number, isOfTeam = false): Promise<Participant> => {
      const owner: Participant = { name, id: user.id, isOfTeam, user, devices: [] };
      for (let made = 0; made < count; made++) {
        const main = await newMlsClient(user, { publicApi: countingApi, packages: 1 });
        const call = main.within(conference);
        owner.devices.push({ owner, main, call, last: undefined, isDeleted: false });
      }
      return owner;
    };
    const people = await Promise.all([
      enter("Ada", team.owner, 2, true),
      enter("Bob", bob, 2, true),
      enter("Cleo", cleo, 1, true),
      enter("Dan", dan, 2),
      enter("Eve", eve, 1),
      enter("Gus", gus, 1),
    ]);
    const pair = [team.owner.id, dan.id];
    const model = new ConversationModel(
      isMigrating ? "mixed" : "mls",
      new Set([pair.join(" "), pair.toReversed().join(" ")]),
    );
    for (const { id, devices } of people)
      model.devices.set(id, new Set(devices.map((one) => identityOf(one))));
    const { body } = await createConversation(team.owner, {
      in: team,
      access: ["invite", "code"],
      access_role: ["team_member", "non_team_member", "guest", "service"],
      protocol: isMigrating ? "proteus" : "mls",
      ...(isMigrating && { with: [bob, dan] }),
    });
    model.members.set(team.owner.id, "admin");
    if (isMigrating) for (const { id } of [bob, dan]) model.members.set(id, "admin");
    const link = (await createLink({ id: body.id }, team.owner)).body.data;
    const walk = new Walk({ service, people, id: body.id, link }, model, body.group_id);
    if (isMigrating) {
      walk.#expect(await walk.#setProtocol(walk.#person(0), "mixed"), "accepted", "migration");
      await walk.#readGroupId();
    }
    // Most steps do nothing in a group that nobody has begun.
    await walk.#goOn(walk.#person(0));
    return walk;
  }

  /** @throws Error when the service has not done what the model expects */
  async take(step: Step): Promise<void> {
    counts.steps++;
    this.#remember();
    const actor = this.#person(step.actor);
    const target = this.#person(step.target);
    await this.#acts[step.kind](actor, target, step.variant);
    this.#remember();
  }

  /** Ask everybody what they were told, and let somebody go on, without those who have left. */
  async finish(): Promise<void> {
    await this.look();
    await this.#goOn();
    await this.#removeFormer();
    await this.look();
    this.#checkBots();
  }

  readonly #acts: Record<
    Step["kind"],
    (actor: Participant, target: Participant, variant: number) => Promise<void>
  > = {
    commit: async (actor) => {
      const device = this.#inGroup(actor) ?? this.#inGroup();
      if (device === undefined) return this.#goOn(actor);
      await this.#commit(device, () => [], "accepted unless proposals are in the way");
    },
    add: async (actor, target, variant) => {
      const device = this.#inGroup(actor) ?? this.#inGroup();
      if (device === undefined) return;
      const devices = target.devices.filter(
        (one) => !one.isDeleted && !this.#model.main.leaves.has(identityOf(one)),
      );
      const chosen = variant % 4 === 0 ? devices.slice(0, 1) : devices;
      if (chosen.length === 0) return;
      const packages = await Promise.all(chosen.map(({ main }) => main.makePackage()));
      const hasLeaf = usersOf(this.#model.main.leaves).has(target.id);
      const isComplete = hasLeaf || chosen.length === devices.length;
      const may = this.#model.mayAdd(device.owner, target, { isComplete });
      await this.#commit(
        device,
        () => packages.map(({ publicPackage }) => addition(publicPackage)),
        may ? this.#unlessHeld() : "refused",
      );
    },
    remove: async (actor, target, variant) => {
      const device = this.#inGroup(actor) ?? this.#inGroup();
      if (device === undefined || device.owner === target) return;
      const present = [...this.#model.main.present].filter((one) => one.startsWith(`${target.id}:`));
      const chosen = variant % 4 === 0 ? present.slice(0, 1) : present;
      if (chosen.length === 0) return;
      const may = this.#model.mayRemove(device.owner, { isComplete: chosen.length === present.length });
      await this.#commit(
        device,
        () =>
          [...leavesOf(device.main.state)]
            .filter(([, identity]) => chosen.includes(identity))
            .map(([index]) => removal(index)),
        may ? "accepted unless proposals are in the way" : "refused",
      );
    },
    "commit twice": async (actor) => {
      const device = this.#inGroup(actor) ?? this.#inGroup();
      const others = this.#devices().filter((one) => one !== device && this.#isIn(one));
      const [other] = others;
      if (device === undefined || other === undefined) return;
      await this.#read(device);
      const late = await device.main.prepare().catch(() => undefined);
      const { epoch } = this.#model.main;
      await this.#commit(other, () => [], "accepted unless proposals are in the way");
      if (late === undefined || this.#model.main.epoch === epoch) return;
      const answer = await device.main.send(late);
      this.#expect(answer, "refused", "a commit of a former epoch");
      // With another reason, a device does not know that it is to follow the group and try again.
      if (outcome(answer) !== "409 mls-stale-message") throw new Error(`Late, but ${outcome(answer)}`);
    },
    "commit without removals": async (actor) => {
      const device = this.#inGroup(actor) ?? this.#inGroup();
      if (device === undefined || this.#model.main.leaving.size === 0) return;
      if (!(await this.#waitForRemovals(device))) return;
      const before = device.main.state;
      device.main.state = { ...before, unappliedProposals: {} };
      const prepared = await device.main.prepare();
      device.main.state = before;
      this.#expect(await device.main.send(prepared), "refused", "a commit without removals");
    },
    join: async (_, target, variant) => {
      const device = this.#deviceOf(target, variant);
      if (device !== undefined) await this.#join(device);
    },
    write: async (actor, _, variant) => {
      const device = this.#inGroup(actor) ?? this.#deviceOf(actor, variant);
      if (device === undefined) return;
      await this.#read(device);
      if (!device.main.isInGroup) return;
      const isIn = this.#isIn(device);
      const { unappliedProposals } = device.main.state;
      // The library would commit first; another one, or one that has not read them yet, does not.
      device.main.state = { ...device.main.state, unappliedProposals: {} };
      const bytes = await device.main.encrypt(`${variant}`);
      device.main.state = { ...device.main.state, unappliedProposals };
      if (isIn && this.#model.protocol === "mls") this.#allow(bytes, this.#model.main, device);
      const answer = await device.main.post("/v9/mls/messages", bytes);
      this.#expect(answer, isIn && this.#model.protocol === "mls" ? "accepted" : "refused", "a message");
    },
    propose: async (actor, target, variant) => {
      const device = this.#inGroup(actor);
      if (device === undefined) return;
      await this.#read(device);
      const before = device.main.state;
      const [leaf] = [...leavesOf(before)].find(([, identity]) => identity.startsWith(`${target.id}:`)) ?? [];
      const newcomer = this.#deviceOf(target, variant);
      const isForeign = !this.#model.isMember(target) && this.#model.protocol === "mixed";
      const proposal =
        leaf !== undefined
          ? removal(leaf)
          : newcomer && addition((await newcomer.main.makePackage()).publicPackage);
      if (proposal === undefined) return;
      const bytes = await device.main.propose(proposal).catch(() => undefined);
      if (bytes === undefined) return;
      this.#allow(bytes, this.#model.main, device, { isCertain: false });
      const answer = await device.main.post("/v9/mls/messages", bytes);
      this.#expect(answer, isForeign && leaf === undefined ? "refused" : "either", "a proposal");
      if (answer.status === 201) this.#await(bytes);
      else device.main.state = before;
    },
    leave: async (actor) => {
      const wasMember = this.#model.isMember(actor);
      const answer = await this.#call("DELETE", `/members/${localDomain}/${actor.id}`, actor);
      this.#expect(answer, wasMember ? "accepted" : "refused", "leaving");
      if (wasMember) this.#model.depart(actor);
    },
    expel: async (actor, target) => {
      if (actor === target) return;
      const may = this.#model.protocol === "mixed" && this.#model.members.get(actor.id) === "admin";
      const answer = await this.#call("DELETE", `/members/${localDomain}/${target.id}`, actor);
      this.#expect(answer, may ? "accepted" : "refused", "removing a member");
      if (may) this.#model.depart(target);
    },
    invite: async (actor, target) => {
      const may = this.#model.protocol === "mixed" && this.#model.mayBring(actor, target);
      const json = { qualified_users: qualified(target) };
      const answer = await this.#call("POST", "/members", actor, json);
      const isOpen = this.#model.isMember(target) && this.#model.protocol === "mixed";
      this.#expect(answer, may ? this.#unlessHeld() : isOpen ? "either" : "refused", "adding a member");
      if (answer.status === 200) this.#model.members.set(target.id, "admin");
    },
    "follow link": async (actor) => {
      counts.requests++;
      const answer = await joinByLink(this.#link, actor.user);
      this.#expect(answer, this.#unlessHeld(), "joining by a link");
      if (answer.status === 200) this.#model.members.set(actor.id, "member");
    },
    reset: async (actor, _, variant) => {
      const { epoch } = this.#model.main;
      const named = variant % 3 === 0 ? epoch + 1 : epoch;
      const json = { group_id: this.#groupId, epoch: named };
      const answer = await countingApi("POST", "/v9/mls/reset-conversation", {
        token: actor.user.token,
        json,
      });
      const may = this.#model.isMember(actor) && epoch > 0 && named === epoch;
      this.#expect(answer, may ? "accepted" : "refused", "a reset");
      if (!may) return;
      this.#model.main.reset();
      await this.#readGroupId();
    },
    migrate: async (actor) => {
      const isEnding = this.#model.protocol === "mixed";
      const answer = await this.#setProtocol(actor, "mls");
      if (!this.#model.isMember(actor)) return this.#expect(answer, "refused", "a migration");
      this.#expect(answer, isEnding ? "either" : "accepted", "a migration");
      if (answer.status === 200) this.#model.protocol = "mls";
    },
    "delete device": async (actor, _, variant) => {
      const device = this.#deviceOf(actor, variant);
      if (device === undefined || actor.devices.filter((one) => !one.isDeleted).length < 2) return;
      const path = `/v9/clients/${device.main.clientId}`;
      const json = { password: actor.user.password };
      const answer = await countingApi("DELETE", path, { token: actor.user.token, json });
      this.#expect(answer, "accepted", "removing a device");
      device.isDeleted = true;
      for (const group of [this.#model.main, this.#model.call])
        group.depart((one) => one === identityOf(device));
      this.#model.endDesertedCall();
    },
    "begin or join call": async (actor, _, variant) => {
      const device = this.#deviceOf(actor, variant);
      if (device === undefined) return;
      await this.#enterCall(device);
    },
    "leave call": async (actor, _, variant) => {
      const device = this.#deviceOf(actor, variant);
      if (device === undefined) return;
      const path = `${subconversationPath({ id: this.#id })}/self`;
      const answer = await countingApi("DELETE", path, { token: device.main.token });
      const isIn = this.#model.call.present.has(identityOf(device));
      this.#expect(answer, isIn && this.#model.isMember(actor) ? "accepted" : "refused", "leaving a call");
      this.#model.call.depart((one) => one === identityOf(device) && answer.status === 200);
      this.#model.endDesertedCall();
    },
    "end call": async (actor) => {
      const { epoch } = this.#model.call;
      if (epoch === 0 || this.#callId === undefined) return;
      const path = subconversationPath({ id: this.#id });
      const json = { group_id: this.#callId, epoch };
      const answer = await countingApi("DELETE", path, { token: actor.user.token, json });
      const isMember = this.#model.isMember(actor);
      this.#expect(answer, isMember ? "accepted" : "refused", "ending a call");
      if (isMember) this.#model.call.reset();
    },
    "commit to call": async (actor, _, variant) => {
      const device = this.#deviceOf(actor, variant);
      if (device === undefined || !this.#model.call.present.has(identityOf(device))) return;
      await this.#commit(device, () => [], "accepted", { isCall: true });
    },
    "add bot": async (actor) => {
      counts.requests++;
      const answer = await addBot(actor.user, { id: this.#id }, this.#service);
      const may = this.#model.protocol === "mixed" && this.#model.members.get(actor.id) === "admin";
      this.#expect(answer, may ? "either" : "refused", "adding a bot");
    },
    hold: async (_, target) => {
      if (!target.isOfTeam) return;
      const isHeld = this.#model.held.has(target.id);
      await setLegalHold(target.user, isHeld ? "disabled" : "pending", { isSettled: false });
      if (isHeld) this.#model.held.delete(target.id);
      else this.#model.held.add(target.id);
    },
    "change role": async (actor, target, variant) => {
      const role = variant % 2 === 0 ? "admin" : "member";
      const json = { conversation_role: `svc_${role}` };
      const answer = await this.#call("PUT", `/members/${localDomain}/${target.id}`, actor, json);
      const may =
        this.#model.members.get(actor.id) === "admin" && this.#model.isMember(target) && actor !== target;
      this.#expect(answer, may ? "accepted" : "refused", "changing a role");
      if (may) this.#model.members.set(target.id, role);
    },
  };

  #unlessHeld = (): Expectation =>
    this.#model.held.size > 0 ? "either" : "accepted unless proposals are in the way";

  #person = (number: number): Participant => this.#people[number % this.#people.length] as Participant;
  #devices = (): Device[] => this.#people.flatMap(({ devices }) => devices).filter((one) => !one.isDeleted);
  #isIn = (device: Device): boolean => this.#model.main.present.has(identityOf(device));
  #inGroup = (owner?: Participant): Device | undefined =>
    this.#devices().find((one) => this.#isIn(one) && (owner === undefined || one.owner === owner));
  #deviceOf(owner: Participant, variant: number): Device | undefined {
    const devices = owner.devices.filter((one) => !one.isDeleted);
    return devices[variant % devices.length];
  }

  #call(method: string, path: string, { user: { token } }: Participant, json?: object): Promise<ApiAnswer> {
    const place = `/v9/conversations/${localDomain}/${this.#id}`;
    return countingApi(method, place + path, { token, ...(json && { json }) });
  }

  #setProtocol = (actor: Participant, protocol: Protocol) =>
    this.#call("PUT", "/protocol", actor, { protocol });

  async #readGroupId(): Promise<void> {
    const member = this.#people.find((one) => this.#model.isMember(one));
    if (member === undefined) return;
    this.#groupId = (await this.#call("GET", "", member)).body.group_id;
  }

  /** Commit, following the group, until the commit succeeds or is refused for good. */
  async #commit(
    device: Device,
    proposals: () => Parameters<MlsClient["prepare"]>,
    expectation: Expectation,
    { isCall = false } = {},
  ): Promise<void> {
    const client = isCall ? device.call : device.main;
    for (let attempt = 1; ; attempt++) {
      await this.#read(device);
      // The library refuses to commit some proposals, such as those to remove the committer.
      const prepared = await client.prepare(...proposals()).catch(() => undefined);
      if (prepared === undefined) return;
      const answer = await this.#sendCommit(device, prepared, isCall);
      if (isOvertaken(answer) && attempt < maxAttempts && expectation !== "refused") {
        await delay(pauseMilliseconds);
        continue;
      }
      const hasProposals = Object.values(client.state.unappliedProposals).length > 0;
      const mayFail = expectation === "accepted unless proposals are in the way" && hasProposals;
      return this.#expect(answer, mayFail ? "either" : expectation, `a commit of ${device.owner.name}`);
    }
  }

  async #sendCommit(device: Device, prepared: PreparedCommit, isCall: boolean): Promise<ApiAnswer> {
    const client = isCall ? device.call : device.main;
    const group = isCall ? this.#model.call : this.#model.main;
    this.#allow(prepared.commit, group, device, { isCertain: false });
    const leaves = new Set(leavesOf(prepared.next).values());
    if (prepared.welcome !== undefined) {
      const added = new Set([...leaves].filter((one) => !group.leaves.has(one)));
      added.delete(identityOf(device));
      this.#allowed.set(prepared.welcome.toString("base64"), added);
    }
    const answer = await client.send(prepared);
    if (answer.status !== 201) return answer;
    this.#await(prepared.commit);
    if (prepared.welcome !== undefined) this.#await(prepared.welcome);
    const epoch = Number(prepared.next.groupContext.epoch);
    if (isCall) group.begin(epoch, leaves);
    else {
      const { joined } = this.#model.commit(epoch, leaves);
      for (const id of joined) this.#formerMembers.add(id);
    }
    // Who comes back by an external commit is no longer leaving.
    group.leaving.delete(identityOf(device));
    this.#remember();
    return answer;
  }

  /** Join by an external commit, with a group info that a traitor hands out if need be. */
  async #join(device: Device): Promise<void> {
    if (this.#model.main.epoch === 0) return;
    const may = this.#model.isMember(device.owner);
    const insider = this.#devices().find((one) => this.#model.isMember(one.owner));
    if (insider === undefined) return;
    for (let attempt = 1; ; attempt++) {
      await this.#read(device);
      const isRejoining = this.#model.main.leaves.has(identityOf(device));
      if (isAlone(this.#model.main, isRejoining)) return;
      const groupInfo = device.main.groupInfo;
      if (!may) device.main.groupInfo = (id) => insider.main.groupInfo(id);
      const prepared = await device.main.prepareJoin(this.#id, { isRejoining });
      device.main.groupInfo = groupInfo;
      const answer = await this.#sendCommit(device, prepared, false);
      if (isOvertaken(answer) && attempt < maxAttempts && may) {
        await delay(pauseMilliseconds);
        continue;
      }
      return this.#expect(answer, may ? "accepted" : "refused", `an external commit of ${device.owner.name}`);
    }
  }

  async #enterCall(device: Device): Promise<void> {
    const { token } = device.main;
    const answer = await countingApi("GET", subconversationPath({ id: this.#id }), { token });
    const isOpen = this.#model.isMember(device.owner);
    if (!isOpen) return this.#expect(answer, "refused", "reading a call");
    if (this.#model.protocol !== "mls") return;
    this.#expect(answer, "accepted", "reading a call");
    this.#callId = answer.body.group_id;
    if (answer.body.epoch !== this.#model.call.epoch)
      throw new Error(`The call is in epoch ${answer.body.epoch}, not in ${this.#model.call.epoch}`);
    const may = this.#isIn(device);
    if (this.#model.call.epoch === 0) {
      await device.call.create(answer.body.group_id);
      const first = await this.#sendCommit(device, await device.call.prepare(), true);
      const isHeld = this.#model.held.has(device.owner.id);
      return this.#expect(first, may && !isHeld ? "accepted" : "refused", "beginning a call");
    }
    const isRejoining = this.#model.call.leaves.has(identityOf(device));
    if (isAlone(this.#model.call, isRejoining)) return;
    const joined = await this.#sendCommit(
      device,
      await device.call.prepareJoin(this.#id, { isRejoining }),
      true,
    );
    this.#expect(joined, may ? "accepted" : "refused", "joining a call");
  }

  /** Let a member's device begin the next epoch, whatever has happened. */
  async #goOn(actor?: Participant): Promise<void> {
    const able = this.#devices().filter(
      ({ owner }) => this.#model.isMember(owner) && (actor === undefined || owner === actor),
    );
    const [device] = able;
    if (device === undefined) return;
    if (this.#model.main.epoch > 0) return this.#join(device);
    await device.main.create(this.#groupId);
    const own = device.owner.devices.filter((one) => one !== device && !one.isDeleted);
    const packages = await Promise.all(own.map(({ main }) => main.makePackage()));
    const prepared = await device.main.prepare(...packages.map((one) => addition(one.publicPackage)));
    const answer = await this.#sendCommit(device, prepared, false);
    const isHeld = this.#model.held.has(device.owner.id);
    this.#expect(answer, isHeld ? "refused" : "accepted", `the first commit of ${device.owner.name}`);
  }

  /** Commit what the service has proposed, until nobody who has left is in the group. */
  async #removeFormer(): Promise<void> {
    for (let attempt = 1; attempt <= maxAttempts && this.#model.main.leaving.size > 0; attempt++) {
      const device = this.#inGroup();
      if (device === undefined) return;
      if (!(await this.#waitForRemovals(device))) break;
      await this.#commit(device, () => [], "accepted");
    }
    const [left] = this.#model.main.leaving;
    if (left !== undefined && this.#inGroup() !== undefined)
      throw new Error(`${left} has left, and is still in the group`);
  }

  /** @returns whether the service has proposed to remove somebody in this epoch */
  async #waitForRemovals(device: Device): Promise<boolean> {
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      await this.#read(device);
      const proposals = Object.values(device.main.state.unappliedProposals);
      if (proposals.some(({ senderLeafIndex }) => senderLeafIndex === undefined)) return true;
      await delay(pauseMilliseconds);
    }
    return false;
  }

  #allow(bytes: Buffer, group: GroupModel, sender: Device, _: { isCertain?: boolean } = {}): void {
    const devices = group.present;
    devices.delete(identityOf(sender));
    this.#allowed.set(bytes.toString("base64"), devices);
    if (_.isCertain !== false) this.#await(bytes);
  }

  #await(bytes: Buffer): void {
    const key = bytes.toString("base64");
    this.#awaited.set(key, new Set(this.#allowed.get(key)));
  }

  #remember(): void {
    for (const group of [this.#model.main, this.#model.call])
      for (const one of group.present) this.#formerDevices.add(one);
    for (const id of this.#model.members.keys()) this.#formerMembers.add(id);
  }

  #expect(answer: ApiAnswer, expectation: Expectation, what: string): void {
    const name = `${what.replace(/ of [A-Z].*/, "")}: ${outcome(answer)}`;
    counts.outcomes.set(name, (counts.outcomes.get(name) ?? 0) + 1);
    const isAccepted = answer.status < 300;
    const isWrong =
      answer.status >= 500 ||
      (expectation === "refused" ? isChange(answer) : !isAccepted && expectation !== "either");
    if (isWrong)
      throw new Error(
        `${what} should be ${expectation}, but was ${outcome(answer)} ${answer.body.message ?? ""}`,
      );
  }

  /** Ask all devices what they were told, those of strangers and former members included. */
  async look(): Promise<void> {
    for (const device of this.#devices()) await this.#read(device);
    for (const [bytes, devices] of this.#awaited) {
      const [one] = [...devices].filter((identity) =>
        this.#devices().some((it) => identityOf(it) === identity),
      );
      if (one !== undefined) throw new Error(`${one} has not got a message: ${bytes.slice(0, 40)}`);
    }
    this.#awaited.clear();
    this.#allowed.clear();
    this.#formerDevices = new Set();
    this.#formerMembers = new Set();
    this.#remember();
  }

  /** Let a device read what it was told, and check that it may be told that. */
  async #read(device: Device): Promise<void> {
    const query = `client=${device.main.clientId}&size=10000${device.last === undefined ? "" : `&since=${device.last}`}`;
    const { body } = await countingApi("GET", `/v9/notifications?${query}`, { token: device.main.token });
    for (const { id, payload } of body.notifications) {
      device.last = id;
      for (const event of payload as Told[]) {
        if (event.conversation !== this.#id) continue;
        this.#checkTold(device, event);
        // What cannot be read shows in the epoch.
        for (const client of [device.main, device.call]) await client.handle(event).catch(() => undefined);
      }
    }
    this.#checkEpoch(device);
  }

  #checkTold(device: Device, { type, data }: Told): void {
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

  #checkEpoch(device: Device): void {
    const { main } = device;
    if (!this.#isIn(device) || device.isDeleted) return;
    if (!main.isInGroup || main.epoch !== this.#model.main.epoch)
      throw new Error(
        `${device.owner.name} is in epoch ${main.isInGroup ? main.epoch : "none"}, the group in ${this.#model.main.epoch}`,
      );
  }

  #checkBots(): void {
    // Bots are members, who are told of a reset, and have no devices in the group.
    const told = this.#service.server.calls.filter(
      ({ body }) =>
        body?.conversation === this.#id &&
        ["conversation.mls-message-add", "conversation.mls-welcome"].includes(String(body.type)),
    );
    if (told.length > 0) throw new Error("A bot got a message of MLS");
  }
}

type Expectation = "accepted" | "accepted unless proposals are in the way" | "refused" | "either";

/** Whether an answer reports a change: 204 says that there was nothing to change. */
const isChange = ({ status }: ApiAnswer): boolean => status < 300 && status !== 204;

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

const identityOf = ({ main }: Device): string => main.device.identity;

/** Whether a device would replace the only leaf of a group, which the library cannot do. */
const isAlone = ({ leaves }: GroupModel, isRejoining: boolean): boolean => isRejoining && leaves.size === 1;

/** The identities of the leaves of a group, as the library knows them. */
const leavesOf = ({ ratchetTree }: ClientState): Map<number, string> =>
  new Map(
    ratchetTree.flatMap((node, index) =>
      node?.nodeType === "leaf" && node.leaf.credential.credentialType === "basic"
        ? [[index / 2, Buffer.from(node.leaf.credential.identity).toString()] as const]
        : [],
    ),
  );

/** Somebody who has only a name. */
async function newGuest(): Promise<User> {
  const { body, cookie } = await register({});
  const access = await api("POST", "/access", { cookie });
  return { ...body, token: access.body.access_token };
}
