import { describe, expect, it } from "vitest";
import { type ApiAnswer, api, internalApi } from "../../support/api.ts";
import { messagesTo, nextMessage, wrongCode } from "../../support/messages.ts";
import { ownStack } from "../../support/own-stack.ts";
import { concurrently, counted, each, only, race } from "../../support/races.ts";
import { isSoak, times } from "../../support/soak.ts";
import { stackWith } from "../../support/stack-with.ts";
import { cookieIdOf } from "../../support/tokens.ts";
import {
  activationCode,
  logIn,
  newEmail,
  newPhone,
  newUser,
  register,
  registeredUser,
  somePassword,
} from "../../support/users.ts";

const passwordOf = (index: number) => `password number ${index}`;
const activate = (json: object) => api("POST", "/activate", { json });
const winnersOf = (answers: readonly ApiAnswer[], status: number) =>
  answers.flatMap((answer, index) => (answer.status === status ? [index] : []));

/** Numbers of the passwords that an address can log in with. */
const ownersOf = async (email: string, candidates: number): Promise<number[]> =>
  winnersOf(await concurrently(candidates, (index) => logIn({ email, password: passwordOf(index) })), 200);

/** An account that is not activated yet, and its code. */
async function newInactive() {
  const email = newEmail();
  await register({ email, password: passwordOf(0) });
  return { email, ...(await activationCode({ email })) };
}

/** A user who has asked for a password reset, and the code of it. */
async function newReset() {
  const user = await newUser();
  await api("POST", "/password-reset", { json: { email: user.email } });
  const { body } = await internalApi("GET", `/i/users/password-reset-code?email=${user.email}`);
  const complete = (json: object) =>
    api("POST", "/password-reset/complete", { json: { ...body, password: "a new password", ...json } });
  return { ...user, code: body.code as string, complete };
}

describe.concurrent("concurrent registrations", () => {
  race("with the right code of one address create exactly one account", {
    given: async () => {
      const email = newEmail();
      await api("POST", "/activate/send", { json: { email } });
      return { email, ...(await activationCode({ email })) };
    },
    contenders: 10,
    act: ({ email, code }, index) => register({ email, password: passwordOf(index), email_code: code }),
    outcomes: each("201", "404 invalid-code", "409 key-exists"),
    holds: async ({ email }, answers) => {
      expect(winnersOf(answers, 201)).toHaveLength(1);
      expect(await ownersOf(email, answers.length)).toEqual(winnersOf(answers, 201));
    },
  });

  race("without codes leave exactly one owner after an activation", {
    given: async () => ({ email: newEmail() }),
    contenders: 10,
    act: ({ email }, index) => register({ email, password: passwordOf(index) }),
    outcomes: each("201"),
    holds: async ({ email }, answers) => {
      const { code } = await activationCode({ email });
      expect((await activate({ email, code })).status).toBe(200);
      const [owner = -1, ...others] = await ownersOf(email, answers.length);
      expect(others).toEqual([]);
      const login = await logIn({ email, password: passwordOf(owner) });
      expect(login.body.user).toBe(answers[owner]?.body.id);
    },
  });

  race("leave a single owner of an address that is activated meanwhile", {
    given: newInactive,
    against: ({ email, code }) => activate({ email, code }),
    act: ({ email }, index) => register({ email, password: passwordOf(index + 1) }),
    holds: async ({ email }, [activated]) => {
      if (activated?.status === 200) return expect(await ownersOf(email, 4)).toEqual([0]);
      expect(activated?.status).toBe(404);
      const { code } = await activationCode({ email });
      expect((await activate({ email, code })).status).toBe(200);
      return expect(await ownersOf(email, 4)).toHaveLength(1);
    },
  });
});

