import { setTimeout as delay } from "node:timers/promises";
import type { ApiAnswer } from "../api.ts";
import type { RunningService } from "../bots.ts";
import { localDomain } from "../connections.ts";
import { createConversation } from "../conversations.ts";
import { createLink, type Link } from "../guest-links.ts";
import { addition, type MlsClient, type PreparedCommit } from "../mls.ts";
import { subconversationPath } from "../subconversations.ts";
import { Ledger, type Told } from "./walk-ledger.ts";
import { ConversationModel, type GroupModel, type Protocol } from "./walk-model.ts";
import { type Device, identityOf, leavesOf, newParticipants, type Participant } from "./walk-people.ts";
import { countingApi, type Expectation, expectOutcome, isOvertaken } from "./walk-requests.ts";

/** How often a client retries after others, or the service, were faster. */
const maxAttempts = 100;
const pauseMilliseconds = 50;

/** A conversation with all who are or may be in it, and with strangers. */
export class Walk {
  readonly service: RunningService;
  readonly #people: readonly Participant[];
  readonly model: ConversationModel;
  readonly id: string;
  readonly link: Link;
  groupId: string;
  callId: string | undefined;
  readonly ledger: Ledger;

  private constructor(
    fields: { service: RunningService; people: readonly Participant[]; id: string; link: Link },
    model: ConversationModel,
    groupId: string,
  ) {
    this.service = fields.service;
    this.#people = fields.people;
    this.id = fields.id;
    this.link = fields.link;
    this.model = model;
    this.groupId = groupId;
    this.ledger = new Ledger(model);
  }

