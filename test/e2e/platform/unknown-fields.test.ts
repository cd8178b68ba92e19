import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, expect, it } from "vitest";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { type Item, Table } from "#shared/platform/data/table.ts";
import { permissionsOf } from "#shared/teams/permissions.ts";
import { connectUsers, updateConnection } from "../../support/connections.ts";
import { createConversation, qualified } from "../../support/conversations.ts";
import { newDevice, registerDevice } from "../../support/devices.ts";
import { newDirectory, newUserFields } from "../../support/directory.ts";
import { ownStack, stopOwnStacks } from "../../support/own-stack.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { stackWith } from "../../support/stack-with.ts";
import { changePermissions, newTeam } from "../../support/teams.ts";
import { unknownAttributes } from "../../support/unknown-attributes.ts";
import { storeUnknownFields, unknownField } from "../../support/unknown-fields.ts";
import { logIn, registeredUser, type User } from "../../support/users.ts";

afterAll(stopOwnStacks);

/** Answers are checked against the route tables, which declare no such field. */
it("what a newer version has stored survives changes by this one, and no client sees it", async () => {
  const stack = await stackWith();
  const { publicApi, internalApi } = stack;
  const losses: string[] = [];
  const end = storeUnknownFields(stack.prefix, (loss) => losses.push(loss));
  const successes = async (
    user: Pick<User, "token">,
    calls: [method: string, path: string, json?: object][],
  ) => {
    for (const [method, path, json] of calls) {
      const { status, body } = await publicApi(method, path, { token: user.token, ...(json && { json }) });
      expect({ method, path, status: Math.floor(status / 100), body }).toMatchObject({ status: 2 });
    }
  };
  try {
    const [ada, bob] = [await registeredUser({}, stack), await registeredUser({ name: "Bob" }, stack)];
    const picture = { assets: [{ key: "3-1-abc", type: "image", size: "preview" }] };
    await successes(ada, [
      ["PUT", "/self", { name: "Ada Lovelace", ...picture }],
      ["PUT", "/self", { accent_id: 3, ...picture }],
      ["PUT", "/self/locale", { locale: "de" }],
      ["PUT", "/self/handle", { handle: `ada-${Date.now()}` }],
      ["PUT", "/properties/theme", { colour: "green" }],
      ["PUT", "/properties/sound", { volume: 1 }],
      ["PUT", "/properties/theme", { colour: "blue" }],
      ["PUT", "/self/password", { old_password: ada.password, new_password: "another good password" }],
    ]);
    const password = "another good password";
    await logIn({ ...ada, password }, { apis: stack });
    const { token = "" } = { token: (await logIn({ ...ada, password }, { apis: stack })).body.access_token };
    const present = { ...ada, token };

    const device = await registerDevice(present, { label: "Phone", password }, { publicApi });
    const second = await registerDevice(present, { label: "Tablet", password }, { publicApi });
    await successes(present, [
      ["PUT", `/clients/${device.body.id}`, { label: "Old phone", prekeys: newDevice().prekeys }],
      ["POST", "/cookies/remove", { password, ids: [1] }],
    ]);
    await publicApi("DELETE", `/clients/${second.body.id}`, { token, json: { password } });

    await connectUsers(present, bob, stack);
    await updateConnection(bob, present, "blocked", stack);
    await updateConnection(bob, present, "accepted", stack);
    const { body: group } = await createConversation(present, { name: "Engines", with: [bob] }, stack);
    const path = `/conversations/parley.localhost/${group.qualified_id.id}`;
    const cid = await registeredUser({ name: "Cid" }, stack);
    await connectUsers(present, cid, stack);
    await successes(present, [
      ["PUT", `${path}/name`, { name: "Analytical engines" }],
      ["PUT", `${path}/message-timer`, { message_timer: 60_000 }],
      ["POST", `${path}/members`, { qualified_users: qualified(cid), conversation_role: "svc_member" }],
      ["PUT", `${path}/members/parley.localhost/${bob.id}`, { conversation_role: "svc_admin" }],
      ["PUT", `${path}/self`, { otr_archived: true, otr_archived_ref: "then" }],
      ["DELETE", `${path}/members/parley.localhost/${cid.id}`],
      ["GET", "/notifications?size=100"],
      ["GET", "/clients"],
    ]);

    const team = await newTeam({}, stack);
    const mate = await team.add("member");
    await changePermissions(team, team.owner, mate, permissionsOf("admin"), stack);
    await successes(team.owner, [
      ["PUT", `/teams/${team.id}`, { name: "Difference engines" }],
      ["GET", `/teams/${team.id}/members`],
    ]);
    for (const ttl of [100, 200])
      await internalApi("PUT", `/i/teams/${team.id}/features/selfDeletingMessages`, {
        json: { status: "enabled", config: { enforcedTimeoutSeconds: ttl }, lockStatus: "unlocked" },
      });

    const directory = await newDirectory({ hasProvider: true, team }, stack);
    const fields = newUserFields();
    const { body: user } = await directory.create(fields);
    await directory.replace(user.id, { ...fields, displayName: "Augusta" });
    await directory.replace(user.id, { ...fields, displayName: "Augusta", active: false });
    expect(losses).toEqual([]);

    // Checks the check: the field that it adds is there.
    const accounts = new Table({ dynamo: createDynamo(), config: stackConfig(stack.prefix) }, "accounts");
    const stored = (await accounts.get({ pk: `user#${ada.id}`, sk: "account" })) as Item & { assets: Item[] };
    expect([stored.name, stored[unknownField], stored.assets[0]?.[unknownField]]).toEqual([
      "Ada Lovelace",
      "kept",
      "kept",
    ]);
  } finally {
    end();
  }
});

it("a field that another version stores under another name is reported as unknown", async () => {
  const stack = await ownStack();
  const { id } = await registeredUser({}, stack);
  expect(await unknownAttributes(stack.prefix)).toEqual([]);
  const renamed = new UpdateCommand({
    TableName: stack.tableName("accounts"),
    Key: { pk: `user#${id}`, sk: "account" },
    UpdateExpression: "SET username = :handle",
    ExpressionAttributeValues: { ":handle": "ada" },
  });
  await createDynamo().send(renamed);
  expect(await unknownAttributes(stack.prefix)).toEqual(["accounts/account.username"]);
});
