import { createHash, randomUUID } from "node:crypto";
import { mkdtempSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DeleteCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { importUsers, type LineReport } from "#lib/import/import-users.ts";
import { readJsonLines } from "#lib/import/user-line.ts";
import { BucketReader } from "#lib/personal-data/bucket-reader.ts";
import { certifyErasure } from "#lib/personal-data/certify-erasure.ts";
import { objectReader } from "#lib/personal-data/object-reader.ts";
import { isOf } from "#lib/personal-data/person.ts";
import { readTeamArchive } from "#lib/personal-data/read-team-archive.ts";
import { TableReader } from "#lib/personal-data/table-reader.ts";
import { NoTeamError, type TeamManifest, writeTeamExport } from "#lib/personal-data/write-team-export.ts";
import { allItemKinds, kindOf, nameOf } from "#lib/releases/item-kinds.ts";
import { LegalHoldServiceStore } from "#shared/conversations/legal-hold/legal-hold-service-store.ts";
import { LegalHoldWhitelistStore } from "#shared/conversations/legal-hold/legal-hold-whitelist-store.ts";
import { transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { type TableName, type TableSpec, tables } from "#shared/registry/tables.ts";
import { RegisteredDomainStore } from "#shared/teams/registered-domains/registered-domain-store.ts";
import { mixed } from "../../support/assets.ts";
import { connectUsers } from "../../support/connections.ts";
import { createConversation } from "../../support/conversations.ts";
import { newDirectory, newUserFields } from "../../support/directory.ts";
import { eventually } from "../../support/eventually.ts";
import { newInvitation } from "../../support/invitations.ts";
import { type OwnStack, ownStack, stopOwnStacks } from "../../support/own-stack.ts";
import { newService, putOnList, serviceData } from "../../support/services.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { uploadBody } from "../../support/upload-body.ts";
import { logIn, newEmail, newPhone, newUser, type User } from "../../support/users.ts";
import { filesIn } from "../../support/zip.ts";

const password = "sécret password";
const password_hash =
  "$scrypt$ln=4,r=8,p=1$c2FsdHNhbHRzYWx0c2FsdA$+bjgutqFyoyQ1Y+Gm7Y/c92ZV60XhyZxRKDRUW9xPgk";
const domainVerification = { resolvers: ["127.0.0.1:9"] };
const settings = parseSettings({ domainVerification });
const names = Object.keys(tables) as TableName[];

let stack: OwnStack;
beforeAll(async () => {
  stack = await ownStack({ domainVerification, scim: { invitesUsers: true } });
});
afterAll(stopOwnStacks);

const readerOf = () =>
  new TableReader(createDynamo(), new Map(names.map((name) => [name, `${stack.prefix}-${name}`])));

async function importLines(lines: string): Promise<LineReport[]> {
  const reports: LineReport[] = [];
  const { tableName } = stackConfig(stack.prefix);
  const users = readJsonLines(
    (async function* () {
      yield Buffer.from(lines);
    })(),
  );
  for await (const report of importUsers({ users, settings, tableName, isDryRun: false }))
    reports.push(report);
  return reports;
}

const toLines = (users: readonly object[]) => users.map((user) => `${JSON.stringify(user)}\n`).join("");

/** The lines of a company with an owner, two admins, a partner and members, each with address, number and handle. */
function company() {
  const external_id = randomUUID();
  const role = (index: number) => (index <= 2 ? "admin" : index === 3 ? "partner" : "member");
  return Array.from({ length: 8 }, (_, index) => ({
    external_id: `${external_id}-${index}`,
    name: `Person ${index}`,
    email: newEmail(),
    email_verified: true,
    phone: newPhone(),
    phone_verified: true,
    handle: `h${randomUUID().replaceAll("-", "")}`,
    password_hash,
    ...(index === 0
      ? { new_team: { external_id, name: "Engines", currency: "EUR" } }
      : { team_external_id: external_id, role: role(index) }),
  }));
}

/** Import a company, and log two of it in. */
async function importedCompany() {
  const people = company();
  const reports = await importLines(toLines(people));
  expect(reports.map((report) => report.outcome)).toEqual(people.map(() => "created"));
  const loggedIn = async (index: number): Promise<User> => {
    const { email = "" } = people[index] ?? {};
    const { body, cookie = "" } = await logIn({ email, password }, { apis: stack });
    return { id: reports[index]?.userId ?? "", email, password, token: body.access_token, cookie };
  };
  const [owner, admin] = [await loggedIn(0), await loggedIn(1)];
  return { people, reports, team: { id: reports[0]?.teamId ?? "", name: "Engines", owner }, owner, admin };
}
type Company = Awaited<ReturnType<typeof importedCompany>>;

/** Give a team something of everything that a team can have. @returns what its archive must not contain */
async function furnish({ team, owner, admin }: Company) {
  const { publicApi, internalApi, prefix } = stack;
  const done = async (answering: Promise<{ status: number; body: unknown }>) => {
    const { status, body } = await answering;
    expect({ status, body: status < 300 ? {} : body }).toEqual({ status, body: {} });
    return body as { id: string; key: string; code: string };
  };
  const context = {
    dynamo: createDynamo(),
    config: { ...stackConfig(prefix), settings },
    clock: stack.clock,
  };
  const guest = await newUser({ name: "Outside" }, stack);
  await connectUsers(owner, guest, stack);
  const access = { access: ["invite", "code"], access_role: ["team_member", "non_team_member", "guest"] };
  const users = [admin, guest];
  const { id } = await done(
    createConversation(owner, { with: users, in: team, name: "Plans", ...access }, stack),
  );
  await done(createConversation(owner, { in: team, name: "Alone" }, stack));
  await done(createConversation(owner, { with: [guest], name: "Private" }, stack));
  const { code } = await done(
    publicApi("POST", `/conversations/${id}/code`, { token: owner.token, json: {} }),
  );
  await done(publicApi("PUT", "/properties/theme", { token: owner.token, json: { dark: true } }));
  const { key } = await done(
    publicApi("POST", "/v8/assets", { token: owner.token, headers: mixed, body: uploadBody() }),
  );
  await done(publicApi("PUT", `/teams/${team.id}`, { token: owner.token, json: { icon: key } }));
  const rich_info = { version: 0, fields: [{ type: "Floor", value: "4th" }] };
  await done(internalApi("PUT", `/i/users/${admin.id}/rich-info`, { json: { rich_info } }));
  await done(
    internalApi("PATCH", `/i/teams/${team.id}/features/sndFactorPasswordChallenge`, {
      json: { lockStatus: "unlocked" },
    }),
  );
  const { code: invitationCode } = await newInvitation(team, { email: newEmail(), name: "Eve" }, stack);
  const ofDirectory = { team: { ...team, add: () => newUser({}, stack) } };
  const invitees = await newDirectory(ofDirectory, stack);
  const { id: inviteeId } = await done(invitees.create());
  const directory = await newDirectory({ ...ofDirectory, hasProvider: true }, stack);
  await done(directory.create(newUserFields()));
  const service = await newService(await serviceData({ prefix }).newProvider(), {}, stack);
  await done(putOnList(team, owner, service, true, stack));
  const domains = new RegisteredDomainStore(context);
  const registration = {
    domain: `${randomUUID()}.example`,
    redirect: { kind: "none" as const },
    teamInvite: { kind: "team" as const, teamId: team.id },
    authorizedTeam: team.id,
    dnsVerificationToken: "a-dns-token",
    ownershipTokenHash: "an-ownership-hash",
  };
  await transact(context.dynamo, [
    ...domains.save(undefined, registration),
    new LegalHoldWhitelistStore(context).add(team.id),
    new LegalHoldServiceStore(context).put({
      teamId: team.id,
      baseUrl: "https://hold.example",
      publicKey: "a-public-key",
      fingerprint: "a-fingerprint",
      authToken: "a-service-token",
    }),
  ]);
  return {
    iconKey: key,
    inviteeId,
    guest,
    secrets: [
      ...[
        "Outside",
        guest.email,
        "Private",
        "theme",
        "scrypt",
        "sha512:",
        "a-dns-token",
        "an-ownership-hash",
      ],
      ...["a-service-token", code, invitationCode, directory.token],
    ],
  };
}

async function exportOf(teamId: string) {
  const file = join(mkdtempSync(join(tmpdir(), "export-")), "team.zip");
  const progress: string[] = [];
  const manifest = await writeTeamExport({
    reader: readerOf(),
    teamId,
    readObject: objectReader(`${stack.prefix}-assets`),
    file,
    now: stack.clock(),
    onProgress: (text) => progress.push(text),
  });
  const contents = await filesIn(file);
  const textOf = (name: string) => Buffer.from(contents.get(name) ?? []).toString();
  expect(JSON.parse(textOf("manifest.json"))).toEqual(manifest);
  return { file, contents, textOf, manifest, progress };
}

/**
 * Numbers of the team's and its people's items by kind, of those that the archive has, as a scan of all tables finds
 * them.
 */
async function scannedKinds(teamId: string, people: readonly string[], { shown }: TeamManifest) {
  await allItemKinds();
  const counts: Record<string, number> = {};
  const ofTeam = new Set([teamId]);
  const conversationIds = new Set<unknown>();
  const found: { kind: string; item: Readonly<Record<string, unknown>> }[] = [];
  for (const table of names) {
    for await (const item of readerOf().scan(table)) {
      const kind = kindOf(table, item);
      if (kind === undefined) continue;
      const isTeams = "team" in kind.subject && isOf(kind, item, ofTeam);
      if (isTeams && nameOf(kind) === "conversations/conversation") conversationIds.add(item.conversationId);
      if (isTeams) counts[nameOf(kind)] = (counts[nameOf(kind)] ?? 0) + 1;
      else if (nameOf(kind) in shown) found.push({ kind: nameOf(kind), item });
    }
  }
  for (const { kind, item } of found) {
    const isShown =
      kind === "conversations/member"
        ? conversationIds.has(item.conversationId)
        : item.teamId === teamId || people.some((id) => item.pk === `user#${id}`);
    // Codes lead to copies of invitations.
    const isCopy = String(item.owner).startsWith("code#");
    if (isShown && !isCopy) counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

/** The content of lines about users, without ids. */
const profilesIn = (lines: string) =>
  lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .map(({ name, email, email_verified, handle, locale, role, new_team }) => ({
      ...{ name, email, email_verified, handle, locale, role },
      team: new_team?.name,
    }))
    .toSorted((one, other) => (one.handle < other.handle ? -1 : 1));

const deleteTeam = async ({ team, owner }: Company) => {
  const json = { password };
  const answer = await stack.publicApi("DELETE", `/teams/${team.id}`, { token: owner.token, json });
  expect(answer.status).toBe(202);
};

describe("the archive of a team", () => {
  it("has everything that belongs to the team or that its people leave to it, and nothing else", async () => {
    const imported = await importedCompany();
    const { team, reports, people } = imported;
    const { secrets, iconKey, inviteeId, guest } = await furnish(imported);
    const { file, contents, textOf, manifest, progress } = await exportOf(team.id);

    const members = [...contents.keys()].filter((name) => name.startsWith("members/"));
    expect(members).toHaveLength(manifest.people);
    expect(manifest.people).toBe(people.length + 2);
    expect(members).toContain(`members/${inviteeId}.json`);
    const ids = members.map((name) => name.slice("members/".length, -".json".length));
    expect(manifest.kinds).toEqual(await scannedKinds(team.id, ids, manifest));
    expect(Object.keys(manifest.kinds)).toEqual(
      expect.arrayContaining([
        ...["accounts/account", "accounts/rich-info", "domains/claimed", "domains/registration"],
        ...["conversations/conversation", "conversations/guest-link", "conversations/member"],
        ...["provisioning/identity-provider", "provisioning/scim-token", "provisioning/team"],
        ...["services/admitted", "teams/features", "teams/invitation", "teams/legal-hold-service"],
        ...["teams/legal-hold-whitelist", "teams/member", "teams/team"],
      ]),
    );
    expect(progress.at(-1)).toBe(`${manifest.people} of ${people.length + 1} members`);

    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect([...contents.keys()].toSorted()).toEqual(
      ["manifest.json", ...manifest.files.map(({ name }) => name)].toSorted(),
    );
    for (const { name, bytes, sha256 } of manifest.files) {
      const content = contents.get(name) ?? Buffer.of();
      const digest = createHash("sha256").update(content).digest("hex");
      expect({ name, bytes: content.length, digest }).toEqual({ name, bytes, digest: sha256 });
    }
    expect(contents.get(`assets/${iconKey}`)?.length).toBeGreaterThan(0);
    const everything = [...contents.keys()].map(textOf).join("\n");
    const phones = people.map(({ phone }) => phone);
    for (const foreign of [...secrets, ...phones]) expect(everything).not.toContain(foreign);
    expect(everything).toContain(guest.id);
    const { "accounts/account": accounts } = JSON.parse(textOf(`members/${reports[1]?.userId}.json`));
    expect(accounts).toMatchObject([{ name: "Person 1", email: people[1]?.email, teamId: team.id }]);
  });

  it("is refused for an unknown team", async () => {
    await expect(exportOf(randomUUID())).rejects.toThrow(NoTeamError);
  });
});

describe("a company", () => {
  it("can be imported, deleted with nothing left but what is declared, and imported again", async () => {
    const imported = await importedCompany();
    const { people, team } = imported;
    const { guest } = await furnish(imported);
    const { file, textOf, manifest } = await exportOf(team.id);
    const { teamId, userIds, names: archived } = await readTeamArchive(file, settings);
    expect({ teamId, people: userIds.length }).toEqual({ teamId: team.id, people: manifest.people });
    const phones = people.map(({ phone }) => phone);
    const erased = { teamId, userIds, names: new Set([...archived, ...phones]) };
    const objects = new BucketReader(
      new Map([
        ["assets", `${stack.prefix}-assets`],
        ["audit", `${stack.prefix}-audit`],
      ]),
    );
    const certify = () => certifyErasure({ tables: readerOf(), buckets: objects }, erased, stack.clock());
    expect(await certify()).toMatchObject({ isAsDeclared: false, hasTombstones: false });

    await deleteTeam(imported);
    // The second look of the erasures at memberships waits for requests that had begun before.
    await eventually(async () => {
      const { "outbox/message": _, ...others } = (await certify()).unexpected;
      expect(others).toEqual({});
    });
    stack.advance(61);
    await eventually(async () => expect((await certify()).unexpected).toEqual({}));
    expect(await certify()).toMatchObject({
      isAsDeclared: true,
      hasTombstones: true,
      remaining: { "teams/team": { count: 1 }, "accounts/account": { count: manifest.people } },
    });
    expect((await logIn(guest, { apis: stack })).status).toBe(200);

    const conversationId = JSON.parse(textOf("items/conversations/conversation.jsonl").split("\n")[0] ?? "")
      .conversationId as string;
    const leftOver: [TableName, Readonly<Record<string, unknown>>][] = [
      ["properties", { owner: `user#${userIds[0]}`, entry: "value#theme#0" }],
      ["conversations", { owner: `conversation#${conversationId}`, entry: `member#${guest.id}` }],
      ["domains", { owner: "domain#gone.example", entry: "registration", authorizedTeam: team.id }],
      ["mail-suppressions", { address: people[4]?.email }],
      ["connections", { owner: `user#${guest.id}`, entry: `peer#${userIds[1]}` }],
    ];
    const remove: (() => Promise<unknown>)[] = [];
    for (const [table, Item] of leftOver) {
      const TableName = `${stack.prefix}-${table}`;
      const { partitionKey, sortKey = partitionKey }: TableSpec = tables[table];
      await createDynamo().send(new PutCommand({ TableName, Item }));
      const Key = { [partitionKey]: Item[partitionKey], [sortKey]: Item[sortKey] };
      remove.push(() => createDynamo().send(new DeleteCommand({ TableName, Key })));
    }
    expect(await certify()).toMatchObject({
      isAsDeclared: false,
      remaining: { "mail-suppressions/suppression": { count: 1 } },
      unexpected: {
        "properties/value": 1,
        "conversations/member": 1,
        "domains/registration": 1,
        "connections/connection": 1,
      },
    });
    await Promise.all(remove.map((run) => run()));
    expect(await certify()).toMatchObject({ isAsDeclared: true });

    const again = await importLines(toLines(people));
    expect(new Set(again.map((report) => report.outcome))).toEqual(new Set(["deleted"]));
    const lines = textOf("users.jsonl");
    const [founder, ...others] = await importLines(lines);
    expect(founder).toMatchObject({ outcome: "created", teamId: expect.any(String) });
    expect(new Set(others.map((report) => report.outcome))).toEqual(new Set(["created"]));
    expect(founder?.teamId).not.toBe(team.id);
    const { textOf: textAfter } = await exportOf(founder?.teamId ?? "");
    expect(profilesIn(textAfter("users.jsonl"))).toEqual(profilesIn(lines));
    // Nobody holds the numbers, which the archive does not have.
    const { phone, phone_verified, name } = people[1] ?? {};
    const later = toLines([{ external_id: randomUUID(), name, phone, phone_verified }]);
    expect(await importLines(later)).toMatchObject([{ outcome: "created" }]);
  });
});