describe.concurrent("concurrent uses of one code", () => {
  race("make exactly one activation the first", {
    given: newInactive,
    contenders: 10,
    act: ({ email, code }) => activate({ email, code }),
    outcomes: each("200", "204", "404 invalid-code"),
    holds: async ({ email, code }, answers) => {
      expect(answers.filter(({ body }) => body.first === true)).toHaveLength(1);
      expect((await activate({ email, code })).status).toBe(204);
    },
  });

  race("use up no attempts when they are dry runs with the right code", {
    given: newInactive,
    contenders: 30,
    act: ({ email, code }) => activate({ email, code, dryrun: true }),
    holds: async ({ email, code }) => expect((await activate({ email, code })).status).toBe(200),
  });

  race("leave no attempt for the right code when all are wrong", {
    given: newInactive,
    contenders: 30,
    act: ({ email, code }, index) => activate({ email, code: wrongCode(code, index) }),
    outcomes: each("404 invalid-code"),
    holds: async ({ email, code }) => expect((await activate({ email, code })).status).toBe(404),
  });

  race("accept the right code among wrong ones only while an attempt is left", {
    given: newInactive,
    against: ({ email, code }) => activate({ email, code }),
    act: ({ email, code }, index) => activate({ email, code: wrongCode(code, index) }),
    holds: async ({ email, code }, [right, ...wrong]) => {
      expect(counted(wrong)).toEqual({ "404 invalid-code": 3 });
      const isActivated = right?.status === 200;
      expect((await activate({ email, code })).status).toBe(isActivated ? 204 : 404);
    },
  });

  race("leave no attempt at a password reset when all are wrong", {
    given: newReset,
    contenders: 30,
    act: ({ code, complete }, index) => complete({ code: wrongCode(code, index) }),
    holds: async ({ complete }) => expect((await complete({})).status).toBe(400),
  });

  race("complete exactly one password reset", {
    given: newReset,
    contenders: 2,
    act: ({ complete }, index) => complete({ password: passwordOf(index) }),
    outcomes: only("200", "400 invalid-code"),
    holds: async ({ email = "" }, answers) =>
      expect(await ownersOf(email, answers.length)).toEqual(winnersOf(answers, 200)),
  });

  race("log in exactly once with a login code", {
    given: async () => {
      const phone = newPhone();
      await register({ phone });
      await activate({ phone, ...(await activationCode({ phone })) });
      await api("POST", "/login/send", { json: { phone } });
      const { body } = await internalApi("GET", `/i/users/login-code?${new URLSearchParams({ phone })}`);
      return { phone, code: body.code };
    },
    contenders: 5,
    act: (json) => api("POST", "/login", { json }),
    outcomes: only("200", "403 invalid-credentials"),
  });
});

describe.concurrent("concurrent requests for a code", () => {
  race("send the same activation code", {
    given: async () => ({ email: newEmail() }),
    contenders: 8,
    act: (json) => api("POST", "/activate/send", { json }),
    outcomes: each("200"),
    holds: async ({ email }, { length: count }) => {
      await nextMessage(email, { count });
      const codes = (await messagesTo(email)).map(({ headers }) => headers["X-Svc-Code"]);
      expect(new Set(codes)).toEqual(new Set([(await activationCode({ email })).code]));
    },
  });

  race("start exactly one password reset", {
    given: async () => {
      const { email = "" } = await registeredUser();
      await nextMessage(email);
      return { email };
    },
    contenders: 8,
    act: (json) => api("POST", "/password-reset", { json }),
    outcomes: only("201", "409 code-exists"),
    holds: async ({ email }) => {
      const { body } = await internalApi("GET", `/i/users/password-reset-code?email=${email}`);
      expect((await nextMessage(email, { count: 2 })).headers["X-Svc-Code"]).toBe(body.code);
    },
  });
});

