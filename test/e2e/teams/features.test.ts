import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { featureNames, lockableFeatures, publicFeatures } from "#shared/teams/features/catalogue.ts";
import { api, internalApi, outcome } from "../../support/api.ts";
import {
  featurePath,
  getFeature,
  operateFeature,
  putFeature,
  unlockFeature,
} from "../../support/features.ts";
import { openSocket, type TestSocket } from "../../support/socket.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam } from "../../support/teams.ts";
import type { User } from "../../support/users.ts";

const enabled = { status: "enabled" };
const disabled = { status: "disabled" };

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

describe.concurrent("a feature of a team", () => {
  it("is changed by admins and owners, and read by every member", async () => {
    const team = await newTeam();
    const [admin, member, partner] = await Promise.all([
      team.add("admin"),
      team.add("member"),
      team.add("partner"),
    ]);
    for (const user of [member, partner]) {
      expect(outcome(await putFeature(team, "fileSharing", disabled, { user }))).toBe("403 operation-denied");
    }
    expect(await putFeature(team, "fileSharing", disabled, { user: admin })).toMatchObject({
      status: 200,
      body: { status: "disabled", lockStatus: "unlocked", ttl: "unlimited" },
    });
    for (const user of [team.owner, member, partner]) {
      expect((await getFeature(team, "fileSharing", user)).body.status).toBe("disabled");
    }
  });

  it("is hidden from strangers, as is whether the team exists", async () => {
    const [team, other] = await Promise.all([newTeam(), newTeam()]);
    for (const target of [team, { ...team, id: randomUUID() }]) {
      for (const path of [featurePath(target, "appLock"), `/teams/${target.id}/features`]) {
        const answer = await api("GET", path, { token: other.owner.token });
        expect(outcome(answer)).toBe("403 no-team-member");
      }
      const changed = await putFeature(target, "fileSharing", disabled, { user: other.owner });
      expect(outcome(changed)).toBe("403 no-team-member");
    }
    expect((await getFeature(team, "fileSharing")).body.status).toBe("enabled");
  });

  it("is listed among all features of the team", async () => {
    const team = await newTeam();
    await putFeature(team, "selfDeletingMessages", { ...disabled, config: { enforcedTimeoutSeconds: 60 } });
    const { token } = await team.add("partner");
    const { body } = await api("GET", `/teams/${team.id}/features`, { token });
    expect(Object.keys(body).sort()).toEqual([...featureNames].sort());
    for (const name of featureNames) {
      expect(body[name]).toEqual((await getFeature(team, name)).body);
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
      expect(outcome(await putFeature(team, name, enabled))).toBe("404 no-endpoint");
    }
    const remove = await api("DELETE", featurePath(team, "appLock"), { token: team.owner.token });
    expect(outcome(remove)).toBe("404 no-endpoint");
  });

  it("can be changed only by the operator while it is locked, and the operator can change both in one call", async () => {
    const team = await newTeam();
    const member = await team.add();
    expect(outcome(await putFeature(team, "outlookCalIntegration", enabled))).toBe("409 feature-locked");
    const { until } = await hearFeatures(member);
    const value = { status: "enabled", lockStatus: "unlocked", ttl: "unlimited" };
    const patched = await operateFeature(team, "outlookCalIntegration", {
      ...enabled,
      lockStatus: "unlocked",
    });
    expect(patched).toMatchObject({ status: 200, body: value });
    expect(await until("outlookCalIntegration")).toEqual([
      { type: "feature-config.update", team: team.id, name: "outlookCalIntegration", data: value },
    ]);
    expect((await putFeature(team, "outlookCalIntegration", disabled)).body.status).toBe("disabled");
  });

  it("shows the default while it is locked, and the stored value afterwards", async () => {
    const team = await newTeam();
    const stored = { ...disabled, config: { enforceAppLock: true, inactivityTimeoutSecs: 40 } };
    await putFeature(team, "appLock", stored);
    await operateFeature(team, "appLock", { lockStatus: "locked" });
    expect((await getFeature(team, "appLock")).body).toMatchObject({
      status: "enabled",
      lockStatus: "locked",
      config: { enforceAppLock: false, inactivityTimeoutSecs: 60 },
    });
    await unlockFeature(team, "appLock");
    expect((await getFeature(team, "appLock")).body).toMatchObject({ ...stored, lockStatus: "unlocked" });
  });

  it("refuses an app lock below 30 seconds without an event, and announces one of 30 with its whole configuration", async () => {
    const team = await newTeam();
    const { until } = await hearFeatures(await team.add());
    const lockAfter = (inactivityTimeoutSecs: number) =>
      putFeature(team, "appLock", { ...enabled, config: { enforceAppLock: true, inactivityTimeoutSecs } });
    expect(outcome(await lockAfter(29))).toBe("400 inactivity-timeout-too-low");
    expect(outcome(await lockAfter(30))).toBe("200");
    await putFeature(team, "fileSharing", enabled);
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
    await putFeature(team, "fileSharing", disabled);
    await putFeature(team, "fileSharing", disabled);
    await putFeature(team, "conversationGuestLinks", disabled);
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
      const { body } = await putFeature(team, "fileSharing", { ...enabled, ttl, lockStatus: "locked" });
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
      expect(outcome(await putFeature(team, "fileSharing", json))).toMatch(/^(400 bad-request|415 )/);
    }
    for (const config of [
      undefined,
      {},
      { enforceAppLock: "true", inactivityTimeoutSecs: 60 },
      { enforceAppLock: true, inactivityTimeoutSecs: 60.5 },
      { enforceAppLock: true, inactivityTimeoutSecs: 2 ** 31 },
      { enforceAppLock: true },
    ]) {
      expect(outcome(await putFeature(team, "appLock", { ...enabled, config }))).toBe("400 bad-request");
    }
    expect((await getFeature(team, "appLock")).body.config).toEqual({
      enforceAppLock: false,
      inactivityTimeoutSecs: 60,
    });
  });

  it("keeps the configuration of conference calls when a PUT has none", async () => {
    const team = await newTeam();
    await unlockFeature(team, "conferenceCalling");
    await putFeature(team, "conferenceCalling", { ...enabled, config: { useSFTForOneToOneCalls: true } });
    expect((await putFeature(team, "conferenceCalling", disabled)).body).toMatchObject({
      status: "disabled",
      config: { useSFTForOneToOneCalls: true },
    });
  });

  it("has old names in old versions, and other spellings in all versions", async () => {
    const team = await newTeam();
    const old = (version: number, spelling: string) =>
      api("GET", `/v${version}${featurePath(team, spelling)}`, { token: team.owner.token });
    for (const [spelling, name] of [
      ["search-visibility", "searchVisibility"],
      ["validate-saml-emails", "validateSAMLemails"],
      ["digital-signatures", "digitalSignatures"],
    ] as const) {
      const { body } = await getFeature(team, name);
      for (const version of [0, 1]) expect((await old(version, spelling)).body).toEqual(body);
      for (const version of [2, 8]) expect(outcome(await old(version, spelling))).toBe("404 no-endpoint");
    }
    for (const version of [0, 8, 9]) {
      expect((await old(version, "validateSAMLEmails")).body.status).toBe("enabled");
    }
    expect((await putFeature(team, "search-visibility", enabled, { version: "/v1" })).status).toBe(200);
    expect((await getFeature(team, "searchVisibility")).body.status).toBe("enabled");
  });
});

