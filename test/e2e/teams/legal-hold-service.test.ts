import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { itemsMentioning } from "../../support/all-items.ts";
import { api, internalApi, outcome } from "../../support/api.ts";
import { connectUsers, localDomain } from "../../support/connections.ts";
import { eventually } from "../../support/eventually.ts";
import { injectFaults } from "../../support/faults.ts";
import { legalHoldData, switchLegalHold } from "../../support/legal-hold.ts";
import { type LegalHoldServiceOptions, startLegalHoldService } from "../../support/legal-hold-service.ts";
import { setLegalHold } from "../../support/legal-hold-status.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { testSettings } from "../../support/test-settings.ts";
import { newServiceKey } from "../../support/tls-service.ts";
import { type Apis, newUser, type User } from "../../support/users.ts";

const shared: Apis = { publicApi: api, internalApi };
const data = legalHoldData();

async function startService(options?: LegalHoldServiceOptions) {
  const service = await startLegalHoldService(options);
  return service;
}

const pathOf = ({ id }: Pick<Team, "id">) => `/teams/${id}/legalhold/settings`;
const post = (team: Team, json: unknown, { token }: User = team.owner, { publicApi } = shared) =>
  publicApi("POST", pathOf(team), { token, json });
const get = (team: Team, { token }: User = team.owner, { publicApi } = shared) =>
  publicApi("GET", pathOf(team), { token });
const remove = (
  team: Team,
  {
    user: { token, password } = team.owner,
    json = { password },
    apis = shared,
  }: { user?: User; json?: unknown; apis?: Apis } = {},
) => apis.publicApi("DELETE", pathOf(team), { token, json });

async function newTeamWithLegalHold(apis = shared) {
  const team = await newTeam({}, apis);
  await switchLegalHold(team, "enabled", apis);
  return team;
}

/** A team with a service, and members of the given statuses. */
async function newHeldTeam(
  statuses: readonly ("pending" | "enabled" | "disabled")[] = [],
  apis: Apis & { readonly prefix?: string } = shared,
) {
  const data = legalHoldData(apis);
  const [team, service] = await Promise.all([newTeamWithLegalHold(apis), startService()]);
  expect(outcome(await post(team, service.registration, team.owner, apis))).toBe("201");
  const members = await Promise.all(
    statuses.map(async (status) => {
      const member = await team.add();
      await data.setStatus({ teamId: team.id, userId: member.id }, status);
      return member;
    }),
  );
  const statusOf = ({ id: userId }: User) => data.statusOf({ teamId: team.id, userId });
  return { team, service, members, statusOf };
}

const ended = { member: "disabled", account: "disabled" };

