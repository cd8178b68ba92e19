import { createHash } from "node:crypto";
import { mkdtempSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, expect, it } from "vitest";
import { BucketReader } from "#lib/personal-data/bucket-reader.ts";
import { certifyErasure, type Erased } from "#lib/personal-data/certify-erasure.ts";
import { addressNames, findItems, findPerson } from "#lib/personal-data/find-items.ts";
import { objectReader } from "#lib/personal-data/object-reader.ts";
import { isNamedIn, isOf } from "#lib/personal-data/person.ts";
import { TableReader } from "#lib/personal-data/table-reader.ts";
import { type Manifest, writeExport } from "#lib/personal-data/write-export.ts";
import { allItemKinds, kindOf, nameOf } from "#lib/releases/item-kinds.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { toAsciiAddress } from "#shared/platform/email-address.ts";
import { type BucketName, buckets } from "#shared/registry/buckets.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { type TableName, tables } from "#shared/registry/tables.ts";
import { mixed } from "../../support/assets.ts";
import { connectUsers } from "../../support/connections.ts";
import { createConversation } from "../../support/conversations.ts";
import { registerDevice } from "../../support/devices.ts";
import { eventually } from "../../support/eventually.ts";
import { newMlsDevice } from "../../support/key-packages.ts";
import { newMlsClient } from "../../support/mls.ts";
import { newApp, newTokens } from "../../support/oauth.ts";
import { type OwnStack, ownStack, stopOwnStacks } from "../../support/own-stack.ts";
import { newPushToken, pushApplications, registerPushToken } from "../../support/push-tokens.ts";
import { openSocket } from "../../support/socket.ts";
import { newTeam } from "../../support/teams.ts";
import { uploadBody } from "../../support/upload-body.ts";
import { logIn, newEmail, newUser, type User } from "../../support/users.ts";
import { filesIn } from "../../support/zip.ts";

afterAll(stopOwnStacks);

const settings = parseSettings({});
const bucketNames = Object.keys(buckets) as BucketName[];
const tableNames = Object.keys(tables) as TableName[];
const readerOf = ({ prefix }: OwnStack) =>
  new TableReader(createDynamo(), new Map(tableNames.map((name) => [name, `${prefix}-${name}`])));

const bucketsOf = ({ prefix }: Pick<OwnStack, "prefix">) =>
  new BucketReader(new Map(bucketNames.map((name) => [name, `${prefix}-${name}`])));
const certifyIn = (stack: OwnStack, erased: Erased, at = stack.clock()) =>
  certifyErasure({ tables: readerOf(stack), buckets: bucketsOf(stack) }, erased, at);

/** A member of a team who has something of everything. */
async function busyMember(stack: OwnStack): Promise<{ user: User; peer: User; assetKey: string }> {
  const { publicApi, internalApi, prefix } = stack;
  const team = await newTeam({}, stack);
  const [user, peer] = await Promise.all([team.add("admin"), newUser({ name: "Peer" }, stack)]);
  const { token } = user;
  const expectDone = async (answering: Promise<{ status: number; body: unknown }>) => {
    const { status, body } = await answering;
    expect({ status, body: status < 300 ? {} : body }).toEqual({ status, body: {} });
    return body as { id: string; key: string };
  };
  await connectUsers(user, peer, stack);
  const handle = `h${user.id.replaceAll("-", "").slice(0, 12)}`;
  await expectDone(publicApi("PUT", "/self/handle", { token, json: { handle } }));
  await expectDone(publicApi("PUT", "/properties/theme", { token, json: { dark: true } }));
  const rich_info = { version: 0, fields: [{ type: "Floor", value: "4th" }] };
  await expectDone(internalApi("PUT", `/i/users/${user.id}/rich-info`, { json: { rich_info } }));
  await expectDone(createConversation(user, { with: [peer], name: "Plans" }, stack));
  const { key: assetKey } = await expectDone(
    publicApi("POST", "/v8/assets", { token, headers: mixed, body: uploadBody() }),
  );
  const { cookie } = await logIn(user, { apis: stack });
  await expectDone(publicApi("PUT", "/access/self/email", { token, cookie, json: { email: newEmail() } }));
  await logIn({ ...user, password: "wrong password" }, { apis: stack });
  await publicApi("PUT", "/self/password", {
    token,
    json: { old_password: "wrong password", new_password: "another password" },
  });
  const capabilities = ["consumable-notifications"];
  const { id: client } = await expectDone(
    registerDevice(user, { password: user.password, capabilities }, { publicApi }),
  );
  await publicApi("GET", `/v8/clients/${client}/nonce`, { token });
  const device = await newMlsDevice(user, { publicApi, prefix });
  await expectDone(
    publicApi("POST", `/v8/mls/key-packages/self/${device.clientId}`, {
      token: device.token,
      json: { key_packages: [await device.make()] },
    }),
  );
  await expectDone(registerPushToken(user, newPushToken({ client }), { publicApi }));
  await newTokens(await newApp({}, stack), user, {}, stack);
  await expectDone(publicApi("POST", "/password-reset", { json: { email: user.email } }));
  await openSocket(`/await?access_token=${token}&client=${client}`, {}, stack);
  return { user, peer, assetKey };
}

