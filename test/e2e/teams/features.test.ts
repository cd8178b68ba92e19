import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { featureNames, lockableFeatures, publicFeatures } from "#shared/teams/features/catalogue.ts";
import { type ApiAnswer, api, internalApi, outcome } from "../../support/api.ts";
import { eventSource } from "../../support/events.ts";
import { newInvitation } from "../../support/invitations.ts";
import { newApp, newTokens, type Tokens } from "../../support/oauth.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { openSocket, type TestSocket } from "../../support/socket.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { type Apis, newUser, register, type User } from "../../support/users.ts";

const shared: Apis = { publicApi: api, internalApi };
const enabled = { status: "enabled" };
const disabled = { status: "disabled" };

const pathOf = ({ id }: Pick<Team, "id">, name: string) => `/teams/${id}/features/${name}`;

const get = (team: Team, name: string, { token }: User = team.owner, { publicApi } = shared) =>
  publicApi("GET", pathOf(team, name), { token });

const put = (
  team: Team,
  name: string,
  json: unknown,
  { user = team.owner, version = "", apis = shared }: { user?: User; version?: string; apis?: Apis } = {},
) => apis.publicApi("PUT", version + pathOf(team, name), { token: user.token, json });

/** Change a feature as the operator. */
const operate = (
  team: Pick<Team, "id">,
  name: string,
  json?: unknown,
  { method = json === undefined ? "PUT" : "PATCH", apis = shared } = {},
) => apis.internalApi(method, `/i${pathOf(team, name)}`, { json });

const unlock = (team: Pick<Team, "id">, name: string) => operate(team, name, { lockStatus: "unlocked" });

const hearFeatures = async ({ token }: User) => {
  const socket = await openSocket("/await", { token });
  return {
    /** Data of feature events, up to that of a given feature. */
    until: async (name: string) => {
      await socket.next(({ payload }) => payload?.[0]?.name === name);
      return eventsOf(socket);
    },
  };
};

const eventsOf = ({ frames }: TestSocket) =>
  frames.flatMap(({ payload = [] }) => payload).filter(({ type }) => type === "feature-config.update");

const mlsConfig = {
  protocolToggleUsers: [],
  defaultProtocol: "mls",
  supportedProtocols: ["proteus", "mls"],
  allowedCipherSuites: [1],
  defaultCipherSuite: 1,
};

