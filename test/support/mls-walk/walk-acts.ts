import { outcome } from "../api.ts";
import { addBot } from "../bots.ts";
import { localDomain } from "../connections.ts";
import { qualified } from "../conversations.ts";
import { joinByLink } from "../guest-links.ts";
import { setLegalHold } from "../legal-hold-status.ts";
import { addition, removal } from "../mls.ts";
import { subconversationPath } from "../subconversations.ts";
import type { Walk } from "./walk.ts";
import { usersOf } from "./walk-model.ts";
import { type Device, identityOf, leavesOf, type Participant } from "./walk-people.ts";
import { countingApi, counts, expectOutcome } from "./walk-requests.ts";

/** A kind of step; the numbers select the users and devices that take it. */
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
  "commit at once",
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

/** Do a step. @throws Error when the service has not done what the model expects */
export async function takeStep(walk: Walk, { kind, actor, target, variant }: Step): Promise<void> {
  counts.steps++;
  walk.ledger.remember();
  await acts[kind](walk, walk.person(actor), walk.person(target), variant);
  walk.ledger.remember();
}

const acts: Record<
  Step["kind"],
  (walk: Walk, actor: Participant, target: Participant, variant: number) => Promise<void>
> = {
  commit: async (walk, actor) => {
    const device = walk.inGroup(actor) ?? walk.inGroup();
    if (device === undefined) return walk.goOn(actor);
    await walk.commit(device, () => [], "accepted unless proposals are in the way");
  },
  add: async (walk, actor, target, variant) => {
    const device = walk.inGroup(actor) ?? walk.inGroup();
    if (device === undefined) return;
    const devices = target.devices.filter(
      (one) => !one.isDeleted && !walk.model.main.leaves.has(identityOf(one)),
    );
    const chosen = variant % 4 === 0 ? devices.slice(0, 1) : devices;
    if (chosen.length === 0) return;
    const packages = await Promise.all(chosen.map(({ main }) => main.makePackage()));
    const hasLeaf = usersOf(walk.model.main.leaves).has(target.id);
    const isComplete = hasLeaf || chosen.length === devices.length;
    const may = walk.model.mayAdd(device.owner, target, { isComplete });
    await walk.commit(
      device,
      () => packages.map(({ publicPackage }) => addition(publicPackage)),
      may ? walk.unlessHeld() : "refused",
    );
  },
  remove: async (walk, actor, target, variant) => {
    const device = walk.inGroup(actor) ?? walk.inGroup();
    if (device === undefined || device.owner === target) return;
    const present = [...walk.model.main.present].filter((one) => one.startsWith(`${target.id}:`));
    const chosen = variant % 4 === 0 ? present.slice(0, 1) : present;
    if (chosen.length === 0) return;
    const may = walk.model.mayRemove(device.owner, { isComplete: chosen.length === present.length });
    await walk.commit(
      device,
      () =>
        [...leavesOf(device.main.state)]
          .filter(([, identity]) => chosen.includes(identity))
          .map(([index]) => removal(index)),
      may ? "accepted unless proposals are in the way" : "refused",
    );
  },
  "commit twice": async (walk, actor) => {
    const device = walk.inGroup(actor) ?? walk.inGroup();
    const others = walk.devices().filter((one) => one !== device && walk.isIn(one));
    const [other] = others;
    if (device === undefined || other === undefined) return;
    await walk.read(device);
    const late = await device.main.prepare().catch(() => undefined);
    const { epoch } = walk.model.main;
    await walk.commit(other, () => [], "accepted unless proposals are in the way");
    if (late === undefined || walk.model.main.epoch === epoch) return;
    const answer = await device.main.send(late);
    expectOutcome(answer, "refused", "a commit of a former epoch");
    // For other reasons, a device does not know that it has to follow the group and try again.
    if (outcome(answer) !== "409 mls-stale-message") throw new Error(`Late, but ${outcome(answer)}`);
  },
  "commit without removals": async (walk, actor, _, variant) => {
    const device = walk.inGroup(actor) ?? walk.inGroup();
    if (device === undefined) return;
    if (walk.model.main.leaving.size === 0) {
      const others = walk.devices().filter((one) => walk.isIn(one) && one.owner !== device.owner);
      const other = others[variant % Math.max(others.length, 1)];
      if (other === undefined) return;
      await acts.leave(walk, other.owner, other.owner, variant);
    }
    if (!(await walk.waitForRemovals(device))) return;
    const before = device.main.state;
    device.main.state = { ...before, unappliedProposals: {} };
    const prepared = await device.main.prepare();
    device.main.state = before;
    expectOutcome(await device.main.send(prepared), "refused", "a commit without removals");
  },
  "commit at once": async (walk, actor, target, variant) => {
    const isCall = variant % 3 === 0;
    const { present } = isCall ? walk.model.call : walk.model.main;
    const inGroup = walk.devices().filter((one) => present.has(identityOf(one)));
    const device = inGroup.find(({ owner }) => owner === actor) ?? inGroup[0];
    const others = (variant % 2 === 0 ? inGroup : walk.devices()).filter(
      (one) => one !== device && walk.model.isMember(one.owner) && (!isCall || walk.isIn(one)),
    );
    const other = others.find(({ owner }) => owner === target) ?? others[0];
    if (device !== undefined && other !== undefined) await walk.commitAtOnce(device, other, { isCall });
  },
  join: async (walk, _, target, variant) => {
    const device = walk.deviceOf(target, variant);
    if (device !== undefined) await walk.join(device);
  },
  write: async (walk, actor, _, variant) => {
    const device = walk.inGroup(actor) ?? walk.deviceOf(actor, variant);
    if (device === undefined) return;
    await walk.read(device);
    if (!device.main.isInGroup) return;
    const isIn = walk.isIn(device);
    const { unappliedProposals } = device.main.state;
    // The library would commit first; another one, or one that has not read them yet, does not.
    device.main.state = { ...device.main.state, unappliedProposals: {} };
    const bytes = await device.main.encrypt(`${variant}`);
    device.main.state = { ...device.main.state, unappliedProposals };
    if (isIn && walk.model.protocol === "mls") walk.ledger.allow(bytes, walk.model.main, device);
    const answer = await device.main.post("/v9/mls/messages", bytes);
    expectOutcome(answer, isIn && walk.model.protocol === "mls" ? "accepted" : "refused", "a message");
  },
  propose: async (walk, actor, target, variant) => {
    const device = walk.inGroup(actor);
    if (device === undefined) return;
    await walk.read(device);
    const before = device.main.state;
    const [leaf] = [...leavesOf(before)].find(([, identity]) => identity.startsWith(`${target.id}:`)) ?? [];
    const newcomer = walk.deviceOf(target, variant);
    const isForeign = !walk.model.isMember(target) && walk.model.protocol === "mixed";
    const proposal =
      leaf !== undefined
        ? removal(leaf)
        : newcomer && addition((await newcomer.main.makePackage()).publicPackage);
    if (proposal === undefined) return;
    const bytes = await device.main.propose(proposal).catch(() => undefined);
    if (bytes === undefined) return;
    walk.ledger.allow(bytes, walk.model.main, device, { isCertain: false });
    const answer = await device.main.post("/v9/mls/messages", bytes);
    expectOutcome(answer, isForeign && leaf === undefined ? "refused" : "either", "a proposal");
    if (answer.status === 201) walk.ledger.await(bytes);
    else device.main.state = before;
  },
  leave: async (walk, actor) => {
    const wasMember = walk.model.isMember(actor);
    const answer = await walk.call("DELETE", `/members/${localDomain}/${actor.id}`, actor);
    expectOutcome(answer, wasMember ? "accepted" : "refused", "leaving");
    if (wasMember) walk.model.depart(actor);
  },
  expel: async (walk, actor, target) => {
    if (actor === target) return;
    const may = walk.model.protocol === "mixed" && walk.model.members.get(actor.id) === "admin";
    const answer = await walk.call("DELETE", `/members/${localDomain}/${target.id}`, actor);
    expectOutcome(answer, may ? "accepted" : "refused", "removing a member");
    if (may) walk.model.depart(target);
  },
  invite: async (walk, actor, target) => {
    const may = walk.model.protocol === "mixed" && walk.model.mayBring(actor, target);
    const json = { qualified_users: qualified(target) };
    const answer = await walk.call("POST", "/members", actor, json);
    const isOpen = walk.model.isMember(target) && walk.model.protocol === "mixed";
    expectOutcome(answer, may ? walk.unlessHeld() : isOpen ? "either" : "refused", "adding a member");
    if (answer.status === 200) walk.model.members.set(target.id, "admin");
  },
  "follow link": async (walk, actor) => {
    counts.requests++;
    const answer = await joinByLink(walk.link, actor.user);
    expectOutcome(answer, walk.unlessHeld(), "joining by a link");
    if (answer.status === 200) walk.model.members.set(actor.id, "member");
  },
  reset: async (walk, actor, _, variant) => {
    const { epoch } = walk.model.main;
    const named = variant % 3 === 0 ? epoch + 1 : epoch;
    const json = { group_id: walk.groupId, epoch: named };
    const answer = await countingApi("POST", "/v9/mls/reset-conversation", {
      token: actor.user.token,
      json,
    });
    const may = walk.model.isMember(actor) && epoch > 0 && named === epoch;
    expectOutcome(answer, may ? "accepted" : "refused", "a reset");
    if (!may) return;
    walk.model.main.reset();
    await walk.readGroupId();
  },
  migrate: async (walk, actor) => {
    const isEnding = walk.model.protocol === "mixed";
    const answer = await walk.setProtocol(actor, "mls");
    if (!walk.model.isMember(actor)) return expectOutcome(answer, "refused", "a migration");
    expectOutcome(answer, isEnding ? "either" : "accepted", "a migration");
    if (answer.status === 200) walk.model.protocol = "mls";
  },
  "delete device": async (walk, actor, _, variant) => {
    const device = walk.deviceOf(actor, variant);
    if (device === undefined || actor.devices.filter((one) => !one.isDeleted).length < 2) return;
    const path = `/v9/clients/${device.main.clientId}`;
    const json = { password: actor.user.password };
    const answer = await countingApi("DELETE", path, { token: actor.user.token, json });
    expectOutcome(answer, "accepted", "removing a device");
    device.isDeleted = true;
    for (const group of [walk.model.main, walk.model.call]) group.depart((one) => one === identityOf(device));
    walk.model.endDesertedCall();
  },
  "begin or join call": async (walk, actor, target, variant) => {
    const isFromOutside = variant % 2 === 0;
    const inside = variant % 4 === 0 ? undefined : walk.inGroup();
    if (inside !== undefined && walk.model.call.epoch === 0) await walk.enterCall(inside);
    const isOutside = (one: Device) => walk.model.isMember(one.owner) && !walk.isIn(one);
    if (isFromOutside && !walk.devices().some(isOutside)) await acts["follow link"](walk, actor, target, 0);
    const outside = isFromOutside ? walk.devices().find(isOutside) : undefined;
    const device = outside ?? walk.deviceOf(actor, variant);
    if (device === undefined) return;
    await walk.enterCall(device);
  },
  "leave call": async (walk, actor, _, variant) => {
    const device = walk.deviceOf(actor, variant);
    if (device === undefined) return;
    const path = `${subconversationPath({ id: walk.id })}/self`;
    const answer = await countingApi("DELETE", path, { token: device.main.token });
    const isIn = walk.model.call.present.has(identityOf(device));
    expectOutcome(answer, isIn && walk.model.isMember(actor) ? "accepted" : "refused", "leaving a call");
    walk.model.call.depart((one) => one === identityOf(device) && answer.status === 200);
    walk.model.endDesertedCall();
  },
  "end call": async (walk, actor) => {
    const { epoch } = walk.model.call;
    if (epoch === 0 || walk.callId === undefined) return;
    const path = subconversationPath({ id: walk.id });
    const json = { group_id: walk.callId, epoch };
    const answer = await countingApi("DELETE", path, { token: actor.user.token, json });
    const isMember = walk.model.isMember(actor);
    expectOutcome(answer, isMember ? "accepted" : "refused", "ending a call");
    if (isMember) walk.model.call.reset();
  },
  "commit to call": async (walk, actor, _, variant) => {
    const device = walk.deviceOf(actor, variant);
    if (device === undefined || !walk.model.call.present.has(identityOf(device))) return;
    await walk.commit(device, () => [], "accepted", { isCall: true });
  },
  "add bot": async (walk, actor) => {
    counts.requests++;
    const answer = await addBot(actor.user, { id: walk.id }, walk.service);
    const may = walk.model.protocol === "mixed" && walk.model.members.get(actor.id) === "admin";
    expectOutcome(answer, may ? "either" : "refused", "adding a bot");
  },
  hold: async (walk, _, target) => {
    if (!target.isOfTeam) return;
    const isHeld = walk.model.held.has(target.id);
    await setLegalHold(target.user, isHeld ? "disabled" : "pending", { isSettled: false });
    if (isHeld) walk.model.held.delete(target.id);
    else walk.model.held.add(target.id);
  },
  "change role": async (walk, actor, target, variant) => {
    const role = variant % 2 === 0 ? "admin" : "member";
    const json = { conversation_role: `svc_${role}` };
    const answer = await walk.call("PUT", `/members/${localDomain}/${target.id}`, actor, json);
    const may =
      walk.model.members.get(actor.id) === "admin" && walk.model.isMember(target) && actor !== target;
    expectOutcome(answer, may ? "accepted" : "refused", "changing a role");
    if (may) walk.model.members.set(target.id, role);
  },
};