describe.concurrent("concurrent changes of cookies", () => {
  /** More logins than an account may have. */
  const [limit, logins] = [times(4, 32), times(6, 40)];
  const access = (cookie: string | undefined, publicApi = api) => publicApi("POST", "/access", { cookie });
  const expectUnusable = async (cookies: readonly (string | undefined)[]) => {
    for (const cookie of cookies) if (cookie !== undefined) expect((await access(cookie)).status).toBe(403);
  };

  it("keep the newest cookies when there are more logins than an account may have, and each of them is usable", async () => {
    const setUserCookieThrottle = { stdDev: 0, retryAfter: 0 };
    // Over HTTP, so many logins come one after another, as they would from clients.
    const start = isSoak ? ownStack : stackWith;
    const apis = await start({ setUserCookieThrottle, setUserCookieLimit: limit });
    const user = await newUser({}, apis);
    const answers = await concurrently(logins, () => logIn(user, { apis }));
    expect(counted(answers)).toEqual({ 200: logins });
    const last = await logIn(user, { apis });
    const { body } = await apis.publicApi("GET", "/cookies", { token: user.token });
    const listed: number[] = body.cookies.map(({ id }: { id: number }) => id);

    expect(listed).toHaveLength(limit);
    expect(listed).toContain(cookieIdOf(last.cookie));
    expect(listed).not.toContain(cookieIdOf(user.cookie));
    let usable = 0;
    for (const { cookie } of answers) {
      const isUsable = (await access(cookie, apis.publicApi)).status === 200;
      expect(isUsable).toBe(listed.includes(cookieIdOf(cookie)));
      if (isUsable) usable++;
    }
    expect(usable).toBe(limit - 1);
  });

  race("give an old cookie one successor", {
    given: async () => {
      const apis = await stackWith();
      const { cookie } = await registeredUser({}, apis);
      apis.advance(15 * 86_400);
      return { ...apis, cookie };
    },
    contenders: 10,
    rounds: 1,
    act: ({ cookie, publicApi }) => access(cookie, publicApi),
    outcomes: each("200"),
    holds: async ({ publicApi }, answers) => {
      expect(new Set(answers.map(({ cookie }) => cookieIdOf(cookie))).size).toBe(1);
      const { body } = await publicApi("GET", "/cookies", { token: answers[0]?.body.access_token });
      // Registration, login, successor.
      expect(body.cookies).toHaveLength(3);
    },
  });

  race("cannot undo a logout", {
    given: newUser,
    against: (user) => api("POST", "/access/logout", user),
    act: ({ cookie }) => access(cookie),
    outcomes: each("200", "403 invalid-credentials"),
    holds: async ({ cookie }, [loggedOut]) => {
      expect(loggedOut?.status).toBe(200);
      await expectUnusable([cookie]);
    },
  });

  race("leave no cookie of a login that overlaps a suspension", {
    given: newUser,
    against: ({ id }) => internalApi("PUT", `/i/users/${id}/status`, { json: { status: "suspended" } }),
    contenders: 10,
    act: (user) => logIn(user),
    holds: async (user, [suspension, ...others]) => {
      expect(suspension?.status).toBe(200);
      await expectUnusable([user, ...others].map(({ cookie }) => cookie));
    },
  });

  race("leave no cookie of a login with the old password that overlaps a reset", {
    given: newReset,
    against: ({ complete }) => complete({}),
    contenders: 10,
    act: (user) => logIn(user),
    holds: async (user, [reset, ...others]) => {
      expect(reset?.status).toBe(200);
      await expectUnusable([user, ...others].map(({ cookie }) => cookie));
    },
  });

  race("leave only listed cookies usable when all are removed during logins", {
    given: newUser,
    against: ({ token }) => api("POST", "/cookies/remove", { token, json: { password: somePassword } }),
    contenders: 6,
    act: (user) => logIn(user),
    outcomes: each("200"),
    holds: async (user, [, ...others]) => {
      const { body } = await api("GET", "/cookies", { token: user.token });
      const listed: number[] = body.cookies.map(({ id }: { id: number }) => id);
      expect(listed).not.toContain(cookieIdOf(user.cookie));
      for (const { cookie } of others)
        expect((await access(cookie)).status === 200).toBe(listed.includes(cookieIdOf(cookie)));
    },
  });
});