describe.concurrent("a feature of a team", () => {
  it("is changed by admins and owners, and read by every member", async () => {
    const team = await newTeam();
    const [admin, member, partner] = await Promise.all([
      team.add("admin"),
      team.add("member"),
      team.add("partner"),
    ]);
    for (const user of [member, partner]) {
      expect(outcome(await put(team, "fileSharing", disabled, { user }))).toBe("403 operation-denied");
    }
    expect(await put(team, "fileSharing", disabled, { user: admin })).toMatchObject({
      status: 200,
      body: { status: "disabled", lockStatus: "unlocked", ttl: "unlimited" },
    });
    for (const user of [team.owner, member, partner]) {
      expect((await get(team, "fileSharing", user)).body.status).toBe("disabled");
    }
  });

  it("is hidden from strangers, as is whether the team exists", async () => {
    const [team, other] = await Promise.all([newTeam(), newTeam()]);
    for (const target of [team, { ...team, id: randomUUID() }]) {
      for (const path of [pathOf(target, "appLock"), `/teams/${target.id}/features`]) {
        const answer = await api("GET", path, { token: other.owner.token });
        expect(outcome(answer)).toBe("403 no-team-member");
      }
      const changed = await put(target, "fileSharing", disabled, { user: other.owner });
      expect(outcome(changed)).toBe("403 no-team-member");
    }
    expect((await get(team, "fileSharing")).body.status).toBe("enabled");
  });

  it("is listed among all features of the team", async () => {
    const team = await newTeam();
    await put(team, "selfDeletingMessages", { ...disabled, config: { enforcedTimeoutSeconds: 60 } });
    const { token } = await team.add("partner");
    const { body } = await api("GET", `/teams/${team.id}/features`, { token });
    expect(Object.keys(body).sort()).toEqual([...featureNames].sort());
    for (const name of featureNames) {
      expect(body[name]).toEqual((await get(team, name)).body);
    }
    expect(body.selfDeletingMessages).toEqual({
      status: "disabled",
      lockStatus: "unlocked",
      ttl: "unlimited",
      config: { enforcedTimeoutSeconds: 60 },
    });
  });

  it("answers 404 no-endpoint to a PUT where only the operator changes it, and to unknown names", async () => {
    const team = await newTeam();
    const closed = featureNames.filter((name) => !(publicFeatures as readonly string[]).includes(name));
    expect(closed).toEqual([
      "sso",
      "validateSAMLemails",
      "digitalSignatures",
      "classifiedDomains",
      "limitedEventFanout",
      "domainRegistration",
    ]);
    for (const name of [...closed, "callingVideo", "conversation_guest_links"]) {
      expect(outcome(await put(team, name, enabled))).toBe("404 no-endpoint");
    }
    const remove = await api("DELETE", pathOf(team, "appLock"), { token: team.owner.token });
    expect(outcome(remove)).toBe("404 no-endpoint");
  });

  it("can be changed only by the operator while it is locked, who can change both in one call", async () => {
    const team = await newTeam();
    const member = await team.add();
    expect(outcome(await put(team, "outlookCalIntegration", enabled))).toBe("409 feature-locked");
    const { until } = await hearFeatures(member);
    const value = { status: "enabled", lockStatus: "unlocked", ttl: "unlimited" };
    const patched = await operate(team, "outlookCalIntegration", { ...enabled, lockStatus: "unlocked" });
    expect(patched).toMatchObject({ status: 200, body: value });
    expect(await until("outlookCalIntegration")).toEqual([
      { type: "feature-config.update", team: team.id, name: "outlookCalIntegration", data: value },
    ]);
    expect((await put(team, "outlookCalIntegration", disabled)).body.status).toBe("disabled");
  });

  it("shows the default while it is locked, and what was stored after that", async () => {
    const team = await newTeam();
    const stored = { ...disabled, config: { enforceAppLock: true, inactivityTimeoutSecs: 40 } };
    await put(team, "appLock", stored);
    await operate(team, "appLock", { lockStatus: "locked" });
    expect((await get(team, "appLock")).body).toMatchObject({
      status: "enabled",
      lockStatus: "locked",
      config: { enforceAppLock: false, inactivityTimeoutSecs: 60 },
    });
    await unlock(team, "appLock");
    expect((await get(team, "appLock")).body).toMatchObject({ ...stored, lockStatus: "unlocked" });
  });

  it("refuses an app lock below 30 seconds without an event, and announces one of 30 with its whole configuration", async () => {
    const team = await newTeam();
    const { until } = await hearFeatures(await team.add());
    const lockAfter = (inactivityTimeoutSecs: number) =>
      put(team, "appLock", { ...enabled, config: { enforceAppLock: true, inactivityTimeoutSecs } });
    expect(outcome(await lockAfter(29))).toBe("400 inactivity-timeout-too-low");
    expect(outcome(await lockAfter(30))).toBe("200");
    await put(team, "fileSharing", enabled);
    expect((await until("fileSharing"))[0]).toMatchObject({
      name: "appLock",
      data: {
        status: "enabled",
        lockStatus: "unlocked",
        ttl: "unlimited",
        config: { enforceAppLock: true, inactivityTimeoutSecs: 30 },
      },
    });
  });

  it("is announced to all members, including the connection that changed it, and again when repeated", async () => {
    const team = await newTeam();
    const listeners = await Promise.all(
      [team.owner, await team.add("partner")].map((user) => hearFeatures(user)),
    );
    await put(team, "fileSharing", disabled);
    await put(team, "fileSharing", disabled);
    await put(team, "conversationGuestLinks", disabled);
    for (const { until } of listeners) {
      expect((await until("conversationGuestLinks")).map(({ name }) => name)).toEqual([
        "fileSharing",
        "fileSharing",
        "conversationGuestLinks",
      ]);
    }
    const { body } = await api("GET", "/notifications", { token: team.owner.token });
    const types = body.notifications.map(({ payload }: { payload: { type: string }[] }) => payload[0]?.type);
    expect(types).toEqual(Array(3).fill("feature-config.update"));
  });

  it("ignores ttl and lockStatus of a PUT, and refuses wrong values", async () => {
    const team = await newTeam();
    for (const ttl of [3600, "unlimited"]) {
      const { body } = await put(team, "fileSharing", { ...enabled, ttl, lockStatus: "locked" });
      expect(body).toEqual({ status: "enabled", lockStatus: "unlocked", ttl: "unlimited" });
    }
    for (const json of [
      undefined,
      null,
      {},
      { status: "on" },
      { status: null },
      { ...enabled, ttl: "1d" },
      { ...enabled, ttl: -1 },
      { lockStatus: "unlocked" },
    ]) {
      expect(outcome(await put(team, "fileSharing", json))).toMatch(/^(400 bad-request|415 )/);
    }
    for (const config of [
      undefined,
      {},
      { enforceAppLock: "true", inactivityTimeoutSecs: 60 },
      { enforceAppLock: true, inactivityTimeoutSecs: 60.5 },
      { enforceAppLock: true, inactivityTimeoutSecs: 2 ** 31 },
      { enforceAppLock: true },
    ]) {
      expect(outcome(await put(team, "appLock", { ...enabled, config }))).toBe("400 bad-request");
    }
    expect((await get(team, "appLock")).body.config).toEqual({
      enforceAppLock: false,
      inactivityTimeoutSecs: 60,
    });
  });

  it("keeps the configuration of conference calls when a PUT has none", async () => {
    const team = await newTeam();
    await unlock(team, "conferenceCalling");
    await put(team, "conferenceCalling", { ...enabled, config: { useSFTForOneToOneCalls: true } });
    expect((await put(team, "conferenceCalling", disabled)).body).toMatchObject({
      status: "disabled",
      config: { useSFTForOneToOneCalls: true },
    });
  });

  it("has old names in old versions, and other spellings in all versions", async () => {
    const team = await newTeam();
    const old = (version: number, spelling: string) =>
      api("GET", `/v${version}${pathOf(team, spelling)}`, { token: team.owner.token });
    for (const [spelling, name] of [
      ["search-visibility", "searchVisibility"],
      ["validate-saml-emails", "validateSAMLemails"],
      ["digital-signatures", "digitalSignatures"],
    ] as const) {
      const { body } = await get(team, name);
      for (const version of [0, 1]) expect((await old(version, spelling)).body).toEqual(body);
      for (const version of [2, 8]) expect(outcome(await old(version, spelling))).toBe("404 no-endpoint");
    }
    for (const version of [0, 8, 9]) {
      expect((await old(version, "validateSAMLEmails")).body.status).toBe("enabled");
    }
    expect((await put(team, "search-visibility", enabled, { version: "/v1" })).status).toBe(200);
    expect((await get(team, "searchVisibility")).body.status).toBe("enabled");
  });
});