const isAddress = (name: string) => name.includes("@");

/**
 * Numbers of a user's items by kind, as a scan of all tables finds them: any item with one of the user's addresses
 * counts.
 */
async function scannedKinds(reader: TableReader, userId: string): Promise<Record<string, number>> {
  await allItemKinds();
  const person = await findPerson(reader, userId, settings);
  const counts: Record<string, number> = {};
  for (const table of tableNames) {
    for await (const item of reader.scan(table)) {
      const kind = kindOf(table, item);
      if (kind === undefined || !("user" in kind.subject)) continue;
      const isHers = isOf(kind, item, person.names);
      const hasAddress = isNamedIn(item, new Set([...person.names].filter(isAddress)));
      expect({ item, isHers }).toEqual({ item, isHers: isHers || hasAddress });
      if (!isHers) continue;
      counts[nameOf(kind)] = (counts[nameOf(kind)] ?? 0) + 1;
    }
  }
  return counts;
}

async function exportOf(stack: OwnStack, userId: string) {
  const reader = readerOf(stack);
  const person = await findPerson(reader, userId, settings);
  const file = join(mkdtempSync(join(tmpdir(), "export-")), "data.zip");
  const items = await findItems(reader, person, settings);
  const readObject = objectReader(`${stack.prefix}-assets`);
  await writeExport({ userId, items, readObject, file, now: stack.clock() });
  const contents = await filesIn(file);
  const textOf = (name: string) => Buffer.from(contents.get(name) ?? []).toString();
  return { file, contents, textOf, manifest: JSON.parse(textOf("manifest.json")) as Manifest };
}

/** Kinds that a user with everything has. */
const kindsOfEverything = [
  ...["account", "claim", "password-checks", "rich-info", "sessions"].map((kind) => `accounts/${kind}`),
  ...["devices", "last-prekey", "nonce", "prekeys"].map((kind) => `clients/${kind}`),
  ...["assets/asset", "codes/code", "key-packages/key-package", "notifications/notification"],
  ...["connections/connection", "connections/count", "conversations/list-entry", "conversations/member"],
  ...["authorization-code", "grants", "refresh-token"].map((kind) => `oauth/${kind}`),
  ...["properties/index", "properties/value", "search/directory", "search/user", "search/word"],
  ...["device-marker", "device-queue", "owner", "push-endpoint", "push-tokens", "socket", "socket-list"].map(
    (kind) => `sockets/${kind}`,
  ),
  ...["teams/admin", "teams/member"],
];

it("an export has every kind of a user's items, and a certificate after the deletion says that only what is declared remains", async () => {
  const stack = await ownStack({
    pushApplications,
    setLimitFailedLogins: { timeout: 600, retryLimit: 5 },
  });
  const reader = readerOf(stack);
  const { user, peer, assetKey } = await busyMember(stack);
  const { file, contents, textOf, manifest } = await eventually(async () => {
    const exported = await exportOf(stack, user.id);
    expect(exported.manifest.kinds).toEqual(await scannedKinds(reader, user.id));
    expect(Object.keys(exported.manifest.kinds)).toEqual(expect.arrayContaining(kindsOfEverything));
    return exported;
  });

  expect(statSync(file).mode & 0o777).toBe(0o600);
  for (const { name, bytes, sha256 } of manifest.files) {
    const content = contents.get(name) ?? Buffer.of();
    const digest = createHash("sha256").update(content).digest("hex");
    expect({ name, bytes: content.length, digest }).toEqual({ name, bytes, digest: sha256 });
  }
  expect([...contents.keys()].toSorted()).toEqual(
    ["manifest.json", ...manifest.files.map(({ name }) => name)].toSorted(),
  );
  expect(contents.get(`assets/${assetKey}`)?.length).toBeGreaterThan(0);
  const everything = [...contents.keys()].map(textOf).join("\n");
  expect(everything).toContain(user.email);
  for (const foreign of [peer.email, "Peer", "scrypt", 'tokenHash":'])
    expect(everything).not.toContain(foreign);

  const certify = async (at = stack.clock()) => {
    const person = await findPerson(reader, user.id, settings, [user.email]);
    return certifyIn(stack, { userIds: [user.id], names: person.names }, at);
  };
  const before = await certify();
  expect(before).toMatchObject({ isAsDeclared: false, hasTombstones: false });
  const json = { password: user.password };
  await stack.publicApi("DELETE", "/self", { token: user.token, json });
  // The second look waits for requests that had begun before.
  await eventually(async () => {
    const { "outbox/message": _, ...others } = (await certify()).unexpected;
    expect(others).toEqual({});
  });
  stack.advance(61);
  const certificate = await eventually(async () => {
    const current = await certify();
    expect(current.unexpected).toEqual({});
    return current;
  });
  expect(certificate).toMatchObject({ isAsDeclared: true, remaining: { "accounts/account": { count: 1 } } });

  // An expired item might be gone.
  const inAMinute = stack.clock() + 60_000;
  const purgeAtSeconds = Math.floor(inAMinute / 1000) - 1;
  const put = (table: TableName, Item: object) =>
    createDynamo().send(new PutCommand({ TableName: `${stack.prefix}-${table}`, Item }));
  await put("properties", { owner: `user#${user.id}`, entry: "value#theme#0" });
  await put("connections", { owner: `user#${peer.id}`, entry: `peer#${user.id}` });
  await put("clients", { owner: "future#1", entry: "1", bytes: Buffer.from(`${user.email}:1`) });
  await put("oauth", { owner: "code#1", entry: "code", userId: user.id, purgeAtSeconds });
  expect(await certify(inAMinute)).toMatchObject({
    isAsDeclared: false,
    unexpected: { "properties/value": 1, "connections/connection": 1, "clients/unknown": 1 },
    expired: { "oauth/authorization-code": 1 },
  });
});

