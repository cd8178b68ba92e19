import { beforeAll, describe, expect, it } from "vitest";
import { permissionsOf } from "#shared/teams/permissions.ts";
import { accountEditor } from "../../support/accounts.ts";
import { api, internalApi, outcome } from "../../support/api.ts";
import { registerDevice } from "../../support/devices.ts";
import { accept, newInvitation } from "../../support/invitations.ts";
import { messagesTo, nextMessage } from "../../support/messages.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { openSocket } from "../../support/socket.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { type Apis, logIn, newUser, register, somePassword, type User } from "../../support/users.ts";

const shared: Apis = { publicApi: api, internalApi };
const required = "403 code-authentication-required";

const setFeature = async (
  { id }: Pick<Team, "id">,
  name: string,
  json: object,
  { internalApi: internal } = shared,
) => expect((await internal("PATCH", `/i/teams/${id}/features/${name}`, { json })).body).toMatchObject(json);

const switchOn = (team: Team, name: string, apis?: Apis) =>
  setFeature(team, name, { status: "enabled", lockStatus: "unlocked" }, apis);

describe.concurrent("the second factor of a team", () => {
  const name = "sndFactorPasswordChallenge";
  const sendCode = (email: string) =>
    api("POST", "/verification-code/send", { json: { action: "login", email } });
  const codeOf = async ({ id }: User) =>
    (await internalApi("GET", `/i/users/${id}/verification-code/login`)).body;

  it("is required only of its members, to log in and to add a device", async () => {
    const [team, other, user] = await Promise.all([newTeam(), newTeam(), newUser()]);
    const member = await team.add("partner");
    await switchOn(team, name);
    for (const one of [other.owner, user]) {
      expect(outcome(await logIn(one))).toBe("200");
      expect(outcome(await registerDevice(one))).toBe("201");
    }
    for (const one of [team.owner, member]) {
      expect(outcome(await logIn(one))).toBe(required);
      expect(outcome(await registerDevice(one))).toBe(required);
      expect(outcome(await logIn({ ...one, password: "not the password" }))).toBe("403 invalid-credentials");
      expect(outcome(await sendCode(one.email))).toBe("200");
      const json = { email: one.email, password: one.password, verification_code: await codeOf(one) };
      expect(outcome(await api("POST", "/login", { json }))).toBe("200");
      expect(outcome(await registerDevice(one, { verification_code: await codeOf(one) }))).toBe("201");
    }
    await setFeature(team, name, { status: "disabled" });
    expect(outcome(await logIn(member))).toBe("200");
  });

  it("is also required for a login by handle", async () => {
    const team = await newTeam();
    const handle = `h${team.id.slice(0, 8)}`;
    await accountEditor().change(team.owner, { handle });
    await switchOn(team, name);
    const json = { handle, password: team.owner.password };
    expect(outcome(await api("POST", "/login", { json }))).toBe(required);
  });

  it("sends codes only to members, with the same answer for everybody", async () => {
    const [team, user] = await Promise.all([newTeam(), newUser()]);
    await switchOn(team, name);
    for (const email of [user.email, `nobody-${team.id}@example.com`, team.owner.email]) {
      expect(await sendCode(email)).toMatchObject({ status: 200, body: "" });
    }
    expect((await nextMessage(team.owner.email)).headers).toMatchObject({
      "X-Svc-Purpose": "SecondFactorVerification",
      "X-Svc-Code": await codeOf(team.owner),
    });
    expect(await codeOf(user)).toBeNull();
    expect(await messagesTo(user.email)).toEqual([]);
  });

  it("replaces the default of the server, which never concerns users without a team", async () => {
    const strict = await stackWith({ [name]: { defaults: { status: "enabled", lockStatus: "unlocked" } } });
    const [team, user] = await Promise.all([newTeam({}, strict), newUser({}, strict)]);
    const tryLogIn = async (one: User) => outcome(await logIn(one, { apis: strict }));
    expect([await tryLogIn(user), await tryLogIn(team.owner)]).toEqual(["200", required]);
    await setFeature(team, name, { status: "disabled" }, strict);
    expect([await tryLogIn(user), await tryLogIn(team.owner)]).toEqual(["200", "200"]);
    await setFeature(team, name, { lockStatus: "locked" }, strict);
    expect(await tryLogIn(team.owner)).toBe(required);
  });
});