describe.concurrent("MLS", () => {
  it("is refused with a default protocol that is not supported", async () => {
    const team = await newTeam();
    const config = { ...mlsConfig, supportedProtocols: ["proteus"] };
    expect(outcome(await put(team, "mls", { ...enabled, config }))).toBe("400 mls-protocol-mismatch");
    expect((await get(team, "mls")).body.status).toBe("disabled");
    expect(await put(team, "mls", { ...enabled, config: mlsConfig })).toMatchObject({
      status: 200,
      body: { status: "enabled", config: mlsConfig },
    });
  });

  it("cannot be switched off while the migration to it is on", async () => {
    const team = await newTeam();
    await unlock(team, "mlsMigration");
    const migrate = (value: object) => put(team, "mlsMigration", { ...value, config: {} });
    expect(outcome(await migrate(enabled))).toBe("400 mls-protocol-mismatch");
    await put(team, "mls", { ...enabled, config: mlsConfig });
    const config = { startTime: "2026-01-01T00:00:00Z", finaliseRegardlessAfter: "2026-06-01T00:00:00.000Z" };
    const old = { usersThreshold: 50, clientsThreshold: 50 };
    const { body } = await put(team, "mlsMigration", { ...enabled, config: { ...config, ...old } });
    expect(body.config).toEqual(config);
    expect(outcome(await put(team, "mls", { ...disabled, config: mlsConfig }))).toBe(
      "400 mls-protocol-mismatch",
    );
    expect(outcome(await migrate(disabled))).toBe("200");
    expect(outcome(await put(team, "mls", { ...disabled, config: mlsConfig }))).toBe("200");
  });

  it("is migrated to at times with any offset, which are shown in UTC", async () => {
    const team = await newTeam();
    await unlock(team, "mlsMigration");
    await put(team, "mls", { ...enabled, config: mlsConfig });
    const migrate = (config: object) => put(team, "mlsMigration", { ...enabled, config });
    const { body } = await migrate({
      startTime: "2026-01-01T01:30:00+02:00",
      finaliseRegardlessAfter: "2026-06-01T00:00:00.25-00:30",
    });
    const inUtc = {
      startTime: "2025-12-31T23:30:00.000Z",
      finaliseRegardlessAfter: "2026-06-01T00:30:00.250Z",
    };
    expect(body.config).toEqual(inUtc);
    for (const startTime of [
      "9999-12-31T23:59:59-00:01",
      "0000-01-01T00:00:00+00:01",
      "2026-01-01T00:00:00",
      "x",
    ])
      expect(outcome(await migrate({ startTime }))).toBe("400 bad-request");
    expect((await get(team, "mlsMigration")).body.config).toEqual(inUtc);
  });

  it("is never off while the migration is on, whichever concurrent change is first", async () => {
    for (let round = 0; round < 5; round++) {
      const team = await newTeam();
      await unlock(team, "mlsMigration");
      await put(team, "mls", { ...enabled, config: mlsConfig });
      const answers = await Promise.all([
        put(team, "mls", { ...disabled, config: mlsConfig }),
        put(team, "mlsMigration", { ...enabled, config: {} }),
      ]);
      expect(answers.map(outcome).sort()).toEqual(["200", "400 mls-protocol-mismatch"]);
      const [mls, migration] = await Promise.all([get(team, "mls"), get(team, "mlsMigration")]);
      expect([mls.body.status, migration.body.status]).not.toEqual(["disabled", "enabled"]);
    }
  });

  it("requires a proxy for revocation lists in end-to-end identity from version 6 on", async () => {
    const team = await newTeam();
    await unlock(team, "mlsE2EId");
    const config = { verificationExpiration: 3600, acmeDiscoveryUrl: "https://acme.example.com/dir" };
    const change = (version: string, fields: object = {}, user = team.owner) =>
      put(team, "mlsE2EId", { ...enabled, config: { ...config, ...fields } }, { version, user });
    const member = await team.add();
    for (const user of [team.owner, member]) {
      for (const version of ["/v6", "/v9"]) {
        expect(outcome(await change(version, {}, user))).toBe("400 mls-e2eid-missing-crl-proxy");
      }
    }
    expect(outcome(await change("/v5"))).toBe("200");
    const crlProxy = "https://crl.example.com";
    expect((await change("/v6", { crlProxy })).body.config).toEqual({
      ...config,
      crlProxy,
      useProxyOnMobile: false,
    });
    for (const url of ["http://crl.example.com", "crl.example.com", ""]) {
      expect(outcome(await change("/v6", { crlProxy: url }))).toBe("400 bad-request");
    }
  });
});