it("an export finds items that spell an address in ASCII, and the account as it was sent", async () => {
  const stack = await ownStack();
  const reader = readerOf(stack);
  const user = await newUser({ email: newEmail().replace("example", "b\u00fccher.example") }, stack);
  const address = toAsciiAddress(user.email);
  expect(address).not.toBe(user.email);
  const expiresAtSeconds = Math.floor(stack.clock() / 1000) + 60;
  const Item = { address, reason: "bounce", expiresAtSeconds };
  await createDynamo().send(new PutCommand({ TableName: `${stack.prefix}-mail-suppressions`, Item }));
  const person = await findPerson(reader, user.id, settings);
  const kind = "mail-suppressions/suppression";
  expect([...(await findItems(reader, person, settings)).keys()]).toContain(kind);
  for (const names of [person.names, new Set([user.id, ...addressNames([user.email], settings)])]) {
    const certificate = await certifyIn(stack, { userIds: [user.id], names });
    expect(certificate.remaining).toHaveProperty([kind]);
  }
});

it("an erasure leaves neither notifications of the account nor invitations to its address", async () => {
  const stack = await ownStack();
  const { publicApi } = stack;
  const reader = readerOf(stack);
  const team = await newTeam({}, stack);
  const email = newEmail();
  const json = { email, role: "member", inviter_name: "Owner" };
  const invited = await publicApi("POST", `/teams/${team.id}/invitations`, { token: team.owner.token, json });
  expect(invited.status).toBe(201);
  const user = await newUser({ email }, stack);
  const capabilities = ["consumable-notifications"];
  await registerDevice(user, { password: user.password, capabilities }, { publicApi });
  await publicApi("PUT", "/self", { token: user.token, json: { name: "Zoe Quill" } });
  const { names } = await findPerson(reader, user.id, settings, [user.email]);
  const certify = () => certifyIn(stack, { userIds: [user.id], names });
  await eventually(async () =>
    expect((await certify()).remaining["notifications/notification"]?.count).toBeGreaterThan(2),
  );
  expect((await certify()).unexpected).toHaveProperty("teams/invitation");

  stack.advance(1);
  await publicApi("DELETE", "/self", { token: user.token, json: { password: user.password } });
  await eventually(async () => expect(Object.keys((await certify()).unexpected)).toEqual(["outbox/message"]));
  stack.advance(61);
  const certificate = await eventually(async () => {
    const current = await certify();
    expect(current.unexpected).toEqual({});
    return current;
  });
  expect(certificate.remaining).not.toHaveProperty("notifications/notification");
  expect(certificate).toMatchObject({ isErased: true, isAsDeclared: true });
  expect(certificate.lookedAt.tables.notifications).toEqual(expect.any(Number));
});

