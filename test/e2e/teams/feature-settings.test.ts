import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { featureNames } from "#shared/teams/features/catalogue.ts";
import { type ApiAnswer, api, internalApi, outcome } from "../../support/api.ts";
import { eventSource } from "../../support/events.ts";
import { getFeature, operateFeature, putFeature, sharedApis, unlockFeature } from "../../support/features.ts";
import { newInvitation } from "../../support/invitations.ts";
import { newApp, newTokens, type Tokens } from "../../support/oauth.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { openSocket, type TestSocket } from "../../support/socket.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { type Apis, newUser, register, type User } from "../../support/users.ts";

const enabled = { status: "enabled" };
const disabled = { status: "disabled" };

const eventsOf = ({ frames }: TestSocket) =>
  frames.flatMap(({ payload = [] }) => payload).filter(({ type }) => type === "feature-config.update");

describe.concurrent("the features of a user", () => {
  const ownFeatures = async ({ token }: Pick<User, "token">, { publicApi } = sharedApis) =>
    (await publicApi("GET", "/feature-configs", { token })).body;
  const override = ({ id }: Pick<User, "id">, method: string, json?: object) =>
    internalApi(method, `/i/users/${id}/features/conferenceCalling`, { json });

  it("are those of the team", async () => {
    const team = await newTeam();
    const member = await team.add();
    await putFeature(team, "fileSharing", disabled);
    await unlockFeature(team, "conferenceCalling");
    await putFeature(team, "conferenceCalling", disabled);
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
    expect((await one("/v1", "appLock")).body).toEqual((await getFeature(team, "appLock")).body);
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
    expect(outcome(await putFeature(team, "fileSharing", enabled, { apis: own }))).toBe("409 feature-locked");
  });

  it("can rule out legal hold, or leave it to the operator", async () => {
    const [none, byOperator] = await Promise.all([newTeam({}, own), newTeam({}, whitelisting)]);
    expect(outcome(await putFeature(none, "legalhold", enabled, { apis: own }))).toBe(
      "403 legalhold-not-enabled",
    );
    expect(outcome(await operateFeature(none, "legalhold", enabled, { apis: own }))).toBe(
      "403 legalhold-not-enabled",
    );
    expect(outcome(await putFeature(byOperator, "legalhold", enabled, { apis: whitelisting }))).toBe(
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
    expect(outcome(await putFeature(team, name, enabled, { apis: own }))).toBe("409 feature-locked");
    expect(await links(listed)).toEqual([undefined]);
    const { body } = await putFeature(team, name, enabled, { apis: listed });
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
    const change = (name: string) => putFeature(team, name, enabled, { apis: small });
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
