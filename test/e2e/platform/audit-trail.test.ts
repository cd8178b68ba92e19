import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { hourOf, partOf } from "#shared/platform/audit/audit-record.ts";
import { addressMark } from "#shared/platform/audit/audited.ts";
import { fileNameOf, firstHash } from "#shared/platform/audit/chain-file.ts";
import { batchPut } from "#shared/platform/data/batch-write.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { permissionsOf } from "#shared/teams/permissions.ts";
import { adminOf } from "../../support/admin.ts";
import { internalApi, outcome, api as publicApi } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { createConversation, qualified } from "../../support/conversations.ts";
import { registerDevice } from "../../support/devices.ts";
import { eventually } from "../../support/eventually.ts";
import { removal } from "../../support/mls.ts";
import { newMlsGroupOf, newPeople } from "../../support/mls-groups.ts";
import { newAuthorization } from "../../support/oauth.ts";
import { type OwnStack, ownStack } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam } from "../../support/teams.ts";
import { newEmail, newUser, registeredUser } from "../../support/users.ts";

const since = new Date(Date.now() - 60_000).toISOString();

/** Records of one subject, the oldest first. */
async function recordsOf(subject: Record<string, string>): Promise<Record<string, never>[]> {
  const query = new URLSearchParams({ from: since, ...subject });
  const { status, body } = await internalApi("GET", `/i/audit?${query}`);
  expect(status).toBe(200);
  return body.records;
}

const cursorAt = (hour: string) =>
  Buffer.from(JSON.stringify({ kind: "audit-records", hour, skip: 0 })).toString("base64url");

