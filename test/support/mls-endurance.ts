import { setTimeout as delay } from "node:timers/promises";
import { ConversationStore } from "#shared/conversations/conversation-store.ts";
import { GroupStore } from "#shared/devices/mls/group-store.ts";
import { decodeMlsMessage } from "#shared/devices/mls/mls-message.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { outcome } from "./api.ts";
import { addition, type MlsClient, removal } from "./mls.ts";
import { stackConfig } from "./stack-config.ts";

/** Devices that share a group while what they use fails. */
export interface EnduringGroup {
  readonly id: string;
  readonly groupId: string;
  /** The only device that may add and remove others. */
  readonly admin: MlsClient;
  readonly members: readonly MlsClient[];
  /** The device that is added and removed. */
  readonly guest: MlsClient;
}

const pauseMilliseconds = 50;
/** Pauses between sends of an event grow while they fail, and a dead process may hold a message for a minute. */
const longestWaitMilliseconds = 300_000;

/** Repeat what fails because the service does. */
async function patiently<Result>(task: () => Promise<Result>): Promise<Result> {
  for (const startedAt = performance.now(); ; ) {
    try {
      return await task();
    } catch (error) {
      if (performance.now() - startedAt > longestWaitMilliseconds) throw error;
      await delay(pauseMilliseconds);
    }
  }
}

/** Let a device commit until it has begun an epoch, following others where they are faster. */
async function commitAnyhow(group: EnduringGroup, device: MlsClient, chance: () => number): Promise<void> {
  const startedAt = performance.now();
  let last = "";
  while (performance.now() - startedAt < longestWaitMilliseconds) {
    await patiently(async () => {
      await device.catchUp();
      if (!device.isInGroup) throw new Error("The welcome has not arrived yet");
    });
    const commit = await device.prepare(...(await proposalsOf(group, device, chance)));
    // A lost answer is a failure of the network, not of the service.
    const answer = await device.send(commit).catch(() => undefined);
    if (answer?.status === 201) return;
    last = answer === undefined ? "no answer" : outcome(answer);
    const { epoch } = device;
    await patiently(() => device.settle(group.id));
    if (device.epoch > epoch) return;
    await delay(pauseMilliseconds * chance());
  }
  throw new Error(`${group.id}: a device cannot commit in epoch ${device.epoch}: ${last}`);
}

/** The administrator adds or removes the guest, or neither. */
async function proposalsOf({ admin, guest }: EnduringGroup, device: MlsClient, chance: () => number) {
  if (device !== admin || chance() < 0.4) return [];
  const leaf = leafOf(admin, guest);
  if (leaf === undefined) return [addition((await guest.makePackage()).publicPackage)];
  // The service proposes nothing here, so all proposals are those of this commit.
  return [removal(leaf)];
}

/** The leaves of a group as a device knows them. */
const leavesOf = ({ state }: MlsClient): Map<number, string> =>
  new Map(
    state.ratchetTree.flatMap((node, index) => {
      if (node?.nodeType !== "leaf" || node.leaf.credential.credentialType !== "basic") return [];
      return [[index / 2, Buffer.from(node.leaf.credential.identity).toString()]];
    }),
  );

const leafOf = (observer: MlsClient, { device: { identity } }: MlsClient): number | undefined =>
  [...leavesOf(observer)].find(([, leaf]) => leaf === identity)?.[0];

/** Let devices of a group commit a number of times, sometimes two at the same moment. */
export async function commitRepeatedly(
  group: EnduringGroup,
  count: number,
  chance: () => number,
): Promise<void> {
  const devices = [group.admin, ...group.members];
  const pick = () => devices[Math.floor(chance() * devices.length)] as MlsClient;
  for (let done = 0; done < count; ) {
    const committing = new Set([pick(), ...(chance() < 0.3 ? [pick()] : [])]);
    await Promise.all([...committing].map((device) => commitAnyhow(group, device, chance)));
    done += committing.size;
  }
}

/**
 * Let all devices of a group follow it, when nothing fails any more.
 * @returns what is wrong: devices that are not in the last epoch, and parts of the group that contradict each other
 */
export async function findProblems(
  { id, groupId, admin, members, guest }: EnduringGroup,
  prefix: string,
): Promise<string[]> {
  const context = { dynamo: createDynamo(), config: stackConfig(prefix), clock: systemClock };
  const [groups, conversations] = [new GroupStore(context), new ConversationStore(context)];
  const problems: string[] = [];
  const expected = await groups.get(groupId);
  const isThere = leafOf(await followed(admin), guest) !== undefined;
  const devices = [admin, ...members, ...(isThere ? [guest] : [])];
  for (const device of devices) {
    await followed(device).catch((error) => problems.push(`${id}: a device cannot follow: ${error}`));
    if (!device.isInGroup) return [...problems, `${id}: a device is in no group`];
    if (device.epoch !== expected?.epoch)
      problems.push(`${id}: a device is in epoch ${device.epoch}, the group in ${expected?.epoch}`);
  }
  const tags = new Set(devices.map(({ state }) => Buffer.from(state.confirmationTag).toString("hex")));
  if (tags.size !== 1) problems.push(`${id}: devices are in different states`);

  const found = await conversations.getPopulated(id);
  const [group, { bytes }] = [await groups.get(groupId), await admin.groupInfo(id)];
  if (group?.epoch !== found?.conversation.group?.epoch)
    problems.push(`${id}: group and conversation differ in their epochs`);
  const info = bytes && decodeMlsMessage(bytes);
  if (info?.kind !== "group-info" || Number(info.groupInfo.context.epoch) !== group?.epoch)
    problems.push(`${id}: the group info is of another epoch`);
  const stored = [...(group?.leaves ?? [])].map(
    ([index, leaf]) => `${index} ${leaf.userId}:${leaf.clientId}`,
  );
  const known = [...leavesOf(admin)].map(([index, identity]) => `${index} ${identity.split("@")[0]}`);
  if (stored.toSorted().join() !== known.toSorted().join())
    problems.push(`${id}: the service knows other leaves than the devices: ${stored} instead of ${known}`);
  const users = new Set(devices.map(({ user }) => user.id));
  const memberIds = (found?.members ?? []).map(({ userId }) => userId);
  if (memberIds.length !== users.size || !memberIds.every((userId) => users.has(userId)))
    problems.push(`${id}: the members are not the users of the devices`);
  return problems;

  /** Events may still be on their way. */
  async function followed(device: MlsClient): Promise<MlsClient> {
    const startedAt = performance.now();
    while (performance.now() - startedAt < longestWaitMilliseconds) {
      await device.catchUp();
      await device.settle(id);
      if (device.isInGroup && device.epoch === expected?.epoch) break;
      await delay(pauseMilliseconds);
    }
    return device;
  }
}
