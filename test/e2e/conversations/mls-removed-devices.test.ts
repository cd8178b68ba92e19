import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { GroupStore } from "#shared/mls/group-store.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import type { ApiAnswer } from "../../support/api.ts";
import { createConversation } from "../../support/conversations.ts";
import { eventually } from "../../support/eventually.ts";
import { addition, type MlsClient, newMlsClient } from "../../support/mls.ts";
import { ownStack } from "../../support/own-stack.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { newTeam } from "../../support/teams.ts";
import type { User } from "../../support/users.ts";

const stack = await ownStack();
const { clock, prefix, publicApi } = stack;
const dynamo = createDynamo();
const groups = new GroupStore({ dynamo, config: stackConfig(prefix), clock });

const newDevice = (user: User) => newMlsClient(user, { publicApi, prefix });

/** A group of a team's owner and one of its members, each with a device. */
async function newGroup() {
  const team = await newTeam({}, stack);
  const mate = await team.add();
  const [ada, bob] = await Promise.all([newDevice(team.owner), newDevice(mate)]);
  const { body } = await createConversation(team.owner, { in: team, protocol: "mls" }, stack);
  await ada.create(body.group_id);
  await ada.add(mate);
  await eventually(() => bob.catchUp().then(() => expect(bob.epoch).toBe(1)));
  return { ada, bob, id: body.id as string, groupId: body.group_id as string };
}

/** Delete a device, and wait until all that follows has been done. */
async function deleteDevice({ user, clientId }: MlsClient): Promise<void> {
  const request = { token: user.token, json: { password: user.password } };
  expect((await publicApi("DELETE", `/v9/clients/${clientId}`, request)).status).toBe(200);
  await eventually(async () => {
    const { Items = [] } = await dynamo.send(new ScanCommand({ TableName: `${prefix}-outbox` }));
    expect(JSON.stringify(Items)).not.toContain(clientId);
  });
}

/** Sends a commit, and lets something happen when all has been read and checked, just before it is stored. */
async function sendWith(
  send: () => Promise<ApiAnswer>,
  groupId: string,
  meanwhile: () => Promise<unknown>,
): Promise<ApiAnswer> {
  let happened: Promise<unknown> | undefined;
  const end = interceptAwsCalls(async ({ action, body }, pass) => {
    if (action === "TransactWriteItems" && body.includes(groupId) && happened === undefined) {
      happened = meanwhile();
      await happened;
    }
    return pass();
  });
  const answer = await send().finally(end);
  expect(happened).toBeDefined();
  return answer;
}

/** Devices that the group delivers to. */
async function devicesOf(groupId: string): Promise<string[]> {
  const group = await groups.get(groupId);
  return [...(group?.leaves.values() ?? [])]
    .filter(({ isLeaving }) => isLeaving !== true)
    .map(({ clientId }) => clientId);
}

describe("a device that is deleted while", () => {
  it("a commit adds it does not stay in the group", async () => {
    const { ada, bob, groupId } = await newGroup();
    const phone = await newDevice(bob.user);
    const { publicPackage } = await phone.makePackage();
    const commit = await ada.prepare(addition(publicPackage));
    await sendWith(
      () => ada.send(commit),
      groupId,
      () => deleteDevice(phone),
    );
    await eventually(async () =>
      expect((await devicesOf(groupId)).toSorted()).toEqual([ada.clientId, bob.clientId].toSorted()),
    );
  });

  it("it joins by an external commit does not stay in the group", async () => {
    const { ada, bob, id, groupId } = await newGroup();
    const phone = await newDevice(bob.user);
    const commit = await phone.prepareJoin(id);
    await sendWith(
      () => phone.send(commit),
      groupId,
      () => deleteDevice(phone),
    );
    await eventually(async () =>
      expect((await devicesOf(groupId)).toSorted()).toEqual([ada.clientId, bob.clientId].toSorted()),
    );
  });
});