describe.concurrent("the legal hold service of a team", () => {
  it("is shown as disabled without legal hold, then as not configured, configured, and again as not configured", async () => {
    const [team, service] = await Promise.all([newTeam(), startService()]);
    expect((await get(team)).body).toStrictEqual({ status: "disabled" });
    await switchLegalHold(team, "enabled");
    expect((await get(team)).body).toStrictEqual({ status: "not_configured" });
    const registered = await post(team, service.registration);
    expect(registered.status).toBe(201);
    const configured = {
      status: "configured",
      settings: {
        team_id: team.id,
        ...service.registration,
        fingerprint: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
      },
    };
    expect(registered.body).toStrictEqual(configured);
    expect((await get(team)).body).toStrictEqual(configured);
    expect(service.calls).toStrictEqual([{ method: "GET", path: "/status", authorization: undefined }]);
    expect(outcome(await remove(team))).toBe("204");
    expect((await get(team)).body).toStrictEqual({ status: "not_configured" });
  });

  it("is shown to every member, its token only to admins, and nothing to anybody else", async () => {
    const { team, service } = await newHeldTeam();
    const [admin, member, partner, stranger] = await Promise.all([
      team.add("admin"),
      team.add(),
      team.add("partner"),
      newUser(),
    ]);
    const shown = (await get(team)).body;
    expect(shown.settings.auth_token).toBe(service.authToken);
    expect((await get(team, admin)).body).toStrictEqual(shown);
    const withoutToken = { ...shown, settings: { ...shown.settings, auth_token: "" } };
    for (const user of [member, partner]) expect((await get(team, user)).body).toStrictEqual(withoutToken);
    expect(outcome(await get(team, stranger))).toBe("403 no-team-member");
  });

  it("is replaced by another one", async () => {
    const { team } = await newHeldTeam();
    const [other, admin] = await Promise.all([startService({ key: newServiceKey() }), team.add("admin")]);
    expect(outcome(await post(team, other.registration, admin))).toBe("201");
    expect((await get(team)).body.settings).toMatchObject(other.registration);
  });

  it("may have a path in its address", async () => {
    const [team, service] = await Promise.all([newTeamWithLegalHold(), startService()]);
    const registration = { ...service.registration, base_url: `${service.baseUrl}/hold/` };
    expect(outcome(await post(team, registration))).toBe("201");
    expect(service.calls).toMatchObject([{ path: "/hold/status" }]);
  });

  it("checks fields, feature, role, key and service, in this order", async () => {
    const [team, service, stranger] = await Promise.all([newTeam(), startService(), newUser()]);
    const member = await team.add();
    const good = service.registration;
    const shortKey = { ...good, public_key: newServiceKey(1024).publicKey };
    expect(outcome(await post(team, { ...good, base_url: "http://127.0.0.1" }, stranger))).toBe(
      "400 bad-request",
    );
    expect(outcome(await post(team, shortKey, stranger))).toBe("403 legalhold-not-enabled");
    await switchLegalHold(team, "enabled");
    expect(outcome(await post(team, shortKey, stranger))).toBe("403 no-team-member");
    expect(outcome(await post(team, shortKey, member))).toBe("403 operation-denied");
    expect(outcome(await post(team, shortKey))).toBe("400 legalhold-invalid-key");
    expect(service.connections).toBe(0);
    service.answer("/status", { status: 404 });
    expect(outcome(await post(team, good))).toBe("412 legalhold-unavailable");
    expect((await get(team)).body).toStrictEqual({ status: "not_configured" });
  });

  it("is refused with a malformed key, or one of another kind", async () => {
    const [team, service] = await Promise.all([newTeamWithLegalHold(), startService()]);
    const { privateKey, publicKey } = newServiceKey();
    const garbage = publicKey.replace(/MII.{8}/, "MIIAAAAAAAA");
    for (const public_key of [garbage, privateKey, publicKey.replaceAll("PUBLIC", "RSA PUBLIC")]) {
      const registering = await post(team, { ...service.registration, public_key });
      expect(outcome(registering)).toBe("400 legalhold-invalid-key");
    }
  });

  it("is refused when its certificate has another key", async () => {
    const [team, service] = await Promise.all([newTeamWithLegalHold(), startService()]);
    const registration = { ...service.registration, public_key: newServiceKey().publicKey };
    expect(outcome(await post(team, registration))).toBe("412 legalhold-unavailable");
    expect(service.calls).toStrictEqual([]);
  });

  it("may have a certificate of its own whose key is not meant to sign certificates", async () => {
    const [team, service] = await Promise.all([newTeamWithLegalHold(), startService({ isForServers: true })]);
    expect(outcome(await post(team, service.registration))).toBe("201");
  });

  it("is registered once, and consistently, by two concurrent admins", async () => {
    const team = await newTeamWithLegalHold();
    const [admin, first, second] = await Promise.all([
      team.add("admin"),
      startService(),
      startService({ key: newServiceKey() }),
    ]);
    const outcomes = await Promise.all([
      post(team, first.registration),
      post(team, second.registration, admin),
    ]);
    expect(outcomes.map(outcome)).toStrictEqual(["201", "201"]);
    const { settings } = (await get(team)).body;
    const [winner] = [first, second].filter(({ baseUrl }) => baseUrl === settings.base_url);
    expect(settings).toMatchObject({ ...winner?.registration });
  });

  it("is not registered by a user who is no longer an admin when the service answers", async () => {
    const [team, service] = await Promise.all([newTeamWithLegalHold(), startService()]);
    const admin = await team.add("admin");
    service.answer("/status", async () => {
      const json = { member: { user: admin.id, permissions: { self: 1587, copy: 1587 } } };
      await api("PUT", `/teams/${team.id}/members`, { token: team.owner.token, json });
      return {};
    });
    expect(outcome(await post(team, service.registration, admin))).toBe("403 operation-denied");
    expect((await get(team)).body).toStrictEqual({ status: "not_configured" });
  });
});