describe.concurrent("concurrent changes of features", () => {
  it("are all kept, whichever features they affect", async () => {
    const team = await newTeam();
    const names = ["fileSharing", "conversationGuestLinks", "searchVisibility", "searchVisibilityInbound"];
    const answers = await Promise.all(
      names.flatMap((name) => [
        putFeature(team, name, name.startsWith("search") ? enabled : disabled),
        operateFeature(team, "limitedEventFanout", enabled),
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
      Array.from({ length: 6 }, (_, index) =>
        putFeature(team, "fileSharing", index % 2 ? enabled : disabled),
      ),
    );
    expect(answers.map(outcome)).toEqual(Array(6).fill("200"));
    await putFeature(team, "conversationGuestLinks", enabled);
    const events = (await until("conversationGuestLinks")).filter(({ name }) => name === "fileSharing");
    expect(events).toHaveLength(6);
    expect((await getFeature(team, "fileSharing")).body.status).toBe(events.at(-1)?.data.status);
  });

  it("change nothing once the feature is locked", async () => {
    for (let round = 0; round < 5; round++) {
      const team = await newTeam();
      await unlockFeature(team, "cells");
      const [changed, locked] = await Promise.all([
        putFeature(team, "cells", enabled),
        operateFeature(team, "cells/locked"),
      ]);
      expect(outcome(locked)).toBe("200");
      expect(["200", "409 feature-locked"]).toContain(outcome(changed));
      await operateFeature(team, "cells/unlocked");
      const status = outcome(changed) === "200" ? "enabled" : "disabled";
      expect((await getFeature(team, "cells")).body).toMatchObject({ status, lockStatus: "unlocked" });
    }
  });
});

describe.concurrent("the operator", () => {
  it("reads, changes, locks and unlocks features of a team", async () => {
    const team = await newTeam();
    expect((await operateFeature(team, "appLock", undefined, { method: "GET" })).body).toEqual(
      (await getFeature(team, "appLock")).body,
    );
    const config = { enforceAppLock: true, inactivityTimeoutSecs: 90 };
    const change = (json: object, method: string) => operateFeature(team, "appLock", json, { method });
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
        const answer = await operateFeature(team, `${name}/${lockStatus}`);
        if (isLockable) {
          expect(answer).toMatchObject({ status: 200, body: { lockStatus } });
          expect((await getFeature(team, name)).body.lockStatus).toBe(lockStatus);
        } else expect(outcome(answer)).toBe("404 no-endpoint");
      }
    }
    await putFeature(team, "fileSharing", enabled);
    expect(await until("fileSharing")).toHaveLength(1);
  });

  it("gets an error for a team that does not exist", async () => {
    const team = { id: randomUUID() };
    for (const [method, json] of [
      ["GET", undefined],
      ["PUT", enabled],
      ["PATCH", enabled],
    ] as const) {
      expect(outcome(await operateFeature(team, "cells", json, { method }))).toBe("404 no-team");
    }
    expect(outcome(await operateFeature(team, "cells/locked"))).toBe("404 no-team");
    expect(outcome(await operateFeature(team, "classifiedDomains", enabled))).toBe("404 no-endpoint");
  });

  it("enables single sign-on by two internal paths, and never disables it", async () => {
    const [team, other] = await Promise.all([newTeam(), newTeam()]);
    expect((await operateFeature(team, "sso", enabled, { method: "PUT" })).body).toMatchObject(enabled);
    const { body } = await internalApi("PUT", featurePath(other, "sso"), { json: enabled });
    expect(body).toMatchObject(enabled);
    expect(outcome(await putFeature(team, "sso", enabled))).toBe("404 no-endpoint");
    expect((await getFeature(other, "sso")).body).toMatchObject(enabled);
    for (const method of ["PUT", "PATCH"]) {
      expect(outcome(await operateFeature(team, "sso", disabled, { method }))).toBe("403 not-implemented");
    }
    expect((await getFeature(team, "sso")).body).toMatchObject(enabled);
  });

  it("may spell the name of the inbound search visibility in two ways", async () => {
    const team = await newTeam();
    const dashed = "search-visibility-inbound";
    expect((await operateFeature(team, dashed, enabled, { method: "PUT" })).body).toMatchObject(enabled);
    expect((await operateFeature(team, dashed, undefined, { method: "GET" })).body).toMatchObject(enabled);
    expect((await getFeature(team, "searchVisibilityInbound")).body).toMatchObject(enabled);
    expect(outcome(await getFeature(team, dashed))).toBe("404 no-endpoint");
  });

  it("cannot change the links of invitations for teams that are not on the list", async () => {
    const team = await newTeam();
    const name = "exposeInvitationURLsToTeamAdmin";
    const value = { status: "disabled", lockStatus: "locked", ttl: "unlimited" };
    expect(outcome(await putFeature(team, name, enabled))).toBe("409 feature-locked");
    for (const method of ["PUT", "PATCH"]) {
      expect(await operateFeature(team, name, enabled, { method })).toMatchObject({
        status: 200,
        body: value,
      });
    }
    expect((await getFeature(team, name)).body).toEqual(value);
  });

  it("refuses only an empty download location", async () => {
    const team = await newTeam();
    await unlockFeature(team, "enforceFileDownloadLocation");
    const change = (config: object) =>
      putFeature(team, "enforceFileDownloadLocation", { ...enabled, config });
    expect(outcome(await change({ enforcedDownloadLocation: "" }))).toBe("400 empty-download-location");
    expect((await change({ enforcedDownloadLocation: "/tmp" })).body.config).toEqual({
      enforcedDownloadLocation: "/tmp",
    });
    expect((await change({})).body.config).toEqual({});
  });
});

describe.concurrent("legal hold", () => {
  it("is enabled and disabled by admins, but not in a team above the fan-out limit", async () => {
    const small = await stackWith({ maxFanoutSize: 2 });
    const team = await newTeam({}, small);
    const change = (json: object) => putFeature(team, "legalhold", json, { apis: small });
    expect((await change(enabled)).body).toMatchObject(enabled);
    expect((await change(disabled)).body).toMatchObject(disabled);
    await Promise.all([team.add(), team.add()]);
    expect(outcome(await change(enabled))).toBe("403 too-large-team-for-legalhold");
    expect(outcome(await operateFeature(team, "legalhold", enabled, { apis: small }))).toBe(
      "403 too-large-team-for-legalhold",
    );
    expect(outcome(await change(disabled))).toBe("200");
  });
});