describe.concurrent("concurrent changes of features", () => {
  it("are all kept, whichever features they affect", async () => {
    const team = await newTeam();
    const names = ["fileSharing", "conversationGuestLinks", "searchVisibility", "searchVisibilityInbound"];
    const answers = await Promise.all(
      names.flatMap((name) => [
        put(team, name, name.startsWith("search") ? enabled : disabled),
        operate(team, "limitedEventFanout", enabled),
      ]),
    );
    expect(answers.map(outcome)).toEqual(Array(8).fill("200"));
    const { body } = await api("GET", `/teams/${team.id}/features`, { token: team.owner.token });
    expect(names.map((name) => body[name].status)).toEqual(["disabled", "disabled", "enabled", "enabled"]);
    expect(body.limitedEventFanout.status).toBe("enabled");
  });

  it("of one feature end with one of the values", async () => {
    const team = await newTeam();
    const { until } = await hearFeatures(team.owner);
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => put(team, "fileSharing", index % 2 ? enabled : disabled)),
    );
    expect(answers.map(outcome)).toEqual(Array(6).fill("200"));
    await put(team, "conversationGuestLinks", enabled);
    const events = (await until("conversationGuestLinks")).filter(({ name }) => name === "fileSharing");
    expect(events).toHaveLength(6);
    expect((await get(team, "fileSharing")).body.status).toBe(events.at(-1)?.data.status);
  });

  it("change nothing once the feature is locked", async () => {
    for (let round = 0; round < 5; round++) {
      const team = await newTeam();
      await unlock(team, "cells");
      const [changed, locked] = await Promise.all([
        put(team, "cells", enabled),
        operate(team, "cells/locked"),
      ]);
      expect(outcome(locked)).toBe("200");
      expect(["200", "409 feature-locked"]).toContain(outcome(changed));
      await operate(team, "cells/unlocked");
      const status = outcome(changed) === "200" ? "enabled" : "disabled";
      expect((await get(team, "cells")).body).toMatchObject({ status, lockStatus: "unlocked" });
    }
  });
});

