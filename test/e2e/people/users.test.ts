import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { apiVersions } from "#shared/platform/http/versions.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { api, internalApi, outcome } from "../../support/api.ts";
import { injectFaults } from "../../support/faults.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam } from "../../support/teams.ts";
import { newPhone, newUser, register, registeredUser, type User } from "../../support/users.ts";

const { domain } = parseSettings({});
const allVersions = [...apiVersions(parseSettings({})).served];
const elsewhere = "elsewhere.example.com";

const suspend = (userId: string) =>
  internalApi("PUT", `/i/users/${userId}/status`, { json: { status: "suspended" } });
const qualified = (id: string, at = domain) => ({ domain: at, id });

/** An expired anonymous account as others see it. */
const tombstone = (id: string) => ({
  id,
  qualified_id: qualified(id),
  name: "default",
  accent_id: 0,
  assets: [],
  picture: [],
  supported_protocols: [],
  legalhold_status: "no_consent",
  deleted: true,
});

const apis = await stackWith({ setEmailVisibility: "visible_if_on_same_team" });

let ada: User;
let viewer: User;
let token: string;

beforeAll(async () => {
  [ada, viewer] = await Promise.all([newUser({ name: "Ada", locale: "de" }), newUser({ name: "Viewer" })]);
  token = viewer.token;
});

const adaProfile = () => ({
  id: ada.id,
  qualified_id: qualified(ada.id),
  name: "Ada",
  accent_id: 0,
  assets: [],
  picture: [],
  supported_protocols: ["proteus"],
  legalhold_status: "no_consent",
});

describe.concurrent("a profile", () => {
  it("has neither email, phone nor locale, whoever reads it", async () => {
    for (const reader of [viewer, ada]) {
      const { status, body } = await api("GET", `/v8/users/${domain}/${ada.id}`, { token: reader.token });
      expect(status).toBe(200);
      expect(body).toEqual(adaProfile());
    }
  });

  it("contains everything that its owner shows", async () => {
    const shown = {
      name: "Grace",
      accent_id: 3,
      assets: [{ key: "3-1-47de4580-ae51-4650-acbb-d10c028cb0ac", type: "image", size: "preview" }],
      picture: [{ tag: "medium", nested: { width: 1 } }],
      supported_protocols: ["proteus", "mls"],
    };
    const phone = newPhone();
    const { id } = await registeredUser({ ...shown, phone });
    const { body } = await api("GET", `/users/${domain}/${id}`, { token });
    expect(body).toEqual({
      id,
      qualified_id: qualified(id),
      legalhold_status: "no_consent",
      ...shown,
    });
  });

  it("is the same in all versions", async () => {
    const prefixes = ["", ...allVersions.map((version) => `/v${version}`)];
    for (const prefix of prefixes) {
      const { body } = await api("GET", `${prefix}/users/${domain}/${ada.id}`, { token });
      expect(body).toEqual(adaProfile());
    }
  });

  it("is found without a domain up to version 1", async () => {
    for (const prefix of ["", "/v0", "/v1"]) {
      expect((await api("GET", `${prefix}/users/${ada.id}`, { token })).body).toEqual(adaProfile());
      expect(outcome(await api("GET", `${prefix}/users/${randomUUID()}`, { token }))).toBe("404 not-found");
    }
    expect((await api("GET", `/v2/users/${ada.id}`, { token })).status).toBe(404);
  });

  it("is found regardless of the case of domain and id", async () => {
    const path = `/v8/users/${domain.toUpperCase()}/${ada.id.toUpperCase()}`;
    expect((await api("GET", path, { token })).body).toEqual(adaProfile());
  });

  it("returns the status alone for HEAD", async () => {
    const known = await api("HEAD", `/v8/users/${domain}/${ada.id}`, { token });
    expect([known.status, known.body]).toEqual([200, ""]);
    const unknown = await api("HEAD", `/v8/users/${domain}/${randomUUID()}`, { token });
    expect([unknown.status, unknown.body]).toEqual([404, ""]);
  });

  it("returns 404 not-found for an unknown user, and 400 federation-not-enabled for another domain", async () => {
    expect(outcome(await api("GET", `/v8/users/${domain}/${randomUUID()}`, { token }))).toBe("404 not-found");
    for (const id of [ada.id, randomUUID()]) {
      const answer = await api("GET", `/v8/users/${elsewhere}/${id}`, { token });
      expect(outcome(answer)).toBe("400 federation-not-enabled");
    }
  });

  it("requires a token", async () => {
    for (const path of [`/v8/users/${domain}/${ada.id}`, `/v1/users/${ada.id}`, `/v1/users?ids=${ada.id}`]) {
      expect((await api("GET", path)).status).toBe(401);
    }
    const json = { qualified_ids: [qualified(ada.id)] };
    expect((await api("POST", "/v8/list-users", { json })).status).toBe(401);
  });

  it("stays visible while its user is suspended", async () => {
    const { id } = await newUser({ name: "Sue" });
    await suspend(id);
    const { body } = await api("GET", `/v8/users/${domain}/${id}`, { token });
    expect(body).toMatchObject({ id, name: "Sue" });
    expect(body).not.toHaveProperty("deleted");
  });

  it("exists before the account is activated", async () => {
    const { body: registered } = await register({ email: `${randomUUID()}@example.com` });
    const { body } = await api("GET", `/v8/users/${domain}/${registered.id}`, { token });
    expect(body).toMatchObject({ id: registered.id, name: "Ada" });
  });

  it("states when an anonymous account expires", async () => {
    const { body: registered } = await register({});
    const { body } = await api("GET", `/v8/users/${domain}/${registered.id}`, { token });
    expect(body.expires_at).toBe(registered.expires_at);
  });
});