describe.concurrent("the removal of a legal hold service", () => {
  it("checks feature, role and password, in this order", async () => {
    const { team } = await newHeldTeam();
    const [member, stranger] = await Promise.all([team.add(), newUser()]);
    const off = await newTeam();
    const wrong = { password: "not the password" };
    expect(outcome(await remove(off, { user: stranger }))).toBe("403 legalhold-not-enabled");
    expect(outcome(await remove(team, { user: stranger }))).toBe("403 no-team-member");
    expect(outcome(await remove(team, { user: member }))).toBe("403 operation-denied");
    expect(outcome(await remove(team, { json: wrong }))).toBe("403 access-denied");
    expect(outcome(await remove(team, { json: {} }))).toBe("403 access-denied");
    expect((await get(team)).body.status).toBe("configured");
  });

  it("ends legal hold of all members, and tells the service of those who were under it", async () => {
    const { team, service, members, statusOf } = await newHeldTeam(["enabled", "pending", "disabled"]);
    const [enabled] = members;
    const untouched = await team.add();
    expect(outcome(await remove(team))).toBe("204");
    expect(await Promise.all(members.map(statusOf))).toStrictEqual([ended, ended, ended]);
    expect(await statusOf(untouched)).toStrictEqual({ member: "no_consent", account: undefined });
    expect(service.callsOf("/remove")).toMatchObject([
      { authorization: `Bearer ${service.authToken}`, body: { user_id: enabled?.id, team_id: team.id } },
    ]);
  });

  it("can be repeated", async () => {
    const { team } = await newHeldTeam();
    expect(outcome(await remove(team))).toBe("204");
    expect(outcome(await remove(team))).toBe("204");
  });

  it("ends legal hold even if the service cannot be reached", async () => {
    const { team, service, members, statusOf } = await newHeldTeam(["enabled", "enabled", "pending"]);
    service.stop();
    expect(outcome(await remove(team))).toBe("204");
    expect(await Promise.all(members.map(statusOf))).toStrictEqual([ended, ended, ended]);
    expect((await get(team)).body).toStrictEqual({ status: "not_configured" });
  });

  it("continues from where an earlier removal has stopped", async () => {
    const { team, members, statusOf } = await newHeldTeam(["enabled"]);
    await data.beginEnd(team.id);
    expect((await get(team)).body).toStrictEqual({ status: "not_configured" });
    expect(outcome(await remove(team))).toBe("204");
    expect(await Promise.all(members.map(statusOf))).toStrictEqual([ended]);
    expect(await data.isEnding(team.id)).toBe(false);
  });

  it("lets no other service take over before it has finished", async () => {
    const { team, service } = await newHeldTeam(["enabled"]);
    await data.beginEnd(team.id);
    expect(outcome(await post(team, service.registration))).toBe("409 concurrent-change");
    expect(outcome(await remove(team))).toBe("204");
    expect(outcome(await post(team, service.registration))).toBe("201");
  });

  it("leaves either one service or none when one is registered concurrently", async () => {
    const { team, service, members, statusOf } = await newHeldTeam(["enabled"]);
    const [removed, registered] = await Promise.all([remove(team), post(team, service.registration)]);
    expect(outcome(removed)).toBe("204");
    expect(outcome(registered)).toMatch(/^(201|409 concurrent-change)$/);
    expect(await data.isEnding(team.id)).toBe(false);
    expect(await Promise.all(members.map(statusOf))).toStrictEqual([ended]);
    expect((await get(team)).body.status).toMatch(/^(not_)?configured$/);
  });

  it("happens when the feature is disabled while locked, but not when it is locked", async () => {
    const { team, service, members, statusOf } = await newHeldTeam(["enabled"]);
    const change = (json: object) => internalApi("PATCH", `/i/teams/${team.id}/features/legalhold`, { json });
    expect(outcome(await change({ lockStatus: "locked" }))).toBe("200");
    expect((await get(team)).body).toStrictEqual({ status: "disabled" });
    expect(await data.isEnding(team.id)).toBe(false);
    expect(outcome(await change({ lockStatus: "unlocked" }))).toBe("200");
    expect((await get(team)).body.status).toBe("configured");
    await change({ lockStatus: "locked" });
    expect(outcome(await change({ status: "disabled" }))).toBe("200");
    await eventually(async () => expect(await Promise.all(members.map(statusOf))).toStrictEqual([ended]));
    expect(service.callsOf("/remove")).toHaveLength(1);
  });

  it("happens when legal hold is switched off for the team, too", async () => {
    const { team, service, members, statusOf } = await newHeldTeam(["enabled", "pending"]);
    await switchLegalHold(team, "disabled");
    expect((await get(team)).body).toStrictEqual({ status: "disabled" });
    await eventually(async () => expect(await data.isEnding(team.id)).toBe(false));
    expect(await Promise.all(members.map(statusOf))).toStrictEqual([ended, ended]);
    expect(service.callsOf("/remove")).toHaveLength(1);
    await switchLegalHold(team, "enabled");
    expect((await get(team)).body).toStrictEqual({ status: "not_configured" });
  });
});

