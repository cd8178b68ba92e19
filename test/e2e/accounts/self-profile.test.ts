import { describe, expect, it } from "vitest";
import { accountEditor } from "../../support/accounts.ts";
import { type ApiAnswer, api, outcome } from "../../support/api.ts";
import { connectUsers } from "../../support/connections.ts";
import { eventually } from "../../support/eventually.ts";
import { openSocket } from "../../support/socket.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam } from "../../support/teams.ts";
import { newEmail, newUser, register, type User } from "../../support/users.ts";

const accounts = accountEditor();

type Caller = Pick<User, "token">;

const put = ({ token }: Caller, path: string, json: object): Promise<ApiAnswer> =>
  api("PUT", path, { token, json });
const changeSelf = (user: Caller, json: object) => put(user, "/self", json);
const self = async ({ token }: Caller) => (await api("GET", "/self", { token })).body;

/** Events of a user so far, without activation and connections. */
async function eventsOf({ token }: Caller): Promise<object[]> {
  const { body } = await api("GET", "/notifications", { token });
  const events = body.notifications.flatMap(({ payload }: { payload: object[] }) => payload);
  return events.filter(
    ({ type }: { type: string }) => !/^(user\.activate|user\.connection|conversation\..*)$/.test(type),
  );
}

/** Events of a user, once there are this many. */
const nextEvents = (user: Caller, count: number): Promise<object[]> =>
  eventually(async () => {
    const events = await eventsOf(user);
    expect(events.length).toBeGreaterThanOrEqual(count);
    return events;
  });

/** A user who has not confirmed the address yet. */
async function unactivatedUser(): Promise<Caller> {
  const { cookie } = await register({ email: newEmail() });
  const { body } = await api("POST", "/access", { cookie });
  return { token: body.access_token };
}

