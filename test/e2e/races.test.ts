import { describe, expect, it } from "vitest";
import { api, internalApi } from "../support/api.ts";
import { messagesTo, nextMessage, wrongCode } from "../support/messages.ts";
import { ownStack } from "../support/own-stack.ts";
import { cookieIdOf } from "../support/tokens.ts";
import {
  activationCode,
  logIn,
  newEmail,
  newPhone,
  newUser,
  register,
  somePassword,
} from "../support/users.ts";

/** What a task answers when it is done several times at once. */
const atOnce = <Result>(times: number, task: (index: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: times }, (_, index) => task(index)));

const passwordOf = (index: number) => `password number ${index}`;
const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort();
const redeem = (json: object) => api("POST", "/activate", { json });

/** Numbers of the passwords that an address can log in with. */
async function ownersOf(email: string, candidates: number): Promise<number[]> {
  const logins = await atOnce(candidates, (index) => logIn({ email, password: passwordOf(index) }));
  return logins.flatMap(({ status }, index) => (status === 200 ? [index] : []));
}

describe.concurrent("of registrations at once", () => {
  it("with the right code of one address exactly one creates an account", async () => {
    const email = newEmail();
    await api("POST", "/activate/send", { json: { email } });
    const { code } = await activationCode({ email });
    const answers = await atOnce(10, (index) =>
      register({ email, password: passwordOf(index), email_code: code }),
    );

    const winners = answers.flatMap(({ status }, index) => (status === 201 ? [index] : []));
    expect(winners).toHaveLength(1);
    for (const { status } of answers) expect([201, 404, 409]).toContain(status);
    expect(await ownersOf(email, 10)).toEqual(winners);
  });

  it("without codes, one activation makes exactly one the owner", async () => {
    const email = newEmail();
    const answers = await atOnce(10, (index) => register({ email, password: passwordOf(index) }));
    expect(statuses(answers)).toEqual(Array(10).fill(201));
    const { code } = await activationCode({ email });
    expect((await redeem({ email, code })).status).toBe(200);

    const owners = await ownersOf(email, 10);
    expect(owners).toHaveLength(1);
    const login = await logIn({ email, password: passwordOf(owners[0] ?? 0) });
    expect(login.body.user).toBe(answers[owners[0] ?? 0]?.body.id);
  });

  it("and an activation of the same address, one account gets the address", async () => {
    const email = newEmail();
    await register({ email, password: passwordOf(0) });
    const { code } = await activationCode({ email });
    const [activated] = await Promise.all([
      redeem({ email, code }),
      ...[1, 2, 3].map((index) => register({ email, password: passwordOf(index) })),
    ]);

    if (activated?.status === 200) expect(await ownersOf(email, 4)).toEqual([0]);
    else {
      expect(activated?.status).toBe(404);
      const { code: next } = await activationCode({ email });
      expect((await redeem({ email, code: next })).status).toBe(200);
      expect(await ownersOf(email, 4)).toHaveLength(1);
    }
  });
});