describe.concurrent("an expired anonymous account", () => {
  let reader: User;
  const reports: { QueueUrl: string; MessageBody: string }[] = [];
  const unreportable = new Set<string>();

  beforeAll(async () => {
    reader = await newUser({}, apis);
    return injectFaults(({ service, action, body }) => {
      if (service !== "sqs" || action !== "SendMessage" || !body.includes("expiredUserId")) return undefined;
      const report = JSON.parse(body);
      reports.push(report);
      return unreportable.has(JSON.parse(report.MessageBody).expiredUserId) ? "dies-before" : undefined;
    });
  });

  async function endedAccount(): Promise<string> {
    const { body } = await register({ name: "Brief", expires_in: 1 }, apis);
    apis.advance(2);
    return body.id;
  }

  const lookUp = (id: string) => apis.publicApi("GET", `/v8/users/${domain}/${id}`, { token: reader.token });
  const reportsOf = (id: string) => reports.filter(({ MessageBody }) => MessageBody.includes(id));

  it("looks deleted in every look-up", async () => {
    const id = await endedAccount();
    const list = async (path: string) => (await apis.publicApi("GET", path, { token: reader.token })).body;

    expect((await lookUp(id)).body).toEqual(tombstone(id));
    expect((await lookUp(id)).body).toEqual(tombstone(id));
    expect(await list(`/v1/users/${id}`)).toEqual(tombstone(id));
    expect(await list(`/v1/users?ids=${id}`)).toEqual([tombstone(id)]);
    expect(await list(`/v5/users/${domain}/${id}/supported-protocols`)).toEqual([]);
    const listed = await apis.publicApi("POST", "/v8/list-users", {
      token: reader.token,
      json: { qualified_ids: [qualified(id)] },
    });
    expect(listed.body).toEqual({ found: [tombstone(id)] });
  });

  it("is reported for deletion by the first look-up", async () => {
    const id = await endedAccount();
    await lookUp(id);
    expect(reportsOf(id)).toEqual([
      expect.objectContaining({
        QueueUrl: expect.stringMatching(/-erasures$/),
        MessageBody: JSON.stringify({ expiredUserId: id }),
      }),
    ]);
  });

  it("looks deleted even when it cannot be reported", async () => {
    const id = await endedAccount();
    unreportable.add(id);
    const { status, body } = await lookUp(id);
    expect([status, body]).toEqual([200, tombstone(id)]);
    expect(reportsOf(id)).toHaveLength(1);
  });

  it("is not reported before it has expired, and no other account ever is", async () => {
    const { body } = await register({ expires_in: 3600 }, apis);
    expect((await lookUp(body.id)).body).not.toHaveProperty("deleted");
    expect((await lookUp(reader.id)).status).toBe(200);
    expect([...reportsOf(body.id), ...reportsOf(reader.id)]).toEqual([]);
  });
});