describe.concurrent("the operator", () => {
  it("reads, changes, locks and unlocks features of a team", async () => {
    const team = await newTeam();
    expect((await operate(team, "appLock", undefined, { method: "GET" })).body).toEqual(
      (await get(team, "appLock")).body,
    );
    const config = { enforceAppLock: true, inactivityTimeoutSecs: 90 };
    const change = (json: object, method: string) => operate(team, "appLock", json, { method });
    expect((await change({ ...disabled, config }, "PUT")).body).toMatchObject({ ...disabled, config });
    expect((await change({ ...enabled }, "PATCH")).body).toMatchObject({ ...enabled, config });
    expect(outcome(await change({ config: { ...config, inactivityTimeoutSecs: 1 } }, "PATCH"))).toBe(
      "400 inactivity-timeout-too-low",
    );
    for (const json of [{}, { lockStatus: "open" }, { status: null }]) {
      expect(outcome(await change(json, "PATCH"))).toBe("400 bad-request");
    }
    await change({ lockStatus: "locked" }, "PATCH");
    expect(outcome(await change({ ...enabled, config }, "PUT"))).toBe("409 feature-locked");
    expect((await change({ ...disabled }, "PATCH")).body).toMatchObject({ ...enabled, lockStatus: "locked" });
    expect((await change({ lockStatus: "unlocked" }, "PATCH")).body).toMatchObject({ ...disabled, config });
  });

  it("locks and unlocks without a body and without an event, but only some features", async () => {
    const team = await newTeam();
    const { until } = await hearFeatures(team.owner);
    for (const name of featureNames) {
      const isLockable = (lockableFeatures as readonly string[]).includes(name);
      for (const lockStatus of ["locked", "unlocked"]) {
        const answer = await operate(team, `${name}/${lockStatus}`);
        if (isLockable) {
          expect(answer).toMatchObject({ status: 200, body: { lockStatus } });
          expect((await get(team, name)).body.lockStatus).toBe(lockStatus);
        } else expect(outcome(answer)).toBe("404 no-endpoint");
      }
    }
    await put(team, "fileSharing", enabled);
    expect(await until("fileSharing")).toHaveLength(1);
  });

  it("gets an error for a team that does not exist", async () => {
    const team = { id: randomUUID() };
    for (const [method, json] of [
      ["GET", undefined],
      ["PUT", enabled],
      ["PATCH", enabled],
    ] as const) {
      expect(outcome(await operate(team, "cells", json, { method }))).toBe("404 no-team");
    }
    expect(outcome(await operate(team, "cells/locked"))).toBe("404 no-team");
    expect(outcome(await operate(team, "classifiedDomains", enabled))).toBe("404 no-endpoint");
  });

  it("enables single sign-on by two internal paths, and never disables it", async () => {
    const [team, other] = await Promise.all([newTeam(), newTeam()]);
    expect((await operate(team, "sso", enabled, { method: "PUT" })).body).toMatchObject(enabled);
    const { body } = await internalApi("PUT", pathOf(other, "sso"), { json: enabled });
    expect(body).toMatchObject(enabled);
    expect(outcome(await put(team, "sso", enabled))).toBe("404 no-endpoint");
    expect((await get(other, "sso")).body).toMatchObject(enabled);
    for (const method of ["PUT", "PATCH"]) {
      expect(outcome(await operate(team, "sso", disabled, { method }))).toBe("403 not-implemented");
    }
    expect((await get(team, "sso")).body).toMatchObject(enabled);
  });

  it("may spell the name of the inbound search visibility in two ways", async () => {
    const team = await newTeam();
    const dashed = "search-visibility-inbound";
    expect((await operate(team, dashed, enabled, { method: "PUT" })).body).toMatchObject(enabled);
    expect((await operate(team, dashed, undefined, { method: "GET" })).body).toMatchObject(enabled);
    expect((await get(team, "searchVisibilityInbound")).body).toMatchObject(enabled);
    expect(outcome(await get(team, dashed))).toBe("404 no-endpoint");
  });

  it("cannot change the links of invitations for teams that are not on the list", async () => {
    const team = await newTeam();
    const name = "exposeInvitationURLsToTeamAdmin";
    const value = { status: "disabled", lockStatus: "locked", ttl: "unlimited" };
    expect(outcome(await put(team, name, enabled))).toBe("409 feature-locked");
    for (const method of ["PUT", "PATCH"]) {
      expect(await operate(team, name, enabled, { method })).toMatchObject({ status: 200, body: value });
    }
    expect((await get(team, name)).body).toEqual(value);
  });

  it("refuses only an empty download location", async () => {
    const team = await newTeam();
    await unlock(team, "enforceFileDownloadLocation");
    const change = (config: object) => put(team, "enforceFileDownloadLocation", { ...enabled, config });
    expect(outcome(await change({ enforcedDownloadLocation: "" }))).toBe("400 empty-download-location");
    expect((await change({ enforcedDownloadLocation: "/tmp" })).body.config).toEqual({
      enforcedDownloadLocation: "/tmp",
    });
    expect((await change({})).body.config).toEqual({});
  });
});