  static async start(service: RunningService, isMigrating: boolean): Promise<Walk> {
    const { team, people, bob, dan } = await newParticipants(service);
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
      expectOutcome(await walk.setProtocol(walk.person(0), "mixed"), "accepted", "migration");
      await walk.readGroupId();
    }
    // Most steps do nothing in a group that nobody has begun.
    await walk.goOn(walk.person(0));
    return walk;
  }

  /** Ask everybody what they were told, and let somebody go on, without those who have left. */
  async finish(): Promise<void> {
    await this.look();
    await this.goOn();
    await this.#removeFormer();
    await this.look();
    this.#checkBots();
  }

  /** Somebody under legal hold may keep newcomers out. */
  unlessHeld = (): Expectation =>
    this.model.held.size > 0 ? "either" : "accepted unless proposals are in the way";

  person = (number: number): Participant => this.#people[number % this.#people.length] as Participant;
  devices = (): Device[] => this.#people.flatMap(({ devices }) => devices).filter((one) => !one.isDeleted);
  isIn = (device: Device): boolean => this.model.main.present.has(identityOf(device));
  inGroup = (owner?: Participant): Device | undefined =>
    this.devices().find((one) => this.isIn(one) && (owner === undefined || one.owner === owner));
  deviceOf(owner: Participant, variant: number): Device | undefined {
    const devices = owner.devices.filter((one) => !one.isDeleted);
    return devices[variant % devices.length];
  }

  /** Send a request about the conversation. */
  call(method: string, path: string, { user: { token } }: Participant, json?: object): Promise<ApiAnswer> {
    const place = `/v9/conversations/${localDomain}/${this.id}`;
    return countingApi(method, place + path, { token, ...(json && { json }) });
  }

  setProtocol = (actor: Participant, protocol: Protocol) =>
    this.call("PUT", "/protocol", actor, { protocol });

  async readGroupId(): Promise<void> {
    const member = this.#people.find((one) => this.model.isMember(one));
    if (member === undefined) return;
    this.groupId = (await this.call("GET", "", member)).body.group_id;
  }

  /** Commit, following the group, until the commit succeeds or is refused for good. */
  async commit(
    device: Device,
    proposals: () => Parameters<MlsClient["prepare"]>,
    expectation: Expectation,
    { isCall = false } = {},
  ): Promise<void> {
    const client = isCall ? device.call : device.main;
    for (let attempt = 1; ; attempt++) {
      await this.read(device);
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
      return expectOutcome(answer, mayFail ? "either" : expectation, `a commit of ${device.owner.name}`);
    }
  }

  async #sendCommit(device: Device, prepared: PreparedCommit, isCall: boolean): Promise<ApiAnswer> {
    this.#allow(device, prepared, isCall);
    const answer = await (isCall ? device.call : device.main).send(prepared);
    if (answer.status === 201) this.#begin(device, prepared, isCall);
    return answer;
  }

  /** Note whom a commit may reach. */
  #allow(device: Device, { commit, welcome, next }: PreparedCommit, isCall: boolean): void {
    const group = isCall ? this.model.call : this.model.main;
    this.ledger.allow(commit, group, device, { isCertain: false });
    if (welcome === undefined) return;
    const added = new Set([...leavesOf(next).values()].filter((one) => !group.leaves.has(one)));
    added.delete(identityOf(device));
    this.ledger.allowWelcome(welcome, added);
  }

  /** Note that a commit has begun an epoch. */
  #begin(device: Device, { commit, welcome, next }: PreparedCommit, isCall: boolean): void {
    const group = isCall ? this.model.call : this.model.main;
    this.ledger.await(commit);
    if (welcome !== undefined) this.ledger.await(welcome);
    const leaves = new Set(leavesOf(next).values());
    const epoch = Number(next.groupContext.epoch);
    if (isCall) group.begin(epoch, leaves);
    else {
      const { joined } = this.model.commit(epoch, leaves);
      this.ledger.rememberMembers(joined);
    }
    // A device that returns by an external commit is no longer leaving.
    group.leaving.delete(identityOf(device));
    this.ledger.remember();
  }

  /** Let two devices begin one epoch at the same moment, the second from outside unless it is in the group. */
  async commitAtOnce(device: Device, other: Device, { isCall }: { isCall: boolean }): Promise<void> {
    const group = isCall ? this.model.call : this.model.main;
    const clientOf = (one: Device) => (isCall ? one.call : one.main);
    await this.read(device);
    await this.read(other);
    const { epoch } = group;
    const isJoining = !group.present.has(identityOf(other));
    const isRejoining = group.leaves.has(identityOf(other));
    const contenders = [
      { device, preparing: clientOf(device).prepare() },
      {
        device: other,
        preparing: isJoining
          ? clientOf(other).prepareJoin(this.id, { isRejoining })
          : clientOf(other).prepare(),
      },
    ];
    const prepared = await Promise.all(
      contenders.map(async ({ device: one, preparing }) => {
        // The library refuses to commit some proposals, such as those to remove the committer.
        const commit = await preparing.catch(() => undefined);
        if (commit !== undefined) this.#allow(one, commit, isCall);
        return { one, commit };
      }),
    );
    const answers = await Promise.all(
      prepared.map(async ({ one, commit }) => ({
        one,
        commit,
        answer: commit && (await clientOf(one).send(commit)),
      })),
    );
    const begun = answers.filter(({ answer }) => answer?.status === 201);
    for (const { answer } of answers)
      if (answer !== undefined) expectOutcome(answer, "either", "one of two commits at once");
    if (begun.length > 1) throw new Error(`Two commits have begun epoch ${epoch + 1}`);
    for (const { one, commit } of begun) if (commit !== undefined) this.#begin(one, commit, isCall);
  }

  /** Join by an external commit, with a group info that a traitor hands out if need be. */
  async join(device: Device): Promise<void> {
    if (this.model.main.epoch === 0) return;
    const may = this.model.isMember(device.owner);
    const insider = this.devices().find((one) => this.model.isMember(one.owner));
    if (insider === undefined) return;
    for (let attempt = 1; ; attempt++) {
      await this.read(device);
      const isRejoining = this.model.main.leaves.has(identityOf(device));
      if (isAlone(this.model.main, isRejoining)) return;
      const groupInfo = device.main.groupInfo;
      if (!may) device.main.groupInfo = (id) => insider.main.groupInfo(id);
      const prepared = await device.main.prepareJoin(this.id, { isRejoining });
      device.main.groupInfo = groupInfo;
      const answer = await this.#sendCommit(device, prepared, false);
      if (isOvertaken(answer) && attempt < maxAttempts && may) {
        await delay(pauseMilliseconds);
        continue;
      }
      return expectOutcome(
        answer,
        may ? "accepted" : "refused",
        `an external commit of ${device.owner.name}`,
      );
    }
  }

  /** Begin the call, or join it. */
  async enterCall(device: Device): Promise<void> {
    const { token } = device.main;
    const answer = await countingApi("GET", subconversationPath({ id: this.id }), { token });
    const isOpen = this.model.isMember(device.owner);
    if (!isOpen) return expectOutcome(answer, "refused", "reading a call");
    if (this.model.protocol !== "mls") return;
    expectOutcome(answer, "accepted", "reading a call");
    this.callId = answer.body.group_id;
    if (answer.body.epoch !== this.model.call.epoch)
      throw new Error(`The call is in epoch ${answer.body.epoch}, not in ${this.model.call.epoch}`);
    const may = this.isIn(device);
    if (this.model.call.epoch === 0) {
      await device.call.create(answer.body.group_id);
      const first = await this.#sendCommit(device, await device.call.prepare(), true);
      const isHeld = this.model.held.has(device.owner.id);
      return expectOutcome(first, may && !isHeld ? "accepted" : "refused", "beginning a call");
    }
    const isRejoining = this.model.call.leaves.has(identityOf(device));
    if (isAlone(this.model.call, isRejoining)) return;
    const joined = await this.#sendCommit(
      device,
      await device.call.prepareJoin(this.id, { isRejoining }),
      true,
    );
    expectOutcome(joined, may ? "accepted" : "refused", "joining a call");
  }

  /** Let a member's device begin the next epoch, whatever has happened. */
  async goOn(actor?: Participant): Promise<void> {
    const able = this.devices().filter(
      ({ owner }) => this.model.isMember(owner) && (actor === undefined || owner === actor),
    );
    const [device] = able;
    if (device === undefined) return;
    if (this.model.main.epoch > 0) return this.join(device);
    await device.main.create(this.groupId);
    const own = device.owner.devices.filter((one) => one !== device && !one.isDeleted);
    const packages = await Promise.all(own.map(({ main }) => main.makePackage()));
    const prepared = await device.main.prepare(...packages.map((one) => addition(one.publicPackage)));
    const answer = await this.#sendCommit(device, prepared, false);
    const isHeld = this.model.held.has(device.owner.id);
    expectOutcome(answer, isHeld ? "refused" : "accepted", `the first commit of ${device.owner.name}`);
  }

  /** Commit what the service has proposed, until nobody who has left is in the group. */
  async #removeFormer(): Promise<void> {
    for (let attempt = 1; attempt <= maxAttempts && this.model.main.leaving.size > 0; attempt++) {
      const device = this.inGroup();
      if (device === undefined) return;
      if (!(await this.waitForRemovals(device))) break;
      await this.commit(device, () => [], "accepted");
    }
    const [left] = this.model.main.leaving;
    if (left !== undefined && this.inGroup() !== undefined)
      throw new Error(`${left} has left, and is still in the group`);
  }

  /** @returns whether the service has proposed to remove somebody in this epoch */
  async waitForRemovals(device: Device): Promise<boolean> {
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      await this.read(device);
      const proposals = Object.values(device.main.state.unappliedProposals);
      if (proposals.some(({ senderLeafIndex }) => senderLeafIndex === undefined)) return true;
      await delay(pauseMilliseconds);
    }
    return false;
  }

  /** Ask all devices what they were told, those of strangers and former members included. */
  async look(): Promise<void> {
    for (const device of this.devices()) await this.read(device);
    this.ledger.close(this.devices());
  }

  /** Let a device read what it was told, and check that it may be told that. */
  async read(device: Device): Promise<void> {
    const query = `client=${device.main.clientId}&size=10000${device.last === undefined ? "" : `&since=${device.last}`}`;
    const { body } = await countingApi("GET", `/v9/notifications?${query}`, { token: device.main.token });
    for (const { id, payload } of body.notifications) {
      device.last = id;
      for (const event of payload as Told[]) {
        if (event.conversation !== this.id) continue;
        this.ledger.checkTold(device, event);
        // A message that cannot be read shows in the epoch.
        for (const client of [device.main, device.call]) await client.handle(event).catch(() => undefined);
      }
    }
    this.#checkEpoch(device);
  }

  #checkEpoch(device: Device): void {
    const { main } = device;
    if (!this.isIn(device) || device.isDeleted) return;
    if (!main.isInGroup || main.epoch !== this.model.main.epoch)
      throw new Error(
        `${device.owner.name} is in epoch ${main.isInGroup ? main.epoch : "none"}, the group in ${this.model.main.epoch}`,
      );
  }

  #checkBots(): void {
    // Bots are members, who are told of a reset, and have no devices in the group.
    const told = this.service.server.calls.filter(
      ({ body }) =>
        body?.conversation === this.id &&
        ["conversation.mls-message-add", "conversation.mls-welcome"].includes(String(body.type)),
    );
    if (told.length > 0) throw new Error("A bot got a message of MLS");
  }
}

/** Whether a device would replace the only leaf of a group, which the library cannot do. */
const isAlone = ({ leaves }: GroupModel, isRejoining: boolean): boolean => isRejoining && leaves.size === 1;