describe.concurrent("email addresses in profiles", () => {
  /** Names of the users whose addresses are visible to the members of a team, by role, and to a user without a team. */
  async function visibleIn(stack: OwnStack) {
    const [team, otherTeam] = await Promise.all([newTeam({}, stack), newTeam({}, stack)]);
    const [admin, member, partner, stranger, teamless] = await Promise.all([
      team.add("admin", { name: "admin" }),
      team.add("member", { name: "member" }),
      team.add("partner", { name: "partner" }),
      otherTeam.add("member", { name: "stranger" }),
      newUser({ name: "teamless" }, stack),
    ]);
    const users = [admin, member, partner, stranger, teamless];
    const seenBy = async (reader: User) => {
      const { body } = await stack.publicApi("POST", "/v8/list-users", {
        token: reader.token,
        json: { qualified_ids: users.map(({ id }) => qualified(id)) },
      });
      const emails = new Map(users.map(({ id, email }) => [id, email]));
      return body.found
        .filter((profile: { id: string; email?: string }) => profile.email === emails.get(profile.id))
        .map(({ name }: { name: string }) => name);
    };
    return {
      admin: await seenBy(admin),
      member: await seenBy(member),
      partner: await seenBy(partner),
      teamless: await seenBy(teamless),
    };
  }
  const ofTeam = ["admin", "member", "partner"];

  it("of team members are visible to everybody with visible_if_on_team", async () => {
    const inTeams = [...ofTeam, "stranger"];
    const stack = await stackWith({ setEmailVisibility: "visible_if_on_team" });
    expect(await visibleIn(stack)).toEqual({
      admin: inTeams,
      member: inTeams,
      partner: inTeams,
      teamless: inTeams,
    });
  });

  it("are visible to teammates with the role member or higher with visible_if_on_same_team", async () => {
    expect(await visibleIn(apis)).toEqual({ admin: ofTeam, member: ofTeam, partner: [], teamless: [] });
  });

  it("are visible to admins of the team with visible_to_self", async () => {
    const stack = await stackWith({ setEmailVisibility: "visible_to_self" });
    expect(await visibleIn(stack)).toEqual({ admin: ofTeam, member: [], partner: [], teamless: [] });
  });
});

describe.concurrent("GET /users up to version 1", () => {
  const list = (query: string, prefix = "/v1") => api("GET", `${prefix}/users${query}`, { token });

  it("lists the known users among the ids, in their order", async () => {
    for (const prefix of ["", "/v0", "/v1"]) {
      const { status, body } = await list(`?ids=${viewer.id},${randomUUID()},${ada.id},${viewer.id}`, prefix);
      expect(status).toBe(200);
      expect(body.map(({ id }: { id: string }) => id)).toEqual([viewer.id, ada.id]);
      expect(body[1]).toEqual(adaProfile());
    }
    expect((await list(`?ids=${ada.id}`, "/v2")).status).toBe(404);
  });

  it("returns 404 not-found when it finds nobody", async () => {
    expect(outcome(await list(`?ids=${randomUUID()},${randomUUID()}`))).toBe("404 not-found");
    expect(outcome(await list("?handles=nobody.has.this,nor_this"))).toBe("404 not-found");
  });
});