describe.concurrent("the features of a user", () => {
  const ownFeatures = async ({ token }: Pick<User, "token">, { publicApi } = shared) =>
    (await publicApi("GET", "/feature-configs", { token })).body;
  const override = ({ id }: Pick<User, "id">, method: string, json?: object) =>
    internalApi(method, `/i/users/${id}/features/conferenceCalling`, { json });

  it("are those of the team", async () => {
    const team = await newTeam();
    const member = await team.add();
    await put(team, "fileSharing", disabled);
    await unlock(team, "conferenceCalling");
    await put(team, "conferenceCalling", disabled);
    await override(member, "PUT", enabled);
    const { body } = await api("GET", `/teams/${team.id}/features`, { token: member.token });
    expect(await ownFeatures(member)).toEqual(body);
    expect(body).toMatchObject({ fileSharing: disabled, conferenceCalling: disabled });
    const internal = await internalApi("GET", `/i/feature-configs?user_id=${member.id}`);
    expect(internal.body).toEqual(body);
  });

  it("are the defaults without a team, and conference calls by an override", async () => {
    const user = await newUser();
    const defaults = (await internalApi("GET", "/i/feature-configs")).body;
    expect(Object.keys(defaults).sort()).toEqual([...featureNames].sort());
    expect(await ownFeatures(user)).toEqual(defaults);
    expect((await override(user, "GET")).body).toEqual(enabled);

    expect(await override(user, "PUT", disabled)).toMatchObject({ status: 200, body: disabled });
    expect((await override(user, "GET")).body).toEqual(disabled);
    expect((await ownFeatures(user)).conferenceCalling).toEqual({
      ...defaults.conferenceCalling,
      status: "disabled",
    });

    expect((await override(user, "DELETE")).status).toBe(200);
    expect(await ownFeatures(user)).toEqual(defaults);
  });

  it("are open to apps with the scope for them, unlike those of a team", async () => {
    const team = await newTeam();
    const app = await newApp();
    const tokens = (scope: string) => newTokens(app, team.owner, { scope });
    const [allowed, other] = [await tokens("read:feature_configs"), await tokens("read:self")];
    const read = async (path: string, { access_token: token }: Tokens) =>
      outcome(await api("GET", path, { token }));
    expect(await read("/feature-configs", allowed)).toBe("200");
    expect(await read("/feature-configs", other)).toMatch(/^403 /);
    expect(await read(`/teams/${team.id}/features`, allowed)).toMatch(/^403 /);
  });

  it("return 404 for unknown and deleted users", async () => {
    const user = await newUser();
    await internalApi("DELETE", `/i/users/${user.id}`);
    expect(outcome(await api("GET", "/feature-configs", { token: user.token }))).toBe("404 not-found");
    for (const id of [randomUUID(), user.id]) {
      expect(outcome(await internalApi("GET", `/i/feature-configs?user_id=${id}`))).toBe("404 not-found");
      expect(outcome(await override({ id }, "GET"))).toBe("404 not-found");
      expect(outcome(await override({ id }, "PUT", enabled))).toBe("404 not-found");
    }
    expect(outcome(await internalApi("GET", "/i/feature-configs?user_id=nobody"))).toBe("400 bad-request");
  });

  it("can be read one by one in old versions", async () => {
    const team = await newTeam();
    const { token } = team.owner;
    const one = (version: string, name: string) =>
      api("GET", `${version}/feature-configs/${name}`, { token });
    expect((await one("/v1", "appLock")).body).toEqual((await get(team, "appLock")).body);
    expect(outcome(await one("/v2", "appLock"))).toBe("404 no-endpoint");
    expect(outcome(await one("/v0", "mlsE2EId"))).toBe("404 no-endpoint");
  });
});