describe.concurrent("of uses of one code at once", () => {
  it("exactly one activation is the first", async () => {
    const email = newEmail();
    await register({ email });
    const { code } = await activationCode({ email });
    const answers = await atOnce(10, () => redeem({ email, code }));

    expect(answers.filter(({ body }) => body.first === true)).toHaveLength(1);
    for (const { status } of answers) expect([200, 204, 404]).toContain(status);
    expect((await redeem({ email, code })).status).toBe(204);
  });

  it("right dry runs use up no try", async () => {
    const email = newEmail();
    await register({ email });
    const { code } = await activationCode({ email });
    await atOnce(30, () => redeem({ email, code, dryrun: true }));

    expect((await redeem({ email, code })).status).toBe(200);
  });

  it("thirty wrong ones leave no try for the right one", async () => {
    const email = newEmail();
    await register({ email });
    const { code } = await activationCode({ email });
    const answers = await atOnce(30, (index) => redeem({ email, code: wrongCode(code, index) }));

    expect(statuses(answers)).toEqual(Array(30).fill(404));
    expect((await redeem({ email, code })).status).toBe(404);
  });

  it("the right one among wrong ones counts only while there is a try left", async () => {
    for (let round = 0; round < 5; round++) {
      const email = newEmail();
      await register({ email });
      const { code } = await activationCode({ email });
      const answers = await atOnce(4, (index) =>
        redeem({ email, code: index === 3 ? code : wrongCode(code, index) }),
      );
      const isActivated = answers[3]?.status === 200;

      expect(statuses(answers.slice(0, 3))).toEqual([404, 404, 404]);
      expect((await redeem({ email, code })).status).toBe(isActivated ? 204 : 404);
    }
  });

  it("guesses at a password reset are three at most", async () => {
    const { email } = await newUser();
    await api("POST", "/password-reset", { json: { email } });
    const { body } = await internalApi("GET", `/i/users/password-reset-code?email=${email}`);
    const complete = (code: string) =>
      api("POST", "/password-reset/complete", { json: { email, code, password: "a new password" } });
    await atOnce(30, (index) => complete(wrongCode(body.code, index)));

    expect((await complete(body.code)).status).toBe(400);
  });

  it("exactly one completes a password reset", async () => {
    const user = await newUser();
    await api("POST", "/password-reset", { json: { email: user.email } });
    const { body } = await internalApi("GET", `/i/users/password-reset-code?email=${user.email}`);
    const answers = await atOnce(2, (index) =>
      api("POST", "/password-reset/complete", { json: { ...body, password: passwordOf(index) } }),
    );

    expect(statuses(answers)).toEqual([200, 400]);
    expect(await ownersOf(user.email, 2)).toEqual([answers.findIndex(({ status }) => status === 200)]);
  });

  it("exactly one login code logs in", async () => {
    const phone = newPhone();
    await register({ phone });
    await redeem({ phone, ...(await activationCode({ phone })) });
    await api("POST", "/login/send", { json: { phone } });
    const { body } = await internalApi("GET", `/i/users/login-code?${new URLSearchParams({ phone })}`);
    const answers = await atOnce(5, () => api("POST", "/login", { json: { phone, code: body.code } }));

    expect(statuses(answers)).toEqual([200, 403, 403, 403, 403]);
  });
});

describe.concurrent("of requests for a code at once", () => {
  it("all send the same activation code", async () => {
    const email = newEmail();
    const answers = await atOnce(8, () => api("POST", "/activate/send", { json: { email } }));
    expect(statuses(answers)).toEqual(Array(8).fill(200));
    await nextMessage(email, { count: 8 });

    const codes = (await messagesTo(email)).map(({ headers }) => headers["X-Svc-Code"]);
    expect(new Set(codes)).toEqual(new Set([(await activationCode({ email })).code]));
  });

  it("exactly one starts a password reset", async () => {
    const { email } = await newUser();
    await nextMessage(email);
    const answers = await atOnce(8, () => api("POST", "/password-reset", { json: { email } }));

    expect(statuses(answers)).toEqual([201, ...Array(7).fill(409)]);
    const { body } = await internalApi("GET", `/i/users/password-reset-code?email=${email}`);
    expect((await nextMessage(email, { count: 2 })).headers["X-Svc-Code"]).toBe(body.code);
  });
});

