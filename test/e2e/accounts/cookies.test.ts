import { describe, expect, it } from "vitest";
import { api } from "../../support/api.ts";
import { stackWith } from "../../support/stack-with.ts";
import { cookieIdOf } from "../../support/tokens.ts";
import {
  type Apis,
  logIn,
  newEmail,
  newUser,
  register,
  registeredUser,
  type User,
} from "../../support/users.ts";

interface CookieRecord {
  id: number;
  type: string;
  label: string | null;
}

const list = async ({ token }: { token: string }, query = ""): Promise<CookieRecord[]> => {
  const { body } = await api("GET", `/cookies${query}`, { token });
  return body.cookies;
};
const remove = ({ token, password }: User, fields: object) =>
  api("POST", "/cookies/remove", { token, json: { password, ...fields } });
const isUsable = async (cookie: string | undefined) =>
  (await api("POST", "/access", { cookie })).status === 200;

describe.concurrent("GET /cookies", () => {
  it("lists type, creation, expiry and label of each cookie", async () => {
    const user = await newUser();
    const { cookie } = await logIn(user, { isPersistent: false, label: "laptop" });
    const found = (await list(user)).find(({ id }) => id === cookieIdOf(cookie));

    expect(found).toEqual({
      id: cookieIdOf(cookie),
      type: "session",
      label: "laptop",
      successor: null,
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      time: Object(found).created,
      expires: new Date(Date.parse(Object(found).created) + 7 * 86_400_000).toISOString(),
    });
  });

  it("lists only cookies with the labels of the query", async () => {
    const user = await registeredUser();
    for (const label of ["a", "b", "c"]) await logIn(user, { label });

    expect((await list(user)).map(({ label }) => label)).toEqual([null, null, "a", "b", "c"]);
    expect((await list(user, "?labels=c,a")).map(({ label }) => label)).toEqual(["a", "c"]);
    expect(await list(user, "?labels=d")).toEqual([]);
  });

  it("requires an access token", async () => {
    expect((await api("GET", "/cookies")).status).toBe(401);
  });
});

describe.concurrent("POST /cookies/remove", () => {
  it("removes by bare id, by record and by label, and ignores unknown ones", async () => {
    const user = await newUser();
    const { cookie: byId } = await logIn(user);
    const { cookie: byRecord } = await logIn(user);
    const { cookie: byLabel } = await logIn(user, { label: "gone" });
    const { cookie: kept } = await logIn(user, { label: "kept" });
    const record = (await list(user)).find(({ id }) => id === cookieIdOf(byRecord));
    const { status, body } = await remove(user, {
      ids: [cookieIdOf(byId), record, 1],
      labels: ["gone", "unknown"],
    });

    expect({ status, body }).toEqual({ status: 200, body: "" });
    const usable = await Promise.all([byId, byRecord, byLabel, kept].map(isUsable));
    expect(usable).toEqual([false, false, false, true]);
  });

  it("removes all cookies when neither ids nor labels are given", async () => {
    const user = await newUser();
    await logIn(user);
    await remove(user, { email: user.email });

    expect(await list(user)).toEqual([]);
    expect(await isUsable(user.cookie)).toBe(false);
  });

  it("removes cookies of the caller only", async () => {
    const [user, other] = await Promise.all([newUser(), newUser()]);
    await remove(user, { ids: [cookieIdOf(other.cookie)] });
    await remove(user, {});

    expect(await isUsable(other.cookie)).toBe(true);
  });

  it("checks password and email first", async () => {
    const user = await newUser();
    for (const fields of [{ password: "not the password" }, { email: newEmail() }]) {
      expect(await remove(user, fields)).toMatchObject({
        status: 403,
        body: { label: "invalid-credentials" },
      });
    }
    expect((await remove(user, { password: undefined })).status).toBe(400);
    expect(await isUsable(user.cookie)).toBe(true);
  });

  it("requires an account with email and password", async () => {
    const { cookie } = await register({});
    const { body } = await api("POST", "/access", { cookie });
    const json = { password: "some password" };

    expect(await api("POST", "/cookies/remove", { token: body.access_token, json })).toMatchObject({
      status: 403,
      body: { label: "invalid-credentials" },
    });
  });
});

describe.concurrent("the cookie limit", () => {
  const unthrottled = { setUserCookieThrottle: { stdDev: 0, retryAfter: 0 } };
  const idsOf = async ({ token }: User, { publicApi }: Apis): Promise<number[]> => {
    const { body } = await publicApi("GET", "/cookies", { token });
    return body.cookies.map(({ id }: CookieRecord) => id);
  };

  it("is 32, beyond which the cookie nearest to expiry is removed, session cookies first", async () => {
    const apis = await stackWith(unthrottled);
    const user = await registeredUser({}, apis);
    const session = await logIn(user, { isPersistent: false, apis });
    // Registration, its login and the session login have left three.
    for (let count = 3; count < 32; count++) await logIn(user, { apis });
    const full = await idsOf(user, apis);
    expect(full).toHaveLength(32);
    expect(full).toContain(cookieIdOf(session.cookie));
    await logIn(user, { apis });

    const after = await idsOf(user, apis);
    expect(after).toHaveLength(32);
    expect(after).not.toContain(cookieIdOf(session.cookie));
    await logIn(user, { apis });
    const [registration] = full;
    expect(await idsOf(user, apis)).not.toContain(registration);
  });

  it("drops expired cookies first, then superseded, session and persistent ones", async () => {
    const apis = await stackWith({
      ...unthrottled,
      setUserCookieLimit: 6,
      setUserCookieRenewAge: 4 * 86_400,
    });
    const user = await registeredUser({}, apis);
    const daySeconds = 86_400;
    const expired = await logIn(user, { isPersistent: false, apis });
    apis.advance(4 * daySeconds + 1);
    const { cookie: successor } = await apis.publicApi("POST", "/access", { cookie: user.cookie });
    const session = await logIn(user, { isPersistent: false, apis });
    apis.advance(3 * daySeconds);
    const latest = [];
    // Six exist: of registration, user (superseded), expired, successor, session, and the first of these.
    for (let count = 0; count < 5; count++) latest.push((await logIn(user, { apis })).cookie);
    const { body } = await apis.publicApi("POST", "/access", { cookie: latest.at(-1) });

    const left = await idsOf({ ...user, token: body.access_token }, apis);
    expect(left).toEqual([successor, ...latest].map(cookieIdOf));
    expect(left).not.toContain(cookieIdOf(expired.cookie));
    expect(left).not.toContain(cookieIdOf(session.cookie));
  });
});