describe.concurrent("settings of features", () => {
  const permanent = { legalhold: "disabled-permanently" } as const;
  let own: OwnStack;
  let whitelisting: OwnStack;

  beforeAll(async () => {
    [own, whitelisting] = await Promise.all([
      stackWith({
        ...permanent,
        conferenceCalling: { defaultForNew: "enabled", defaultForNull: "disabled" },
        sso: "enabled-by-default",
        teamSearchVisibility: "enabled-by-default",
        classifiedDomains: { status: "enabled", config: { domains: ["secret.example.com"] } },
        fileSharing: { defaults: { status: "disabled", lockStatus: "locked" } },
      }),
      stackWith({ legalhold: "whitelist-teams-and-implicit-consent" }),
    ]);
  });

  const ofTeam = async (team: Team, apis: Apis): Promise<ApiAnswer["body"]> =>
    (await apis.publicApi("GET", `/teams/${team.id}/features`, { token: team.owner.token })).body;

  it("decide what teams have", async () => {
    const team = await newTeam({}, own);
    expect(await ofTeam(team, own)).toMatchObject({
      sso: enabled,
      searchVisibility: enabled,
      classifiedDomains: { ...enabled, config: { domains: ["secret.example.com"] } },
      fileSharing: { ...disabled, lockStatus: "locked" },
    });
    expect(outcome(await put(team, "fileSharing", enabled, { apis: own }))).toBe("409 feature-locked");
  });

  it("can rule out legal hold, or leave it to the operator", async () => {
    const [none, byOperator] = await Promise.all([newTeam({}, own), newTeam({}, whitelisting)]);
    expect(outcome(await put(none, "legalhold", enabled, { apis: own }))).toBe("403 legalhold-not-enabled");
    expect(outcome(await operate(none, "legalhold", enabled, { apis: own }))).toBe(
      "403 legalhold-not-enabled",
    );
    expect(outcome(await put(byOperator, "legalhold", enabled, { apis: whitelisting }))).toBe(
      "403 legalhold-whitelisted-only",
    );
    expect((await ofTeam(byOperator, whitelisting)).legalhold).toMatchObject(disabled);
  });

  it("show the links of invitations to teams while they are on the list", async () => {
    const name = "exposeInvitationURLsToTeamAdmin";
    const team = await newTeam({}, own);
    const { token } = team.owner;
    const listed = await stackWith({ exposeInvitationURLsTeamAllowlist: [team.id] });
    await newInvitation(team, {}, own);
    const links = async ({ publicApi }: Apis) => {
      const { body } = await publicApi("GET", `/teams/${team.id}/invitations`, { token });
      return body.invitations.map(({ url }: { url?: string }) => url);
    };
    expect(outcome(await put(team, name, enabled, { apis: own }))).toBe("409 feature-locked");
    expect(await links(listed)).toEqual([undefined]);
    const { body } = await put(team, name, enabled, { apis: listed });
    expect(body).toEqual({ status: "enabled", lockStatus: "unlocked", ttl: "unlimited" });
    expect(await links(listed)).toEqual([expect.stringContaining("team-code=")]);
    expect(await links(own)).toEqual([undefined]);
    expect((await ofTeam(team, own))[name]).toMatchObject({ status: "disabled", lockStatus: "locked" });
  });

  it("give new users their own setting for conference calls, and others a default", async () => {
    const { body, cookie } = await register({}, own);
    const access = await own.publicApi("POST", "/access", { cookie });
    const { access_token: token } = access.body;
    const status = async () =>
      (await own.publicApi("GET", "/feature-configs", { token })).body.conferenceCalling.status;
    expect(await status()).toBe("enabled");
    const path = `/i/users/${body.id}/features/conferenceCalling`;
    expect((await own.internalApi("DELETE", path)).status).toBe(200);
    expect((await own.internalApi("GET", path)).body).toEqual(disabled);
    expect(await status()).toBe("disabled");
  });

  it("send no feature events in teams above the fan-out limit", async () => {
    // A separate one, because events of the shared stack are also handled with another limit.
    const small = await stackWith({ maxFanoutSize: 2 });
    const team = await newTeam({}, small);
    const [member] = [await team.add()];
    const socket = await openSocket("/await", { token: member.token }, small);
    const change = (name: string) => put(team, name, enabled, { apis: small });
    await change("conversationGuestLinks");
    await socket.next(({ payload }) => payload?.[0]?.type === "feature-config.update");
    await team.add();
    await change("searchVisibilityInbound");
    // Events of one group keep their order: this one arrives when the other would have.
    await eventSource(small).publish({ number: 1, to: [{ userId: member.id }], sender: team.id });
    await socket.next(({ payload }) => payload?.[0]?.number === 1);
    expect(eventsOf(socket).map(({ name }) => name)).toEqual(["conversationGuestLinks"]);
  });
});

describe.concurrent("legal hold", () => {
  it("is enabled and disabled by admins, but not in a team above the fan-out limit", async () => {
    const small = await stackWith({ maxFanoutSize: 2 });
    const team = await newTeam({}, small);
    const change = (json: object) => put(team, "legalhold", json, { apis: small });
    expect((await change(enabled)).body).toMatchObject(enabled);
    expect((await change(disabled)).body).toMatchObject(disabled);
    await Promise.all([team.add(), team.add()]);
    expect(outcome(await change(enabled))).toBe("403 too-large-team-for-legalhold");
    expect(outcome(await operate(team, "legalhold", enabled, { apis: small }))).toBe(
      "403 too-large-team-for-legalhold",
    );
    expect(outcome(await change(disabled))).toBe("200");
  });
});
