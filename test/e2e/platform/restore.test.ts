import { setTimeout as delay } from "node:timers/promises";
import { DescribeTableCommand } from "@aws-sdk/client-dynamodb";
import { expect, it, onTestFinished } from "vitest";
import { restore } from "#lib/restore/restore.ts";
import { targetName } from "#lib/restore/restored-tables.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { type TableName, tables } from "#shared/registry/tables.ts";
import { outcome } from "../../support/api.ts";
import { connectUsers, localDomain } from "../../support/connections.ts";
import { createConversation } from "../../support/conversations.ts";
import { registerDevice } from "../../support/devices.ts";
import { eventually } from "../../support/eventually.ts";
import { dyingRestore } from "../../support/kills/kills.ts";
import { sendJson } from "../../support/otr-messages.ts";
import { type OwnStack, ownStack, stopOwnStacks } from "../../support/own-stack.ts";
import { pagesOf } from "../../support/pages.ts";
import { answerRestores, takeSnapshot } from "../../support/point-in-time.ts";
import { isSoak } from "../../support/soak.ts";
import { logIn, newEmail, registeredUser, somePassword, type User } from "../../support/users.ts";

const dynamo = createDynamo();

const namesOf = ({ prefix }: OwnStack) =>
  new Map((Object.keys(tables) as TableName[]).map((name) => [name, `${prefix}-${name}`]));

const isUsable = async ({ publicApi }: OwnStack, cookie: string | undefined) =>
  (await publicApi("POST", "/access", { cookie })).status === 200;

const rename = ({ publicApi }: OwnStack, { token }: User, id: string, name: string) =>
  publicApi("PUT", `/v9/conversations/${localDomain}/${id}/name`, { token, json: { name } });

const nameOf = async ({ publicApi }: OwnStack, { token }: User, id: string) =>
  (await publicApi("GET", `/v9/conversations/${localDomain}/${id}`, { token })).body.name;

const changePassword = ({ publicApi }: OwnStack, { token }: User, password: string) =>
  publicApi("PUT", "/self/password", { token, json: { old_password: somePassword, new_password: password } });

const claimPrekeys = ({ publicApi }: OwnStack, { token }: User, { id }: User) =>
  publicApi("GET", `/v8/users/${localDomain}/${id}/prekeys`, { token });

/**
 * Where processes die: before a table is made, while one is completed, after a page has been written, and before one
 * is.
 */
const deaths = [
  { action: "RestoreTableToPointInTime", mentions: ["-teams-at-"] },
  { action: "UpdateTimeToLive", mentions: ["-clients-at-"] },
  { action: "PutItem", mentions: ["-accounts-at-", "restore-progress#rules"] },
  { action: "BatchWriteItem", mentions: ["-clients-at-"] },
].slice(...(isSoak ? [] : [2, 3]));

it("a restore refuses a time outside the window, before it creates a table", async () => {
  const stack = await ownStack();
  const tableNames = namesOf(stack);
  const { calls, end } = answerRestores(new Map());
  onTestFinished(end);
  for (const days of [36, -1]) {
    const at = new Date(Date.now() - days * 86_400_000);
    const tried = restore({ tableNames, settings: parseSettings({}), at, segments: 1, pollMilliseconds: 1 });
    await expect(tried).rejects.toThrow("can be restored to times from");
  }
  expect(calls.filter((call) => !call.startsWith("DescribeContinuousBackups"))).toEqual([]);
});