describe.concurrent("a list of large profiles", () => {
  it("ends before the answer is too large for Lambda, and reports the others as failed", async () => {
    const picture = [{ data: "x".repeat(350_000) }];
    const users = await Promise.all(Array.from({ length: 20 }, () => newUser({ picture })));
    const ids = users.map(({ id }) => id);
    const json = { qualified_ids: ids.map((id) => qualified(id)) };
    const idsIn = (profiles: { id: string }[]) => profiles.map(({ id }) => id);

    const { body } = await api("POST", "/v8/list-users", { token, json });
    expect(JSON.stringify(body).length).toBeLessThan(5.1 * 2 ** 20);
    expect(body.found.length).toBeGreaterThan(10);
    expect([...idsIn(body.found), ...idsIn(body.failed)]).toEqual(ids);
    const { body: rest } = await api("POST", "/v8/list-users", {
      token,
      json: { qualified_ids: body.failed },
    });
    expect(idsIn(rest.found)).toEqual(idsIn(body.failed));

    const listings = [
      api("POST", "/v3/list-users", { token, json }),
      api("GET", `/users?ids=${ids.join()}`, { token }),
    ];
    for (const { body: bare } of await Promise.all(listings)) expect(idsIn(bare)).toEqual(idsIn(body.found));
    const { body: internal } = await internalApi("GET", `/i/users?ids=${ids.join()}`);
    expect(internal.length).toBeLessThan(ids.length);
  });
});

describe.concurrent("POST /list-users", () => {
  const list = (json: unknown, version = 8) => api("POST", `/v${version}/list-users`, { token, json });
  const idsIn = (profiles: { id: string }[]) => profiles.map(({ id }) => id);

  it("returns the users found, in the order of the request, from version 4 on", async () => {
    for (const version of [4, 6, 8, 9]) {
      const ids = [viewer.id, randomUUID(), ada.id, viewer.id].map((id) => qualified(id));
      const { status, body } = await list({ qualified_ids: ids }, version);
      expect(status).toBe(200);
      expect(Object.keys(body)).toEqual(["found"]);
      expect(idsIn(body.found)).toEqual([viewer.id, ada.id]);
      expect(body.found[1]).toEqual(adaProfile());
    }
  });

  it("returns a bare list up to version 3", async () => {
    const json = { qualified_ids: [qualified(ada.id), qualified(randomUUID())] };
    for (const version of [0, 1, 2, 3]) expect((await list(json, version)).body).toEqual([adaProfile()]);
    expect((await api("POST", "/list-users", { token, json })).body).toEqual([adaProfile()]);
  });

  it("returns 200 when it finds nobody from version 4 on, and 404 not-found in earlier versions", async () => {
    for (const json of [
      { qualified_ids: [qualified(randomUUID())] },
      { qualified_handles: [{ domain, handle: "nobody.has.this" }] },
    ]) {
      const answer = await list(json);
      expect([answer.status, answer.body]).toEqual([200, { found: [] }]);
      expect(outcome(await list(json, 3))).toBe("404 not-found");
    }
  });

  it("returns users of other domains as failed, from version 4 on", async () => {
    const remote = [qualified(ada.id, elsewhere), qualified(randomUUID(), elsewhere)];
    const some = await list({ qualified_ids: [...remote, qualified(ada.id)] });
    expect(some.body).toEqual({ found: [adaProfile()], failed: remote });
    expect((await list({ qualified_ids: remote }, 4)).body).toEqual({ found: [], failed: remote });
  });

  it("returns 400 federation-not-enabled for other domains that it cannot list as failed", async () => {
    const ids = { qualified_ids: [qualified(ada.id), qualified(ada.id, elsewhere)] };
    expect(outcome(await list(ids, 3))).toBe("400 federation-not-enabled");
    const handles = { qualified_handles: [{ domain: elsewhere, handle: "ada" }] };
    for (const version of [3, 8]) {
      expect(outcome(await list(handles, version))).toBe("400 federation-not-enabled");
    }
  });

  it("accepts 500 ids", async () => {
    const long = `${"sub.".repeat(50)}${domain}`;
    const unknown = Array.from({ length: 249 }, () => qualified(randomUUID()));
    const remote = Array.from({ length: 249 }, () => qualified(randomUUID(), long));
    const { status, body } = await list({
      qualified_ids: [qualified(ada.id), ...unknown, ...remote, qualified(viewer.id)],
    });
    expect(status).toBe(200);
    expect(idsIn(body.found)).toEqual([ada.id, viewer.id]);
    expect(body.failed).toEqual(remote);
  });
});