describe.concurrent("PUT /self", () => {
  it.each(["", "/v0", "/v6", "/v8"])("changes only the fields that it names, under %j", async (prefix) => {
    const user = await newUser({ accent_id: 2 });
    const before = await self(user);
    const assets = [{ key: "3-1-abc", type: "image", size: "complete" }];
    expect(await put(user, `${prefix}/self`, { name: "Grace", assets })).toMatchObject({
      status: 200,
      body: "",
    });
    expect(await self(user)).toEqual({ ...before, name: "Grace", assets });

    const picture = [{ info: { tag: "medium" } }];
    await put(user, `${prefix}/self`, { accent_id: -7, text_status: "busy", picture });
    expect(await self(user)).toEqual({
      ...before,
      name: "Grace",
      assets,
      accent_id: -7,
      text_status: "busy",
      picture,
    });
  });

  it("announces the changed fields to the user's own devices and contacts only, without a team", async () => {
    const [user, contact, stranger] = await Promise.all([newUser(), newUser(), newUser()]);
    await connectUsers(user, contact);
    const update = { name: "Grace", accent_id: 3, assets: [], text_status: "busy" };
    await changeSelf(user, update);

    const { assets: _, ...changed } = update;
    const event = { type: "user.update", user: { id: user.id, ...changed, sso_id_deleted: false } };
    expect(await nextEvents(user, 1)).toEqual([event]);
    expect(await nextEvents(contact, 1)).toEqual([event]);
    expect(await eventsOf(stranger)).toEqual([]);
  });

  it("announces the changed fields to the members of the user's team", async () => {
    const [team, stranger] = await Promise.all([newTeam(), newUser()]);
    const [user, mate, partner] = await Promise.all([team.add(), team.add(), team.add("partner")]);
    await changeSelf(user, { name: "Grace" });
    const event = { type: "user.update", user: { id: user.id, name: "Grace", sso_id_deleted: false } };
    for (const one of [user, mate, partner, team.owner]) expect(await nextEvents(one, 1)).toEqual([event]);
    expect(await eventsOf(stranger)).toEqual([]);
  });

  it("announces nothing to the members of a team that is too large for its events", async () => {
    const stack = await stackWith({ maxFanoutSize: 2 });
    const team = await newTeam({}, stack);
    const [user, mate] = await Promise.all([team.add(), team.add()]);
    const change = { token: user.token, json: { name: "Grace" } };
    expect((await stack.publicApi("PUT", "/self", change)).status).toBe(200);
    const notifications = async ({ token }: User) =>
      (await stack.publicApi("GET", "/notifications", { token })).body.notifications;
    await eventually(async () => expect(await notifications(user)).toHaveLength(1));
    expect(await notifications(mate)).toEqual([]);
  });

  it("is not sent to the acting connection, which still finds the event in its notifications", async () => {
    const user = await newUser();
    const { body } = await api("POST", "/access", { cookie: user.cookie });
    const [acting, other] = await Promise.all([
      openSocket("/await", user),
      openSocket("/await", { token: body.access_token }),
    ]);
    const isUpdate = ({ payload }: { payload: { type: string }[] }) => payload[0]?.type === "user.update";
    await changeSelf(user, { name: "Grace" });
    await other.next(isUpdate);

    expect(await eventsOf(user)).toHaveLength(1);
    expect(acting.frames.filter(isUpdate)).toEqual([]);
  });

  it("changes and announces nothing for equal values, an empty body or nulls", async () => {
    const user = await newUser({ accent_id: 1, assets: [{ type: "image", key: "3-1-abc" }] });
    await changeSelf(user, { text_status: "busy" });
    const before = await self(user);
    const { name, accent_id, assets, picture, text_status } = before;
    for (const same of [
      {},
      { name: null, accent_id: null, assets: null, picture: null, text_status: null },
      { name, accent_id, assets, picture, text_status },
      { unknown: 1, handle: "x", email: newEmail(), locale: "de" },
    ]) {
      expect(outcome(await changeSelf(user, same))).toBe("200");
    }
    expect(await self(user)).toEqual(before);

    await changeSelf(user, { accent_id: 2 });
    expect(await nextEvents(user, 2)).toMatchObject([
      { user: { text_status: "busy" } },
      { user: { accent_id: 2 } },
    ]);
  });

  it("refuses pictures that would make lists of profiles too large", async () => {
    const user = await newUser();
    const picture = (length: number) => [{ data: "x".repeat(length) }];
    const assets = (length: number) => [{ key: "x".repeat(length), type: "image" }];
    expect(outcome(await changeSelf(user, { picture: picture(4000), assets: assets(256) }))).toBe("200");
    for (const json of [{ picture: picture(4096) }, { assets: assets(257) }]) {
      expect(outcome(await changeSelf(user, json))).toBe("400 bad-request");
      expect(outcome(await register(json))).toBe("400 bad-request");
    }
  });

  it("keeps any JSON in the deprecated picture, and includes it in the event", async () => {
    const nested = JSON.parse(`${'{"a":['.repeat(25)}1e300${"]}".repeat(25)}`);
    const picture = [nested, { "": "", big: 2 ** 60, quote: "\u0000\u2028" }];
    const user = await newUser({ picture: [nested] });
    expect(outcome(await changeSelf(user, { picture }))).toBe("200");

    expect((await self(user)).picture).toEqual(picture);
    expect(await nextEvents(user, 1)).toMatchObject([{ user: { picture } }]);
  });

  it("works before activation and for anonymous accounts", async () => {
    const { cookie } = await register({});
    const { body } = await api("POST", "/access", { cookie });
    for (const user of [await unactivatedUser(), { token: body.access_token }]) {
      expect(outcome(await changeSelf(user, { name: "Grace" }))).toBe("200");
      expect((await self(user)).name).toBe("Grace");
    }
  });

  it("loses no change among concurrent calls", async () => {
    const user = await newUser();
    const answers = await Promise.all([
      changeSelf(user, { name: "Grace" }),
      changeSelf(user, { accent_id: 5 }),
      changeSelf(user, { text_status: "busy" }),
      put(user, "/self/locale", { locale: "de" }),
      put(user, "/self/supported-protocols", { supported_protocols: ["proteus", "mls"] }),
    ]);
    expect(answers.map(outcome)).toEqual(Array(5).fill("200"));
    expect(await self(user)).toMatchObject({
      name: "Grace",
      accent_id: 5,
      text_status: "busy",
      locale: "de",
      supported_protocols: ["proteus", "mls"],
    });
    expect(await nextEvents(user, 5)).toHaveLength(5);
  });
});

describe.concurrent("PUT /self/locale", () => {
  it("notifies the user's own devices only", async () => {
    const [user, contact] = await Promise.all([newUser(), newUser()]);
    await connectUsers(user, contact);
    expect(outcome(await put(user, "/self/locale", { locale: "DE_ch" }))).toBe("200");
    expect(outcome(await put(user, "/self/locale", { locale: "de-CH" }))).toBe("200");
    await changeSelf(user, { name: "Grace" });

    expect((await self(user)).locale).toBe("de-CH");
    expect(await nextEvents(user, 2)).toMatchObject([
      { type: "user.update", user: { id: user.id, locale: "de-CH" } },
      { user: { name: "Grace" } },
    ]);
    expect((await eventsOf(user))[0]).toEqual({
      type: "user.update",
      user: { id: user.id, locale: "de-CH" },
    });
    expect(await nextEvents(contact, 1)).toMatchObject([{ user: { name: "Grace" } }]);
  });
});