it("a restore brings back what was there, but nothing that has been used up, revoked or deleted since", async ({
  annotate,
}) => {
  const stack = await ownStack();
  const { publicApi } = stack;
  const [ada, bob, carl] = await Promise.all([
    registeredUser({ name: "Ada" }, stack),
    registeredUser({ name: "Bob" }, stack),
    registeredUser({ name: "Carl" }, stack),
  ]);
  await connectUsers(ada, bob, stack);
  await connectUsers(ada, carl, stack);
  const phone = (await registerDevice(bob, {}, { publicApi })).body.id;
  const stolen = (await registerDevice(bob, { password: somePassword }, { publicApi })).body.id;
  await registerDevice(carl, {}, { publicApi });
  const { id } = (await createConversation(ada, { with: [bob, carl], name: "Plans" }, stack)).body;
  const laptop = (await logIn(ada, { apis: stack })).cookie;
  await claimPrekeys(stack, ada, bob);

  const tableNames = namesOf(stack);
  const snapshot = await takeSnapshot(tableNames.values());
  const { calls, end } = answerRestores(snapshot);
  onTestFinished(end);
  const at = new Date();
  await delay(5);

  await rename(stack, ada, id, "Damaged");
  await changePassword(stack, ada, "a better password");
  const tablet = (await logIn({ ...ada, password: "a better password" }, { apis: stack })).cookie;
  await publicApi("DELETE", `/clients/${stolen}`, { token: bob.token, json: { password: somePassword } });
  await publicApi("DELETE", "/self", { token: carl.token, json: { password: somePassword } });
  const erin = await registeredUser({ email: newEmail() }, stack);
  const claimed = (await claimPrekeys(stack, ada, bob)).body.clients[0].prekey.id;

  const settings = parseSettings({});
  const options = { tableNames, settings, at, segments: 2, pollMilliseconds: 1 };
  const damagedAt = Date.now();
  for (const death of deaths) expect(await dyingRestore({ options, snapshot }, death)).toBe("SIGKILL");
  const goesOnAt = Date.now();
  const { names, mismatches, pairs } = await restore(options);
  const restoredAt = Date.now();
  expect(mismatches).toMatchObject({ withoutClaim: [], withoutAccount: [] });
  expect(pairs).toMatchObject({ connections: { single: [] }, conversations: { single: [] } });
  expect(pairs.connections?.seen).toBe(4);
  for (const name of ["accounts", "clients"] as const) {
    const target = targetName(`${stack.prefix}-${name}`, at);
    expect(names[name]).toBe(target);
    for (const action of ["UpdateContinuousBackups", "UpdateTimeToLive"])
      expect(calls).toContain(`${action} ${target}`);
  }
  expect(Object.keys(names)).not.toContain("mail-suppressions");
  const { Table: accounts } = await dynamo.send(new DescribeTableCommand({ TableName: names.accounts }));
  expect(accounts?.GlobalSecondaryIndexes).toMatchObject([{ IndexName: "by-creation" }]);

  // Its workers would take messages from the queues that both share.
  await stopOwnStacks();
  const restored = await ownStack({}, { prefix: stack.prefix, restoredTables: names });
  const { publicApi: api } = restored;
  expect(await nameOf(restored, ada, id)).toBe("Plans");
  const { entries } = await pagesOf<{ id: string }>(restored, "/i/users/list", "users");
  expect(entries.map((user) => user.id).toSorted()).toEqual([ada.id, bob.id].toSorted());

  const login = await logIn({ ...ada, password: "a better password" }, { apis: restored });
  expect(outcome(login)).toBe("200");
  const usedAt = Date.now();
  expect(outcome(await logIn(ada, { apis: restored }))).toBe("403 invalid-credentials");
  expect(await Promise.all([laptop, tablet].map((cookie) => isUsable(restored, cookie)))).toEqual([
    false,
    true,
  ]);

  const devices = (await api("GET", `/v8/users/${localDomain}/${bob.id}/clients`, { token: ada.token })).body;
  expect(devices).toEqual([{ id: phone }]);
  const prekey = (await claimPrekeys(restored, ada, bob)).body.clients[0].prekey;
  expect(prekey.id).not.toBe(claimed);
  expect(prekey.id).toBe(65535);

  const sender = (await registerDevice(ada, {}, { publicApi: api })).body.id;
  const sent = await sendJson(
    { id },
    ada,
    { sender, recipients: { [bob.id]: { [phone]: "aGVsbG8=" } } },
    { query: "?ignore_missing=true", publicApi: api },
  );
  expect(outcome(sent)).toBe("201");
  await eventually(async () => {
    const { body } = await api("GET", `/notifications?client=${phone}`, { token: bob.token });
    expect(JSON.stringify(body)).toContain("aGVsbG8=");
  });

  expect(outcome(await logIn(erin, { apis: restored }))).toBe("403 invalid-credentials");
  expect(outcome(await logIn(carl, { apis: restored }))).toBe("403 invalid-credentials");
  restored.advance(120);
  await restored.invoke("outbox-sweeper", {});
  await eventually(async () => {
    const { body } = await api("GET", `/v9/conversations/${localDomain}/${id}`, { token: ada.token });
    expect(body.members.others.map((member: { id: string }) => member.id)).toEqual([bob.id]);
  });

  const again = await registeredUser({ email: carl.email }, restored);
  expect(outcome(await logIn(again, { apis: restored }))).toBe("200");

  const seconds = (from: number, to: number) => `${((to - from) / 1000).toFixed(1)} s`;
  await annotate(
    `Lost: what was written in the ${seconds(at.getTime(), damagedAt)} after the point in time. ` +
      `Time to recover, without DynamoDB's part and a deployment: ${seconds(damagedAt, usedAt)}, ` +
      `of which ${seconds(damagedAt, goesOnAt)} in ${deaths.length} processes that were killed, ` +
      `${seconds(goesOnAt, restoredAt)} to finish, ${seconds(restoredAt, usedAt)} to switch and log in.`,
  );
});