describe("the removal of a legal hold service that takes long", () => {
  it("leaves members to a job after 3 s, and admits no other service until that has finished", async () => {
    const own = await stackWith({}, { isClockStopped: true });
    const data = legalHoldData(own);
    const { team, service, members, statusOf } = await newHeldTeam(Array(10).fill("enabled"), own);
    service.answer("/remove", async () => {
      own.advance(1);
      return {};
    });
    expect(outcome(await remove(team, { apis: own }))).toBe("204");
    const left = (await Promise.all(members.map(statusOf))).filter(({ member }) => member === "enabled");
    expect(left).toHaveLength(2);
    expect(await data.isEnding(team.id)).toBe(true);
    expect((await get(team, team.owner, own)).body).toStrictEqual({ status: "not_configured" });
    expect(outcome(await post(team, service.registration, team.owner, own))).toBe("409 concurrent-change");
    own.advance(60);
    await own.invoke("outbox-sweeper", {});
    await eventually(async () => expect(await data.isEnding(team.id)).toBe(false));
    for (const status of await Promise.all(members.map(statusOf))) expect(status).toStrictEqual(ended);
    expect(service.callsOf("/remove")).toHaveLength(10);
    expect(outcome(await post(team, service.registration, team.owner, own))).toBe("201");
  });
});

describe("the removal of a legal hold service that fails", () => {
  it("has to be repeated only for the member for whom it failed", async () => {
    const own = await stackWith();
    const { team, members, statusOf } = await newHeldTeam(["enabled", "enabled", "pending"], own);
    const statuses = () => Promise.all(members.map(statusOf));
    const endFaults = injectFaults(({ action, body }) =>
      action === "TransactWriteItems" && body.includes(String(members[0]?.id)) ? "denied" : undefined,
    );
    await expect(remove(team, { apis: own })).rejects.toThrow("answered 500");
    endFaults();
    const enabled = { member: "enabled", account: "enabled" };
    expect(await statuses()).toStrictEqual([enabled, ended, ended]);
    expect((await get(team, team.owner, own)).body).toStrictEqual({ status: "not_configured" });
    expect(outcome(await remove(team, { apis: own }))).toBe("204");
    expect(await statuses()).toStrictEqual([ended, ended, ended]);
    expect(await legalHoldData(own).isEnding(team.id)).toBe(false);
  });
});