describe.concurrent("supported protocols", () => {
  const read = (id: string, { at = domain, version = 8 } = {}) =>
    api("GET", `/v${version}/users/${at}/${id}/supported-protocols`, { token });

  it("are listed from version 5 on", async () => {
    const { id } = await newUser({ supported_protocols: ["mls", "proteus"] });
    expect((await read(id)).body).toEqual(["mls", "proteus"]);
    expect((await read(ada.id, { version: 5 })).body).toEqual(["proteus"]);
    expect((await read(ada.id, { version: 4 })).status).toBe(404);
    const unprefixed = await api("GET", `/users/${domain}/${ada.id}/supported-protocols`, { token });
    expect(unprefixed.body).toEqual(["proteus"]);
  });

  it("are refused with 404 not-found for an unknown user, and 400 federation-not-enabled for another domain", async () => {
    expect(outcome(await read(randomUUID()))).toBe("404 not-found");
    expect(outcome(await read(ada.id, { at: elsewhere }))).toBe("400 federation-not-enabled");
    expect(outcome(await read("x"))).toBe("400 bad-request");
    expect((await api("GET", `/v8/users/${domain}/${ada.id}/supported-protocols`)).status).toBe(401);
  });
});

describe.concurrent("GET /i/users", () => {
  const find = (query: Record<string, string | undefined>) =>
    internalApi("GET", `/i/users?${new URLSearchParams(JSON.parse(JSON.stringify(query)))}`);

  it("returns the whole account by id or address, and nothing for an unconfirmed number", async () => {
    const phone = newPhone();
    const user = await registeredUser({ phone });
    const { body: self } = await api("GET", "/self", { token: user.token });
    for (const query of [{ ids: user.id }, { email: user.email }, { email: user.email.toUpperCase() }]) {
      const { status, body } = await find({ ...query, includePendingInvitations: "true" });
      expect(status).toBe(200);
      expect(body).toEqual([self]);
      expect(self).toMatchObject({ id: user.id, email: user.email, locale: "en", status: "active" });
    }
    expect((await find({ phone })).body).toEqual([]);
  });

  it("returns several accounts, whatever their status, and omits unknown ones", async () => {
    const { id } = await newUser();
    await suspend(id);
    const { body } = await find({ ids: [id, ada.id, randomUUID()].join() });
    const statuses = new Map(
      body.map((account: { id: string; status: string }) => [account.id, account.status]),
    );
    expect(statuses).toEqual(
      new Map([
        [id, "suspended"],
        [ada.id, "active"],
      ]),
    );
  });

  it("returns nobody for unknown identities", async () => {
    for (const query of [
      { ids: randomUUID() },
      { handles: "nobody.has.this" },
      { email: `${randomUUID()}@example.com` },
      { phone: newPhone() },
    ]) {
      const { status, body } = await find(query);
      expect([status, body]).toEqual([200, []]);
    }
  });

  it("requires exactly one well-formed key", async () => {
    expect(outcome(await find({}))).toBe("400 bad-request");
    expect(outcome(await find({ ids: ada.id, email: ada.email }))).toBe("400 bad-request");
    expect(outcome(await find({ ids: "x" }))).toBe("400 bad-request");
    expect(outcome(await find({ ids: ada.id, includePendingInvitations: "maybe" }))).toBe("400 bad-request");
    expect(outcome(await find({ email: "nobody" }))).toBe("400 invalid-email");
    expect(outcome(await find({ phone: "12" }))).toBe("400 invalid-phone");
  });

  it("is not public", async () => {
    expect((await api("GET", `/i/users?ids=${ada.id}`, { token })).status).toBe(404);
    expect((await api("GET", `/v8/i/users?ids=${ada.id}`, { token })).status).toBe(404);
  });
});