describe("the audit trail", () => {
  it("says who has changed what, and from where", async () => {
    const user = await registeredUser();
    await publicApi("PUT", "/self", { token: user.token, json: { name: "Grace" } });
    const records = await recordsOf({ user: user.id });
    expect(records.map(({ event }) => event)).toEqual([
      "account.registered",
      "account.activated",
      "session.started",
      "account.profile-changed",
    ]);
    expect(records[3]).toMatchObject({
      actor: { kind: "user", user: user.id },
      operation: "put-self",
      network: "127.0.0.1",
      request_id: expect.any(String),
    });
  });

  it("names the members who come or go by a commit, and has no record of other commits", async () => {
    const [ada, bob] = await newPeople(2);
    const { id } = await newMlsGroupOf(ada, bob);
    await ada.mustCommit();
    await ada.mustCommit(removal(bob.leafIndex));
    const records = await recordsOf({ user: ada.user.id });
    const commits = records.filter(({ operation }) => operation === "mls-commit-bundle");
    expect(commits).toMatchObject([
      { event: "conversation.members-committed", target: { cid: id, joined: bob.user.id } },
      { event: "conversation.members-committed", target: { cid: id, left: bob.user.id } },
    ]);
  });

  it("names the first members of a conversation, and counts the rest", async () => {
    const creator = await newUser();
    const { body } = await createConversation(creator, { name: "Alone" });
    const [record] = (await recordsOf({ user: creator.id })).slice(-1);
    expect(record).toMatchObject({
      event: "conversation.created",
      target: { cid: body.qualified_id.id, joined: creator.id },
    });
  });

  it("counts refusals of a token of another class, with the user whose token it is", async () => {
    const { user, tokens } = await newAuthorization();
    const token = tokens.access_token;
    const change = () => publicApi("PUT", "/self", { token, json: { name: "Mallory" } });
    expect(await Promise.all([change(), change()])).toMatchObject([{ status: 403 }, { status: 403 }]);
    const refused = (await recordsOf({ user: user.id })).filter(({ error }) => error !== undefined);
    expect(refused).toMatchObject([
      {
        operation: "put-self",
        error: "token-class-forbidden",
        count: 2,
        actor: { kind: "oauth", user: user.id },
        target: {},
      },
    ]);
  });

  it("has actions of operators on members in the team's part, and distinguishes suspensions from resumptions", async () => {
    const { id: team, owner } = await newTeam();
    const client = (await registerDevice(owner)).body.id;
    const setStatus = (status: string) =>
      internalApi("PUT", `/i/users/${owner.id}/status`, { json: { status } });
    await internalApi("DELETE", `/i/users/${owner.id}/clients/${client}`);
    await setStatus("suspended");
    await setStatus("active");
    const records = await recordsOf({ team });
    expect(records.filter(({ operation }) => `${operation}`.startsWith("i-"))).toMatchObject([
      { event: "device.removed", target: { uid: owner.id, client } },
      { event: "account.status-changed", target: { uid: owner.id, status: "suspended" } },
      { event: "account.status-changed", target: { uid: owner.id, status: "active" } },
    ]);
  });

  it("has nothing in a team's part about actions of outsiders on its members, or their attempts on the team", async () => {
    const [{ id: team, owner }, stranger] = [await newTeam(), await newUser()];
    const { token } = stranger;
    const path = `/v9/connections/${localDomain}/${owner.id}`;
    expect((await publicApi("POST", path, { token })).status).toBe(201);
    const block = { token, json: { status: "cancelled" } };
    expect((await publicApi("PUT", path, block)).status).toBe(200);
    const rename = { token, json: { name: "Ours" } };
    expect((await publicApi("PUT", `/v9/teams/${team}`, rename)).status).toBe(403);
    const deletion = { token: owner.token, json: { password: "wrong" } };
    expect((await publicApi("DELETE", `/v9/teams/${team}`, deletion)).status).toBe(403);

    const own = await recordsOf({ user: stranger.id });
    expect(own.map(({ operation }) => operation)).toEqual(
      expect.arrayContaining(["create-connection", "update-connection", "update-team"]),
    );
    const records = await recordsOf({ team });
    expect(JSON.stringify(records)).not.toContain(stranger.id);
    // Attempts of its members are in its part.
    expect(records.at(-1)).toMatchObject({ operation: "delete-team", error: expect.any(String) });
  });

  it("has actions of operators on behalf of members in the team's part", async () => {
    const { id: team, owner } = await newTeam();
    const json = { name: "Plans", team: { teamid: team }, qualified_users: [], protocol: "proteus" };
    const headers = { "z-user": owner.id };
    expect((await internalApi("POST", "/conversations", { headers, json })).status).toBe(201);
    expect(await recordsOf({ team })).toMatchObject([
      { event: "conversation.created", actor: { kind: "operator", user: owner.id }, team },
    ]);
  });

  it("says what an operator has changed, and for whom", async () => {
    const { id: team, owner, add } = await newTeam();
    const member = await add();
    const setRole = { member: { user: member.id, permissions: permissionsOf("owner") } };
    await internalApi("PUT", `/i/teams/${team}/members`, { json: setRole });
    await internalApi("PATCH", `/i/teams/${team}/features/fileSharing`, { json: { status: "disabled" } });
    await internalApi("PUT", `/i/teams/${team}/features/fileSharing/locked`);
    const email = newEmail();
    const headers = { "z-user": owner.id };
    await internalApi("PUT", "/i/self/email?activate=true&validate=false", { headers, json: { email } });
    const made = (await recordsOf({ team })).filter(({ event }) => event !== "personal-data.read");
    const by = { kind: "operator", principal: expect.stringContaining("arn:") };
    expect(made.filter(({ operation }) => `${operation}`.startsWith("i-")).slice(-4)).toMatchObject([
      {
        target: { tid: team, uid: member.id },
        changes: { role: { before: "member", after: "owner" } },
        actor: by,
      },
      {
        target: { tid: team, feature: "fileSharing" },
        changes: { status: { before: "enabled", after: "disabled" } },
      },
      { target: { feature: "fileSharing" }, changes: { lock: { before: "unlocked", after: "locked" } } },
      {
        target: { uid: owner.id },
        changes: { email: { before: addressMark(owner.email), after: addressMark(email) } },
        actor: by,
      },
    ]);
  });

  it("shows addresses in part where the settings say so", async () => {
    const { internalApi: call } = await stackWith({ auditAddresses: "masked" });
    const user = await newUser();
    await call("GET", `/i/users?email=${encodeURIComponent(user.email)}`);
    const read = (await recordsOf({ user: user.id })).at(-1);
    expect(read).toMatchObject({
      target: { email: `${user.email[0]}***${user.email.replace(/^[^@]*/, "")}` },
    });
  });

  it("says what operators have read of a user, on their own behalf and on behalf of users", async () => {
    const user = await newUser();
    const headers = { "z-user": user.id };
    await internalApi("GET", `/i/users?email=${encodeURIComponent(user.email)}`);
    await internalApi("GET", `/i/users/${user.id}/limits`);
    await internalApi("GET", "/clients", { headers });
    await internalApi("GET", `/i/users/${user.id}/verification-code/login`);
    const records = await recordsOf({ user: user.id });
    const reads = records.filter(({ operation }) => operation !== "i-get-activation-code");
    expect(reads.slice(-4)).toMatchObject([
      {
        event: "personal-data.read",
        operation: "i-get-users",
        actor: { kind: "operator", principal: expect.stringContaining("arn:") },
        target: { uid: user.id, email: addressMark(user.email.toLowerCase()) },
      },
      { event: "personal-data.read", operation: "i-get-user-limits", target: { uid: user.id } },
      { event: "personal-data.read", operation: "list-clients-v0", target: { uid: user.id } },
      { operation: "i-get-verification-code", target: { uid: user.id, action: "login" } },
    ]);
  });

  it("counts everything that an operator was refused", async () => {
    const uid = randomUUID();
    await internalApi("PUT", `/i/users/${uid}/status`, { json: { status: "suspended" } });
    await internalApi("GET", `/i/users/${uid}/status`);
    const refused = (await recordsOf({ user: uid })).map(({ operation, error, target }) => [
      operation,
      error,
      target,
    ]);
    expect(refused.toSorted()).toEqual([
      ["i-get-user-status", "not-found", { uid }],
      ["i-put-user-status", "not-found", { uid, status: "suspended" }],
    ]);
  });

  it("names the user for whom an operator was refused a change", async () => {
    const [user, other] = [await newUser(), await newUser()];
    const headers = { "z-user": user.id };
    const query = "activate=true&validate=false";
    const json = { email: other.email };
    const { status } = await internalApi("PUT", `/i/self/email?${query}`, { headers, json });
    expect(status).toBe(409);
    const refused = (await recordsOf({ user: user.id })).filter(({ error }) => error !== undefined);
    expect(refused).toMatchObject([{ operation: "i-change-self-email", target: { uid: user.id } }]);
  });

  it("says that operators have read a user by id, alone or among others", async () => {
    const users = await Promise.all(Array.from({ length: 8 }, () => newUser()));
    const ids = users.map(({ id }) => id).toSorted();
    const [first = "", last = ""] = [ids[0], ids.at(-1)];
    await internalApi("GET", `/i/users?ids=${first}`);
    await internalApi("GET", `/i/users?ids=${ids.join(",")}`);
    const together = { operation: "i-get-users", target: { uids: ids.join(" ") } };
    expect((await recordsOf({ user: first })).slice(-2)).toMatchObject([
      { operation: "i-get-users", target: { uid: first } },
      together,
    ]);
    expect((await recordsOf({ user: last })).slice(-1)).toMatchObject([together]);
    await internalApi("GET", `/i/users/rich-info?ids=${ids.join(",")}`);
    expect((await recordsOf({ user: last })).slice(-1)).toMatchObject([{ operation: "i-get-rich-infos" }]);
  });

  it("has reads of members in their team's part, of one or several", async () => {
    const { id: team, owner, add } = await newTeam();
    const member = await add();
    await internalApi("GET", `/i/users?ids=${owner.id},${member.id}`);
    await internalApi("GET", `/i/users/${member.id}/verification-code/login`);
    expect((await recordsOf({ team })).slice(-2)).toMatchObject([
      { operation: "i-get-users" },
      { operation: "i-get-verification-code", target: { uid: member.id } },
    ]);
  });

  it("finds what happened to a user where a record names several", async () => {
    const { id: team, owner, add } = await newTeam();
    const member = await add();
    const json = { name: "Plans", team: { teamid: team }, qualified_users: qualified(member) };
    await createConversation(owner, json);
    const records = await recordsOf({ user: member.id });
    expect(records).toContainEqual(expect.objectContaining({ event: "conversation.created" }));
  });

  it("names a deleted conversation of a team", async () => {
    const { id: team, owner } = await newTeam();
    const { body } = await createConversation(owner, { name: "Plans", team: { teamid: team } });
    await publicApi("DELETE", `/teams/${team}/conversations/${body.qualified_id.id}`, { token: owner.token });
    expect((await recordsOf({ team })).at(-1)).toMatchObject({
      event: "conversation.deleted",
      target: { cid: body.qualified_id.id },
      changes: { name: { before: "Plans" } },
    });
  });

  it("says who has downloaded the list of a team's members", async () => {
    const { id: team, owner } = await newTeam();
    await publicApi("GET", `/teams/${team}/members/csv`, { token: owner.token });
    expect((await recordsOf({ team })).at(-1)).toMatchObject({
      event: "team.members-exported",
      actor: { kind: "user", user: owner.id },
      target: { tid: team },
    });
  });

  it("finds all actions from one network", async () => {
    const { id } = await registeredUser();
    const registered = await recordsOf({ user: id });
    expect(registered).not.toEqual([]);
    expect(await recordsOf({ user: id, network: "127.0.0.1" })).toEqual(registered);
    expect(await recordsOf({ user: id, network: "::ffff:127.0.0.1" })).toEqual(registered);
    expect(await recordsOf({ user: id, network: "198.51.100.7" })).toEqual([]);
  });

  it("does not read the hours before the trail began one by one", async () => {
    const stack = await ownStack();
    await stack.internalApi("POST", "/i/oauth/clients", {
      json: { application_name: "Calendar", redirect_url: "https://app.example.com/callback" },
    });
    const query = "chain=installation&from=1970-01-01T00:00:00Z&size=500";
    const pages = [];
    for (let start = ""; start !== undefined && pages.length < 8; ) {
      const { body } = await stack.internalApi("GET", `/i/audit?${query}${start && `&start=${start}`}`);
      pages.push(body.records);
      start = body.next;
    }
    expect(pages.length).toBeLessThan(8);
    expect(pages.flat()).toMatchObject([{ event: "app.registered" }]);
  });

  it("can be read from its beginning days later, even if the sealer has done nothing", async () => {
    const stack = await ownStack({}, { runsSchedulesAtStart: true });
    const user = await registeredUser({}, stack);
    const from = new Date(stack.clock() - 60_000).toISOString();
    const list = async () => (await stack.internalApi("GET", `/i/audit?user=${user.id}&from=${from}`)).body;
    const { records } = await list();
    expect(records).not.toEqual([]);
    stack.advance(3 * 86_400);
    await eventually(async () => expect((await list()).records).toEqual(records));
  });

  it.each([
    ["a cursor with an hour that no day has", { start: cursorAt("2026-99-99T99") }],
    ["a cursor with a day that no month has", { start: cursorAt("2026-02-31T05") }],
    ["a period that begins before the year 0", { from: "0000-01-01T00:00:00+14:00" }],
    ["a period that ends after the year 9999", { to: "9999-12-31T23:59:59-14:00" }],
  ])("refuses %s", async (_, wrong) => {
    const query = new URLSearchParams({ chain: "installation", from: since, ...wrong });
    expect(outcome(await internalApi("GET", `/i/audit?${query}`))).toBe("400 bad-request");
  });

  it("counts failed logins, with the user whose password was wrong", async () => {
    const user = await newUser();
    const logIn = () =>
      publicApi("POST", "/login", { json: { email: user.email, password: "wrong password" } });
    expect(await Promise.all([logIn(), logIn()])).toMatchObject([{ status: 403 }, { status: 403 }]);
    const refused = (await recordsOf({ user: user.id })).filter(({ error }) => error !== undefined);
    expect(refused).toMatchObject([
      { operation: "login", error: "invalid-credentials", count: 2, target: { uid: user.id } },
    ]);
  });
});