describe.concurrent("of cookies made at once", () => {
  it("32 are left of 40 logins: the newest ones, each of them usable", async () => {
    const apis = await ownStack({ setUserCookieThrottle: { stdDev: 0, retryAfter: 0 } });
    const user = await newUser({}, apis);
    const logins = await atOnce(40, () => logIn(user, { apis }));
    expect(statuses(logins)).toEqual(Array(40).fill(200));
    const last = await logIn(user, { apis });
    const { body } = await apis.publicApi("GET", "/cookies", { token: user.token });
    const listed: number[] = body.cookies.map(({ id }: { id: number }) => id);

    expect(listed).toHaveLength(32);
    expect(listed).toContain(cookieIdOf(last.cookie));
    expect(listed).not.toContain(cookieIdOf(user.cookie));
    const uses = await Promise.all(
      logins.map(async ({ cookie }) => ({
        isListed: listed.includes(cookieIdOf(cookie)),
        isUsable: (await apis.publicApi("POST", "/access", { cookie })).status === 200,
      })),
    );
    for (const { isListed, isUsable } of uses) expect(isUsable).toBe(isListed);
    expect(uses.filter(({ isUsable }) => isUsable)).toHaveLength(31);
  });

  it("an old cookie used ten times gets one successor", async () => {
    const apis = await ownStack();
    const user = await newUser({}, apis);
    apis.advance(15 * 86_400);
    const answers = await atOnce(10, () => apis.publicApi("POST", "/access", { cookie: user.cookie }));

    expect(statuses(answers)).toEqual(Array(10).fill(200));
    expect(new Set(answers.map(({ cookie }) => cookieIdOf(cookie))).size).toBe(1);
    const [answer] = answers;
    const { body } = await apis.publicApi("GET", "/cookies", { token: answer?.body.access_token });
    // Registration, newUser, successor.
    expect(body.cookies).toHaveLength(3);
  });

  it("a logout counts however often the cookie is used meanwhile", async () => {
    const user = await newUser();
    const [loggedOut, ...uses] = await Promise.all([
      api("POST", "/access/logout", user),
      ...[1, 2, 3, 4].map(() => api("POST", "/access", { cookie: user.cookie })),
    ]);

    expect(loggedOut?.status).toBe(200);
    for (const { status } of uses) expect([200, 403]).toContain(status);
    expect((await api("POST", "/access", { cookie: user.cookie })).status).toBe(403);
  });

  it("those of logins that overlap a suspension are revoked with it", async () => {
    const user = await newUser();
    const [suspension, ...logins] = await Promise.all([
      internalApi("PUT", `/i/users/${user.id}/status`, { json: { status: "suspended" } }),
      ...Array.from({ length: 10 }, () => logIn(user)),
    ]);
    expect(suspension?.status).toBe(200);

    for (const { cookie } of [user, ...logins]) {
      if (cookie !== undefined) expect((await api("POST", "/access", { cookie })).status).toBe(403);
    }
  });

  it("those of logins with the old password that overlap a password reset are revoked with it", async () => {
    const user = await newUser();
    await api("POST", "/password-reset", { json: { email: user.email } });
    const { body } = await internalApi("GET", `/i/users/password-reset-code?email=${user.email}`);
    const [reset, ...logins] = await Promise.all([
      api("POST", "/password-reset/complete", { json: { ...body, password: "a new password" } }),
      ...Array.from({ length: 10 }, () => logIn(user)),
    ]);
    expect(reset?.status).toBe(200);

    for (const { cookie } of [user, ...logins]) {
      if (cookie !== undefined) expect((await api("POST", "/access", { cookie })).status).toBe(403);
    }
  });

  it("a removal of all cookies and logins at once leave only cookies that are listed", async () => {
    const user = await newUser();
    const json = { password: somePassword };
    const [removal, ...logins] = await Promise.all([
      api("POST", "/cookies/remove", { token: user.token, json }),
      ...Array.from({ length: 6 }, () => logIn(user)),
    ]);
    expect(statuses([removal as { status: number }, ...logins])).toEqual(Array(7).fill(200));

    const { body } = await api("GET", "/cookies", { token: user.token });
    const listed: number[] = body.cookies.map(({ id }: { id: number }) => id);
    expect(listed).not.toContain(cookieIdOf(user.cookie));
    for (const { cookie } of logins) {
      const { status } = await api("POST", "/access", { cookie });
      expect(status === 200).toBe(listed.includes(cookieIdOf(cookie)));
    }
  });
});