describe.concurrent("PUT /self/supported-protocols", () => {
  const path = "/self/supported-protocols";

  it("notifies the user's own devices and contacts, and cannot remove MLS", async () => {
    const [user, contact] = await Promise.all([newUser(), newUser()]);
    await connectUsers(user, contact);
    const both = ["proteus", "mls"];
    expect(outcome(await put(user, path, { supported_protocols: both }))).toBe("200");
    expect(outcome(await put(user, path, { supported_protocols: ["mls", "proteus", "mls"] }))).toBe("200");
    for (const without of [[], ["proteus"]]) {
      expect(outcome(await put(user, path, { supported_protocols: without }))).toBe("409 mls-protocol-error");
    }
    expect((await self(user)).supported_protocols).toEqual(both);
    expect(outcome(await put(user, path, { supported_protocols: ["mls", "mls"] }))).toBe("200");

    const event = (supported_protocols: string[]) => ({
      type: "user.update",
      user: { id: user.id, supported_protocols, sso_id_deleted: false },
    });
    expect(await nextEvents(user, 2)).toEqual([event(both), event(["mls"])]);
    expect(await nextEvents(contact, 2)).toEqual([event(both), event(["mls"])]);
  });

  it("exists from version 5 on", async () => {
    const user = await newUser();
    const json = { supported_protocols: ["proteus"] };
    expect(outcome(await put(user, `/v4${path}`, json))).toBe("404 no-endpoint");
    expect(outcome(await put(user, `/v5${path}`, json))).toBe("200");
    expect(outcome(await put(user, path, json))).toBe("200");
  });

  it("accepts only a list of known protocols", async () => {
    const user = await newUser();
    for (const supported_protocols of [["otr"], "proteus", null, [["mls"]]]) {
      expect(outcome(await put(user, path, { supported_protocols }))).toBe("400 bad-request");
    }
    expect(outcome(await put(user, path, {}))).toBe("400 bad-request");
  });
});

describe.concurrent("an account managed by SCIM", () => {
  it("refuses to change name, locale, handle and address with 403 managed-by-scim, and changes the rest", async () => {
    const user = await newUser();
    await accounts.change(user, { managedByScim: true });
    const { name, locale } = await self(user);
    const { token, cookie } = user;
    const changeEmail = (email: string) =>
      api("PUT", "/access/self/email", { token, cookie, json: { email } });

    expect(outcome(await changeSelf(user, { name: "Grace", accent_id: 3 }))).toBe("403 managed-by-scim");
    expect(outcome(await put(user, "/self/locale", { locale: "fr" }))).toBe("403 managed-by-scim");
    expect(outcome(await put(user, "/self/handle", { handle: `ada.${user.id}` }))).toBe(
      "403 managed-by-scim",
    );
    expect(outcome(await changeEmail(newEmail()))).toBe("403 managed-by-scim");
    expect(await self(user)).toMatchObject({ accent_id: 0, managed_by: "scim" });

    expect(outcome(await changeSelf(user, { name, accent_id: 3 }))).toBe("200");
    expect(outcome(await put(user, "/self/locale", { locale }))).toBe("200");
    expect(await self(user)).toMatchObject({ accent_id: 3 });
  });
});

describe.concurrent("a deleted account", () => {
  it("returns 404 not-found for an access token that is still valid", async () => {
    const user = await newUser();
    const { token, cookie } = user;
    await accounts.change(user, { status: "deleted" });
    expect(outcome(await api("GET", "/self", { token }))).toBe("404 not-found");
    expect(outcome(await api("HEAD", "/self/password", { token }))).toBe("404");
    for (const [path, json] of Object.entries({
      "/self": { name: "Grace" },
      "/self/locale": { locale: "de" },
      "/self/handle": { handle: `ada.${user.id}` },
      "/self/supported-protocols": { supported_protocols: ["mls"] },
      "/self/password": { old_password: user.password, new_password: "a new password" },
      "/self/phone": { phone: "+4915112345678" },
      "/access/self/email": { email: newEmail() },
    })) {
      expect(outcome(await api("PUT", path, { token, cookie, json })), path).toBe("404 not-found");
    }
    for (const path of ["/self/email", "/self/phone"]) {
      expect(outcome(await api("DELETE", path, { token }))).toBe("404 not-found");
    }
  });
});