describe("pages of an hour", () => {
  const chain = `team-${randomUUID()}`;
  let stack: OwnStack;
  let start: number;
  beforeAll(async () => {
    stack = await ownStack();
    // An hour that has begun long enough ago for all of it to be in it.
    start = Date.parse(`${hourOf(stack.clock())}:00:00Z`) + 3_600_000;
    stack.advance((start - stack.clock()) / 1000 + 1800);
  });

  /** Put records into the trail; `refused` are attempts. @returns names, by which they are told apart */
  async function put(of: string, minutes: readonly number[], refused = 0): Promise<string[]> {
    const names: string[] = [];
    const common = (at: number) => {
      const name = randomUUID();
      names.push(name);
      const time = new Date(start + at * 60_000).toISOString();
      const record = { event: "team.changed", operation: "update-team", actor: { kind: "user" } };
      return { part: partOf(hourOf(start), of), time, ...record, target: { name } };
    };
    const items = minutes.map((at) => {
      const item = common(at);
      return { ...item, entry: `${of}#${item.time}#${randomUUID()}` };
    });
    const attempts = Array.from({ length: refused }, (_, index) => {
      const likeness = randomUUID().replaceAll("-", "").slice(0, 22);
      return { ...common(index), entry: `${of}#refused#${likeness}`, error: "access-denied", count: 2 };
    });
    await batchPut(createDynamo(), { tableName: stack.tableName("audit"), items: [...items, ...attempts] });
    return names;
  }

  async function page(query: Record<string, string>) {
    const from = new Date(start).toISOString();
    const search = new URLSearchParams({ from, ...query });
    const { status, body } = await stack.internalApi("GET", `/i/audit?${search}`);
    expect(status).toBe(200);
    const names = body.records.map(({ target }: { target: { name: string } }) => target.name);
    return { names: names as string[], next: body.next as string | undefined };
  }

  /** All pages. @param between what happens after the first one */
  async function allPages(query: Record<string, string>, between?: () => Promise<unknown>) {
    const names: string[] = [];
    let [next, pages]: [string | undefined, number] = [undefined, 0];
    do {
      const found = await page({ ...query, ...(next !== undefined && { start: next }) });
      names.push(...found.names);
      next = found.next;
      if (pages++ === 0) await between?.();
    } while (next !== undefined);
    return { names, pages };
  }

  it("have each record once although the hour is sealed between them, and read little more than they show", async () => {
    // Many records have the same time.
    const minutes = Array.from({ length: 230 }, (_, index) => Math.floor(index / 9) % 28);
    const expected = (await put(chain, minutes, 23)).toSorted();
    const all = await page({ chain, size: "500" });
    expect(all.next).toBeUndefined();
    expect(all.names.toSorted()).toEqual(expected);

    let items = 0;
    const stop = interceptAwsCalls(async (call, send) => {
      if (call.action === "Query" && call.body.includes("-audit")) items += JSON.parse(call.body).Limit;
      return send();
    });
    const unsealed = await allPages({ chain, size: "10" });
    stop();
    expect(unsealed.names).toEqual(all.names);
    expect(items / unsealed.pages).toBeLessThan(60);
    const during = await allPages({ chain, size: "10" }, async () => {
      stack.advance(3 * 3600);
      await stack.invoke("audit-sealer", {});
    });
    expect(during.names).toEqual(all.names);
    expect((await allPages({ chain, size: "10" })).names).toEqual(all.names);
  });

  it("begin the hour again for a cursor of an older version, which sorted records differently", async () => {
    const all = await page({ chain, size: "500" });
    const older = JSON.stringify({ kind: "audit-records", hour: hourOf(start), skip: 40 });
    const cursor = Buffer.from(older).toString("base64url");
    expect(all.names).not.toEqual([]);
    expect((await page({ chain, size: "500", start: cursor })).names).toEqual(all.names);
  });
});