describe.concurrent("teams that the operator lists", () => {
  let own: OwnStack;
  beforeAll(async () => {
    own = await stackWith({ legalhold: "whitelist-teams-and-implicit-consent" });
  });

  const list = (method: string, { id }: { id: string }, { internalApi: call }: Apis = own) =>
    call(method, `/i/legalhold/whitelisted-teams/${id}`);
  const listed = async (query = "") =>
    (await own.internalApi("GET", `/i/legalhold/whitelisted-teams${query}`)).body;

  it("are on the list until they are taken off it, however often either is repeated", async () => {
    const team = await newTeam({}, own);
    expect(outcome(await list("GET", team))).toMatch(/^404/);
    for (const _ of [1, 2]) expect(outcome(await list("PUT", team))).toBe("200");
    expect(outcome(await list("GET", team))).toBe("200");
    expect(await listed()).toContain(team.id);
    for (const _ of [1, 2]) expect(outcome(await list("DELETE", team))).toBe("204");
    expect(outcome(await list("GET", team))).toMatch(/^404/);
    expect(await listed()).not.toContain(team.id);
  });

  it("are listed page by page", async () => {
    const teams = await Promise.all([1, 2, 3].map(() => newTeam({}, own)));
    await Promise.all(teams.map((team) => list("PUT", team)));
    const found: string[] = [];
    for (;;) {
      const page: string[] = await listed(`?size=2${found.length > 0 ? `&start=${found.at(-1)}` : ""}`);
      found.push(...page);
      if (page.length < 2) break;
    }
    expect(found).toStrictEqual([...new Set(found)].sort());
    expect(found).toEqual(expect.arrayContaining(teams.map(({ id }) => id)));
  });

  it("have legal hold, which their admins can neither switch off nor end", async () => {
    const [team, service, stranger] = await Promise.all([newTeam({}, own), startService(), newUser({}, own)]);
    const { token } = team.owner;
    const path = `/teams/${team.id}/features/legalhold`;
    const feature = async () => (await own.publicApi("GET", path, { token })).body.status;
    const removing = { token: stranger.token, json: {} };
    expect(await feature()).toBe("disabled");
    expect(outcome(await post(team, service.registration, team.owner, own))).toBe(
      "403 legalhold-not-enabled",
    );
    await list("PUT", team);
    expect(await feature()).toBe("enabled");
    const switching = await own.publicApi("PUT", path, { token, json: { status: "disabled" } });
    expect(outcome(switching)).toBe("403 legalhold-whitelisted-only");
    expect(outcome(await post(team, service.registration, team.owner, own))).toBe("201");
    const removal = await own.publicApi("DELETE", pathOf(team), removing);
    expect(outcome(removal)).toBe("403 legalhold-disable-unimplemented");
    await list("DELETE", team);
    expect(await feature()).toBe("disabled");
    expect((await get(team, team.owner, own)).body).toStrictEqual({ status: "disabled" });
  });

  it("are settled even if one member cannot be: that member gets a separate job", async () => {
    const team = await newTeam({}, own);
    const ids = [team.owner.id, (await team.add()).id, (await team.add()).id].toSorted();
    const [stuck = ""] = ids;
    const asked = new Set<string>();
    let isOrdered = false;
    const end = injectFaults(({ action, body }) => {
      if (body.includes('settle-legal-hold\\"') && body.includes(stuck)) isOrdered = true;
      if (action !== "Query" || !body.includes("-connections")) return undefined;
      for (const id of ids) if (body.includes(`user#${id}`)) asked.add(id);
      return body.includes(`user#${stuck}`) ? "denied" : undefined;
    });
    await list("PUT", team);
    await eventually(() => {
      expect([...asked].toSorted()).toEqual(ids);
      expect(isOrdered).toBe(true);
    });
    end();
  });

  it("get back connections that missing consent had blocked", async () => {
    const [holding, joining] = await Promise.all([newTeam({}, own), newTeam({}, own)]);
    const [held, peer] = await Promise.all([holding.add(), joining.add()]);
    await list("PUT", holding);
    await connectUsers(held, peer, own);
    await setLegalHold(held, "enabled", own);
    const { token } = peer;
    const path = `/connections/${localDomain}/${held.id}`;
    const connection = async () => (await own.publicApi("GET", path, { token })).body.status;
    await eventually(async () => expect(await connection()).toBe("missing-legalhold-consent"));
    await list("PUT", joining);
    await eventually(async () => expect(await connection()).toBe("accepted"));
    await list("DELETE", joining);
    expect(await connection()).toBe("accepted");
  });

  it("must exist to be listed", async () => {
    const nowhere = { id: randomUUID() };
    expect(outcome(await list("PUT", nowhere))).toBe("404 no-team");
    expect(outcome(await list("GET", nowhere))).toMatch(/^404/);
    expect(outcome(await list("DELETE", nowhere))).toBe("204");
  });

  it("are removed from the list, with everything about their legal hold, when they are deleted", async () => {
    const [team, service] = await Promise.all([newTeam({}, own), startService()]);
    await list("PUT", team);
    await post(team, service.registration, team.owner, own);
    const { token, password } = team.owner;
    await own.publicApi("DELETE", `/teams/${team.id}`, { token, json: { password } });
    await eventually(async () => {
      const { teams = [] } = await itemsMentioning(team.id, own.prefix);
      expect(teams).toMatchObject([{ entry: "team", status: "deleted" }]);
    });
    expect(await listed()).not.toContain(team.id);
    expect(service.callsOf("/remove")).toStrictEqual([]);
  });

  it("have no legal hold where the setting does not use the list", async () => {
    const team = await newTeam();
    expect(outcome(await list("PUT", team, shared))).toBe("200");
    expect(outcome(await list("GET", team, shared))).toMatch(/^404/);
    expect((await internalApi("GET", "/i/legalhold/whitelisted-teams")).body).toStrictEqual([]);
    expect((await get(team)).body).toStrictEqual({ status: "disabled" });
  });
});