it("a certificate says what buckets still have of an erased person whom nothing else names", async () => {
  const stack = await ownStack();
  const { publicApi, prefix } = stack;
  const user = await newUser({ name: "Zoe Quill" }, stack);
  const handle = `zoe${user.id.slice(0, 8)}`;
  await publicApi("PUT", "/self/handle", { token: user.token, json: { handle } });
  const headers = { ...mixed, authorization: `Bearer ${user.token}` };
  const body = uploadBody({ content: "a file", boundary: "frontier" });
  const sent = await publicApi("POST", "/v9/assets", { headers, body });
  expect(sent.status).toBe(201);
  const { names } = await findPerson(readerOf(stack), user.id, settings, [user.email]);
  await publicApi("DELETE", "/self", { token: user.token, json: { password: user.password } });
  const certify = () =>
    certifyIn(stack, { userIds: [user.id], names: new Set([...names, user.email, handle]) });
  await eventually(async () => expect(Object.keys((await certify()).unexpected)).toEqual(["outbox/message"]));
  stack.advance(61);
  await eventually(async () => expect((await certify()).unexpected).toEqual({}));
  stack.advance(3 * 3600);
  await stack.invoke("audit-sealer", {});

  const certificate = await certify();
  expect(certificate).toMatchObject({
    isAsDeclared: true,
    remaining: { files: { count: 1, bytes: "a file".length } },
    mentioning: { "files of the audit trail": { count: 1, isEmptied: true } },
    lookedAt: { buckets: { assets: 1 } },
  });
  expect(certificate.lookedAt.buckets.audit).toBeGreaterThan(0);

  const found: string[] = [];
  const search = (place: string, text: string) => {
    if ([user.email, handle, "Zoe Quill"].some((name) => text.includes(name))) found.push(place);
  };
  for (const table of tableNames)
    for await (const item of readerOf(stack).scan(table)) search(table, JSON.stringify(item));
  for (const bucket of bucketNames)
    for await (const { name } of bucketsOf(stack).objects(bucket))
      search(name, (await bucketsOf(stack).text(bucket, name)) ?? "");
  const sqs = new SQSClient();
  for (const [queue, QueueUrl] of Object.entries(stack.queueUrls)) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }),
    );
    search(queue, JSON.stringify(Messages));
  }
  expect(found).toEqual([]);

  // No code writes an address there, so the test does.
  const Body = `${JSON.stringify({ target: { address: user.email } })}\n`;
  const s3 = new S3Client();
  await s3.send(
    new PutObjectCommand({ Bucket: `${prefix}-audit`, Key: "installation/2026-11-27/05.jsonl", Body }),
  );
  expect(await certify()).toMatchObject({
    isAsDeclared: false,
    isErased: false,
    unexpected: { "files of the audit trail": 1 },
  });
});

it("a certificate says that others' notifications still have the name of an erased person", async () => {
  const stack = await ownStack();
  const [zoe, ben] = await Promise.all([newUser({ name: "Zoe Quill" }, stack), newUser({}, stack)]);
  await connectUsers(zoe, ben, stack);
  await stack.publicApi("DELETE", "/self", { token: zoe.token, json: { password: zoe.password } });
  const { names } = await findPerson(readerOf(stack), zoe.id, settings, [zoe.email]);
  const certify = () => certifyIn(stack, { userIds: [zoe.id], names });
  await eventually(async () => expect(Object.keys((await certify()).unexpected)).toEqual(["outbox/message"]));
  stack.advance(61);
  await eventually(async () => expect((await certify()).unexpected).toEqual({}));

  const texts: string[] = [];
  for await (const item of readerOf(stack).scan("notifications")) texts.push(JSON.stringify(item));
  expect(texts.join("")).toContain("Zoe Quill");
  const { isErased, mentioning } = await certify();
  expect(isErased).toBe(false);
  expect(mentioning["notifications/notification"]).not.toHaveProperty("isEmptied");
});

it("a certificate confirms the erasure of a member whose device is still in an MLS group", async () => {
  const stack = await ownStack();
  const { publicApi, prefix } = stack;
  const reader = readerOf(stack);
  const [ada, bob] = await Promise.all([newUser({}, stack), newUser({}, stack)]);
  await connectUsers(ada, bob, stack);
  const device = await newMlsClient(ada, { packages: 1, publicApi, prefix });
  await newMlsClient(bob, { packages: 1, publicApi, prefix });
  const { body } = await createConversation(ada, { protocol: "mls" }, stack);
  await device.create(body.group_id);
  await device.add(bob);
  await publicApi("DELETE", "/self", { token: bob.token, json: { password: bob.password } });
  const erased = { userIds: [bob.id], names: (await findPerson(reader, bob.id, settings)).names };
  const certificate = await eventually(async () => {
    const current = await certifyIn(stack, erased);
    const { "outbox/message": _, ...others } = current.unexpected;
    expect(others).toEqual({});
    return current;
  });
  expect(certificate).toMatchObject({
    hasTombstones: true,
    mentioning: { "conversations/mls-group-info": { count: 1 } },
  });
});

it("a certificate confirms nothing for an id that no account ever had", async () => {
  const stack = await ownStack();
  const unknown = "00000000-0000-4000-8000-000000000000";
  const erased = { userIds: [unknown], names: new Set([unknown]) };
  const certificate = await certifyIn(stack, erased);
  expect(certificate).toMatchObject({ isAsDeclared: false, hasTombstones: false, unexpected: {} });
});