describe.concurrent("end-to-end identity", () => {
  it("fixes the name, and the handle once there is one", async () => {
    const team = await newTeam();
    const [{ token }, other] = [await team.add(), await newUser()];
    const change = async (path: string, json: object, by = token) =>
      outcome(await api("PUT", path, { token: by, json }));
    const managedBy = async (by = token) => (await api("GET", "/self", { token: by })).body.managed_by;
    await switchOn(team, "mlsE2EId");

    expect(await change("/self", { name: "Grace" })).toBe("403 managed-by-scim");
    expect(await change("/self", { accent_id: 3 })).toBe("200");
    expect(await managedBy()).toBe("svc");
    const handle = `h${team.id.slice(0, 8)}`;
    expect(await change("/self/handle", { handle })).toBe("200");
    expect(await managedBy()).toBe("scim");
    expect(await change("/self/handle", { handle: `${handle}x` })).toBe("403 managed-by-scim");
    expect(await change("/self/handle", { handle })).toBe("200");
    expect(await change("/self", { name: "Grace" }, other.token)).toBe("200");

    await setFeature(team, "mlsE2EId", { status: "disabled" });
    expect(await managedBy()).toBe("svc");
    expect(await change("/self", { name: "Grace" })).toBe("200");
    expect(await change("/self/handle", { handle: `${handle}x` })).toBe("200");
  });
});

describe.concurrent("conference calls", () => {
  const url = "https://sft.example.com";
  let own: OwnStack;

  beforeAll(async () => {
    own = await stackWith({ setSftStaticUrl: url, setSftListAllServers: "enabled", sftToken: { ttl: 900 } });
  });

  it("give all servers, and credentials for them, to users with the feature", async () => {
    const [team, user] = await Promise.all([newTeam({}, own), newUser({}, own)]);
    const configOf = async ({ token }: User) =>
      (await own.publicApi("GET", "/calls/config/v2", { token })).body;
    const allowed = {
      sft_servers: [{ urls: [url], username: expect.stringContaining(".s=1.") }],
      sft_servers_all: [{ urls: [url], username: expect.stringContaining(".s=1.") }],
    };
    for (const one of [team.owner, user]) expect(await configOf(one)).toMatchObject(allowed);

    const off = { status: "disabled" };
    await setFeature(team, "conferenceCalling", { ...off, lockStatus: "unlocked" }, own);
    const override = `/i/users/${user.id}/features/conferenceCalling`;
    await own.internalApi("PUT", override, { json: off });
    for (const one of [team.owner, user]) {
      const config = await configOf(one);
      expect(config).not.toHaveProperty("sft_servers_all");
      expect(config.sft_servers).toMatchObject([{ username: expect.stringContaining(".s=0.") }]);
    }
  });
});