describe.concurrent("calls to the service of a team", () => {
  let own: OwnStack;
  beforeAll(async () => {
    const rate = { burst: 2, refillSeconds: 3600 };
    own = await stackWith({
      legalHoldService: {
        ...testSettings.legalHoldService,
        registrationRateLimit: rate,
        changeRateLimit: rate,
      },
    });
  });

  it("are limited when services are registered, for all admins of a team together", async () => {
    const [{ team, service }, other] = await Promise.all([newHeldTeam([], own), newHeldTeam([], own)]);
    const admin = await team.add("admin");
    service.answer("/status", { status: 404 });
    const again = (user: User) => post(team, service.registration, user, own);
    expect(outcome(await again(admin))).toBe("412 legalhold-unavailable");
    const refused = await again(team.owner);
    expect(outcome(refused)).toBe("429 too-many-requests");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(1800);
    expect(service.callsOf("/status")).toHaveLength(2);
    expect(outcome(await post(other.team, other.service.registration, other.team.owner, own))).toBe("201");
  });

  it("are limited per user when legal hold is requested, approved and ended", async () => {
    const { team, service, members } = await newHeldTeam(["disabled", "disabled"], own);
    const [member, second] = members as [User, User];
    const call = (method: string, { token }: User, path: string, json?: object) =>
      own.publicApi(method, `/teams/${team.id}/legalhold/${path}`, { token, json });
    const password = { password: team.owner.password };
    service.answer("/confirm", { status: 404 });
    expect(outcome(await call("POST", team.owner, member.id))).toBe("201");
    expect(outcome(await call("POST", team.owner, member.id))).toBe("204");
    expect(outcome(await call("POST", team.owner, second.id))).toBe("429 too-many-requests");
    expect(outcome(await call("DELETE", team.owner, member.id, password))).toBe("429 too-many-requests");
    for (const expected of [
      "412 legalhold-unavailable",
      "412 legalhold-unavailable",
      "429 too-many-requests",
    ])
      expect(outcome(await call("PUT", member, `${member.id}/approve`, password))).toBe(expected);
    expect(outcome(await call("DELETE", team.owner, second.id, password))).toBe("204");
    expect(service.callsOf("/initiate")).toHaveLength(2);
    expect(service.callsOf("/confirm")).toHaveLength(2);
  });
});

describe("an installation that has not allowed private addresses", () => {
  let own: OwnStack;
  beforeAll(async () => {
    own = await stackWith({ legalHoldService: { timeoutMilliseconds: 100 } });
  });

  it.each(["127.0.0.1", "localhost", "[::1]", "169.254.169.254"])(
    "connects to no service at %s",
    async (host) => {
      const [team, service] = await Promise.all([newTeam({}, own), startService()]);
      await switchLegalHold(team, "enabled", own);
      const base_url = service.baseUrl.replace("127.0.0.1", host);
      const registering = post(team, { ...service.registration, base_url }, team.owner, own);
      expect(outcome(await registering)).toBe("412 legalhold-unavailable");
      expect(service.connections).toBe(0);
    },
  );
});