describe("verifying a chain", () => {
  const daySeconds = 86_400;

  /** A stack with a team, whose records the sealer has written. */
  async function sealedTeam(added = 1) {
    // All of it belongs to one hour.
    const stack = await ownStack({}, { isClockStopped: true });
    const team = await newTeam({}, stack);
    const chain = `team-${team.id}`;
    await addRecords(stack, chain, added);
    const begun = new Date(stack.clock()).toISOString();
    stack.advance(3 * 3600);
    await stack.invoke("audit-sealer", {});
    const verify = async (...more: string[]) =>
      JSON.parse((await adminOf(stack).admin("audit", "verify", "--chain", chain, "--json", ...more)).stdout);
    return { stack, chain, begun, verify };
  }

  /** Add long records to the present hour of a chain, as if so much had happened. */
  async function addRecords(stack: OwnStack, chain: string, number: number): Promise<void> {
    const hour = hourOf(stack.clock());
    const items = Array.from({ length: number }, () => {
      const time = new Date(stack.clock()).toISOString();
      return {
        part: partOf(hour, chain),
        entry: `${chain}#${time}#${randomUUID()}`,
        time,
        event: "conversation.member-added",
        operation: "add-members-to-conversation",
        actor: { kind: "user", user: randomUUID() },
        target: { cid: randomUUID(), joined: Array.from({ length: 16 }, () => randomUUID()).join(" ") },
      };
    });
    await batchPut(createDynamo(), { tableName: stack.tableName("audit"), items });
  }

  it("works for an hour with more records than fit into an answer", async () => {
    const { verify } = await sealedTeam(7000);
    const verified = await verify();
    expect(verified).toMatchObject({ files: 1, records: 7000 });
    expect(verified).not.toHaveProperty("problem");
  });

  it("finds nothing wrong where nothing has happened since the given day", async () => {
    const { stack, verify } = await sealedTeam();
    stack.advance(100 * daySeconds);
    const day = new Date(stack.clock()).toISOString().slice(0, 10);
    expect(await verify("--from", day)).toEqual({
      chain: expect.any(String),
      files: 0,
      records: 0,
      hash: firstHash,
    });
  });

  it("finds nothing wrong where all records have expired, but reports records that are missing before", async () => {
    const { stack, chain, begun, verify } = await sealedTeam();
    const s3 = new S3Client({});
    const Key = fileNameOf(chain, hourOf(Date.parse(begun)));
    await s3.send(new DeleteObjectCommand({ Bucket: `${stack.prefix}-audit`, Key }));
    stack.advance(363 * daySeconds);
    expect(await verify()).toHaveProperty("problem");
    stack.advance(3 * daySeconds);
    expect(await verify()).not.toHaveProperty("problem");
  });

  /** Change a word in the sealed file of a chain. */
  async function tamper(stack: OwnStack, chain: string, begun: string): Promise<string> {
    const s3 = new S3Client({});
    const name = fileNameOf(chain, hourOf(Date.parse(begun)));
    const object = { Bucket: `${stack.prefix}-audit`, Key: name };
    const { Body } = await s3.send(new GetObjectCommand(object));
    const text = await Body?.transformToString();
    const changed = text?.replace("conversation.member-added", "conversation.member-gone");
    expect(changed).not.toBe(text);
    await s3.send(new PutObjectCommand({ ...object, Body: changed }));
    return name;
  }

  it("finds which of all chains is broken, as the worker does, and leaves their records readable", async () => {
    const { stack, chain, begun } = await sealedTeam(2);
    const { admin } = adminOf(stack);
    const all = async () => {
      const { code, stdout } = await admin("audit", "verify", "--all", "--json");
      const found: { chain: string; problem?: string }[] = JSON.parse(stdout);
      return { code, chains: found.length, broken: found.filter(({ problem }) => problem !== undefined) };
    };
    await stack.invoke("audit-verifier", {});
    expect(await all()).toEqual({ code: 0, chains: expect.any(Number), broken: [] });

    const file = await tamper(stack, chain, begun);
    expect(await all()).toMatchObject({ code: 1, broken: [{ chain }] });
    await stack.invoke("audit-verifier", {});
    stack.advance(daySeconds);
    await expect(stack.invoke("audit-verifier", {})).rejects.toThrow(chain);

    const list = await admin("audit", "list", "--chain", chain, "--from", begun.slice(0, 10), "--json");
    expect(list).toMatchObject({ code: 1, stderr: expect.stringContaining(file) });
    const events = JSON.parse(list.stdout).map(({ event }: { event: string }) => event);
    expect(events).toEqual(["conversation.member-gone", "conversation.member-added"]);
  });

  it("detects whether an export is as it was written, and whether the trail still matches it", async () => {
    const { stack, chain, begun } = await sealedTeam(2500);
    const { admin, resultOf } = adminOf(stack);
    const [folder, id] = [mkdtempSync(join(tmpdir(), "audit-")), chain.slice("team-".length)];
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const out = join(folder, "team.zip");
    await resultOf("team", "suspend", id);
    const to = new Date(stack.clock() + 1000).toISOString();
    const exported = await resultOf(
      "audit",
      "export",
      "--team",
      id,
      "--from",
      begun,
      "--to",
      to,
      "--out",
      out,
    );
    expect(exported).toMatchObject({ chain, records: { sealed: 2500, open: 1 }, damaged: [] });
    const verify = async () =>
      JSON.parse((await admin("audit", "verify", "--archive", out, "--json")).stdout);
    const verified = await verify();
    expect(verified).toMatchObject({ signedBy: localDomain, files: 1 });
    expect(verified).not.toHaveProperty("problem");

    const name = await tamper(stack, chain, begun);
    expect(await verify()).toMatchObject({ problem: `${name} differs from that in the trail` });
    writeFileSync(out, readFileSync(out).subarray(0, -1));
    expect(await admin("audit", "verify", "--archive", out)).toMatchObject({ code: 1 });
  });
});