describe.concurrent("the limit on recipients of team events", () => {
  it("hides leaving members from other members, but not from admins", async () => {
    const team = await newTeam();
    const [admin, member, first, second] = await Promise.all([
      team.add("admin"),
      team.add(),
      team.add(),
      team.add(),
    ]);
    const sockets = await Promise.all([admin, member].map(({ token }) => openSocket("/await", { token })));
    const leaves = (user: User) => (frame: { payload?: { data?: { user?: string } }[] }) =>
      frame.payload?.[0]?.data?.user === user.id;
    await switchOn(team, "limitedEventFanout");
    await internalApi("DELETE", `/i/users/${first.id}`);
    await sockets[0]?.next(leaves(first));

    await setFeature(team, "limitedEventFanout", { status: "disabled" });
    await internalApi("DELETE", `/i/users/${second.id}`);
    for (const socket of sockets) await socket.next(leaves(second));
    expect(sockets.map(({ frames }) => frames.some(leaves(first)))).toEqual([true, false]);
  });

  it("excludes the connection that caused the event, which otherwise gets it, too", async () => {
    const team = await newTeam();
    const [admin, first, second] = await Promise.all([team.add("admin"), team.add(), team.add()]);
    const { token, password } = team.owner;
    const [socket, elsewhere] = await Promise.all([
      openSocket("/await", { token }),
      openSocket("/await", { token: admin.token }),
    ]);
    const remove = ({ id }: User) =>
      api("DELETE", `/teams/${team.id}/members/${id}`, { token, json: { password } });
    await switchOn(team, "limitedEventFanout");
    expect((await remove(first)).status).toBe(202);
    // The feature counts when the event is handed on.
    await elsewhere.next(({ payload }) => payload?.[0]?.data?.user === first.id);
    await setFeature(team, "limitedEventFanout", { status: "disabled" });
    expect((await remove(second)).status).toBe(202);
    await socket.next(({ payload }) => payload?.[0]?.data?.user === second.id);
    const left = socket.frames
      .flatMap(({ payload = [] }) => payload)
      .filter(({ type }) => type === "team.member-leave");
    expect(left.map(({ data }) => data.user)).toEqual([second.id]);
  });
});

describe.concurrent("legal hold", () => {
  let small: OwnStack;

  beforeAll(async () => {
    small = await stackWith({ maxFanoutSize: 3 });
  });

  const join = async (team: Team) => {
    const user = await newUser({}, small);
    const json = { member: { user: user.id, permissions: permissionsOf("member") } };
    return outcome(await small.internalApi("POST", `/i/teams/${team.id}/members`, { json }));
  };
  const checkRoom = async (team: Team) =>
    outcome(await small.internalApi("GET", `/i/teams/${team.id}/members/check`));
  const full = "403 too-many-members-for-legalhold";

  it("keeps the size of its team within the fan-out limit", async () => {
    const team = await newTeam({}, small);
    await switchOn(team, "legalhold", small);
    expect(await join(team)).toBe("200");
    expect(await checkRoom(team)).toBe("200");
    expect(await join(team)).toBe("200");
    expect([await join(team), await checkRoom(team)]).toEqual([full, full]);
    await setFeature(team, "legalhold", { status: "disabled" }, small);
    expect([await checkRoom(team), await join(team)]).toEqual(["200", "200"]);
  });

  it("lets nobody accept an invitation at the limit, with an account or by registering", async () => {
    const team = await newTeam({}, small);
    const user = await newUser({}, small);
    const [one, other] = [
      await newInvitation(team, { email: user.email }, small),
      await newInvitation(team, {}, small),
    ];
    await Promise.all([join(team), join(team)]);
    await switchOn(team, "legalhold", small);
    expect(outcome(await accept(user, one.code, small))).toBe(full);
    const json = { email: other.email, password: somePassword, team_code: other.code };
    expect(outcome(await register(json, small))).toBe(full);
    const page = `/activate/join?team-code=${other.code}`;
    expect(outcome(await small.publicApi("GET", page))).toBe(full);
    const body = new URLSearchParams({ "team-code": one.code, password: user.password }).toString();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    expect(outcome(await small.publicApi("POST", "/activate/join", { body, headers }))).toBe(full);
    await setFeature(team, "legalhold", { status: "disabled" }, small);
    expect(outcome(await accept(user, one.code, small))).toBe("200");
    expect(outcome(await register(json, small))).toBe("201");
  });

  it("limits the team even if it is switched on while somebody joins", async () => {
    for (let round = 0; round < 5; round++) {
      const team = await newTeam({}, small);
      await Promise.all([join(team), join(team)]);
      const { token } = team.owner;
      const [switched, joined] = await Promise.all([
        small.publicApi("PUT", `/teams/${team.id}/features/legalhold`, {
          token,
          json: { status: "enabled" },
        }),
        join(team),
      ]);
      const expected = ["403 too-large-team-for-legalhold 200", `200 ${full}`];
      expect(expected).toContain(`${outcome(switched)} ${joined}`);
    }
  });
});
