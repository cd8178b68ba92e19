import { describe, expect, it } from "vitest";
import { api, internalApi } from "../../support/api.ts";
import { messagesTo, nextMessage, wrongCode } from "../../support/messages.ts";
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

/** Results of a task that runs several times concurrently. */
const concurrently = <Result>(times: number, task: (index: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: times }, (_, index) => task(index)));

const passwordOf = (index: number) => `password number ${index}`;
const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort();
const redeem = (json: object) => api("POST", "/activate", { json });

/** Numbers of the passwords that an address can log in with. */
async function ownersOf(email: string, candidates: number): Promise<number[]> {
  const logins = await concurrently(candidates, (index) => logIn({ email, password: passwordOf(index) }));
  return logins.flatMap(({ status }, index) => (status === 200 ? [index] : []));
}

describe.concurrent("concurrent registrations", () => {
  it("with the right code of one address create exactly one account", async () => {
    const email = newEmail();
    await api("POST", "/activate/send", { json: { email } });
    const { code } = await activationCode({ email });
    const answers = await concurrently(10, (index) =>
      register({ email, password: passwordOf(index), email_code: code }),
    );

    const winners = answers.flatMap(({ status }, index) => (status === 201 ? [index] : []));
    expect(winners).toHaveLength(1);
    for (const { status } of answers) expect([201, 404, 409]).toContain(status);
    expect(await ownersOf(email, 10)).toEqual(winners);
  });

  it("without codes leave exactly one owner after an activation", async () => {
    const email = newEmail();
    const answers = await concurrently(10, (index) => register({ email, password: passwordOf(index) }));
    expect(statuses(answers)).toEqual(Array(10).fill(201));
    const { code } = await activationCode({ email });
    expect((await redeem({ email, code })).status).toBe(200);

    const owners = await ownersOf(email, 10);
    expect(owners).toHaveLength(1);
    const login = await logIn({ email, password: passwordOf(owners[0] ?? 0) });
    expect(login.body.user).toBe(answers[owners[0] ?? 0]?.body.id);
  });

  it("leave a single owner of an address that is activated meanwhile", async () => {
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

describe.concurrent("concurrent uses of one code", () => {
  it("make exactly one activation the first", async () => {
    const email = newEmail();
    await register({ email });
    const { code } = await activationCode({ email });
    const answers = await concurrently(10, () => redeem({ email, code }));

    expect(answers.filter(({ body }) => body.first === true)).toHaveLength(1);
    for (const { status } of answers) expect([200, 204, 404]).toContain(status);
    expect((await redeem({ email, code })).status).toBe(204);
  });

  it("use up no attempts when they are dry runs with the right code", async () => {
    const email = newEmail();
    await register({ email });
    const { code } = await activationCode({ email });
    await concurrently(30, () => redeem({ email, code, dryrun: true }));

    expect((await redeem({ email, code })).status).toBe(200);
  });

  it("leave no attempt for the right code when 30 are wrong", async () => {
    const email = newEmail();
    await register({ email });
    const { code } = await activationCode({ email });
    const answers = await concurrently(30, (index) => redeem({ email, code: wrongCode(code, index) }));

    expect(statuses(answers)).toEqual(Array(30).fill(404));
    expect((await redeem({ email, code })).status).toBe(404);
  });

  it("accept the right code among wrong ones only while an attempt is left", async () => {
    for (let round = 0; round < 5; round++) {
      const email = newEmail();
      await register({ email });
      const { code } = await activationCode({ email });
      const answers = await concurrently(4, (index) =>
        redeem({ email, code: index === 3 ? code : wrongCode(code, index) }),
      );
      const isActivated = answers[3]?.status === 200;

      expect(statuses(answers.slice(0, 3))).toEqual([404, 404, 404]);
      expect((await redeem({ email, code })).status).toBe(isActivated ? 204 : 404);
    }
  });

  it("leave no attempt at a password reset when 30 are wrong", async () => {
    const { email } = await newUser();
    await api("POST", "/password-reset", { json: { email } });
    const { body } = await internalApi("GET", `/i/users/password-reset-code?email=${email}`);
    const complete = (code: string) =>
      api("POST", "/password-reset/complete", { json: { email, code, password: "a new password" } });
    await concurrently(30, (index) => complete(wrongCode(body.code, index)));

    expect((await complete(body.code)).status).toBe(400);
  });

  it("complete exactly one password reset", async () => {
    const user = await newUser();
    await api("POST", "/password-reset", { json: { email: user.email } });
    const { body } = await internalApi("GET", `/i/users/password-reset-code?email=${user.email}`);
    const answers = await concurrently(2, (index) =>
      api("POST", "/password-reset/complete", { json: { ...body, password: passwordOf(index) } }),
    );

    expect(statuses(answers)).toEqual([200, 400]);
    expect(await ownersOf(user.email, 2)).toEqual([answers.findIndex(({ status }) => status === 200)]);
  });

  it("log in exactly once with a login code", async () => {
    const phone = newPhone();
    await register({ phone });
    await redeem({ phone, ...(await activationCode({ phone })) });
    await api("POST", "/login/send", { json: { phone } });
    const { body } = await internalApi("GET", `/i/users/login-code?${new URLSearchParams({ phone })}`);
    const answers = await concurrently(5, () => api("POST", "/login", { json: { phone, code: body.code } }));

    expect(statuses(answers)).toEqual([200, 403, 403, 403, 403]);
  });
});

describe.concurrent("concurrent requests for a code", () => {
  it("send the same activation code", async () => {
    const email = newEmail();
    const answers = await concurrently(8, () => api("POST", "/activate/send", { json: { email } }));
    expect(statuses(answers)).toEqual(Array(8).fill(200));
    await nextMessage(email, { count: 8 });

    const codes = (await messagesTo(email)).map(({ headers }) => headers["X-Svc-Code"]);
    expect(new Set(codes)).toEqual(new Set([(await activationCode({ email })).code]));
  });

  it("start exactly one password reset", async () => {
    const { email } = await registeredUser();
    await nextMessage(email);
    const answers = await concurrently(8, () => api("POST", "/password-reset", { json: { email } }));

    expect(statuses(answers)).toEqual([201, ...Array(7).fill(409)]);
    const { body } = await internalApi("GET", `/i/users/password-reset-code?email=${email}`);
    expect((await nextMessage(email, { count: 2 })).headers["X-Svc-Code"]).toBe(body.code);
  });
});

describe.concurrent("concurrent changes of cookies", () => {
  it("keep the newest 32 of 40 logins, each of them usable", async () => {
    const apis = await stackWith({ setUserCookieThrottle: { stdDev: 0, retryAfter: 0 } });
    const user = await newUser({}, apis);
    const logins = await concurrently(40, () => logIn(user, { apis }));
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

  it("give an old cookie that is used ten times one successor", async () => {
    const apis = await stackWith();
    const user = await registeredUser({}, apis);
    apis.advance(15 * 86_400);
    const answers = await concurrently(10, () => apis.publicApi("POST", "/access", { cookie: user.cookie }));

    expect(statuses(answers)).toEqual(Array(10).fill(200));
    expect(new Set(answers.map(({ cookie }) => cookieIdOf(cookie))).size).toBe(1);
    const [answer] = answers;
    const { body } = await apis.publicApi("GET", "/cookies", { token: answer?.body.access_token });
    // Registration, login, successor.
    expect(body.cookies).toHaveLength(3);
  });

  it("cannot undo a logout", async () => {
    const user = await newUser();
    const [loggedOut, ...uses] = await Promise.all([
      api("POST", "/access/logout", user),
      ...[1, 2, 3, 4].map(() => api("POST", "/access", { cookie: user.cookie })),
    ]);

    expect(loggedOut?.status).toBe(200);
    for (const { status } of uses) expect([200, 403]).toContain(status);
    expect((await api("POST", "/access", { cookie: user.cookie })).status).toBe(403);
  });

  it("leave no cookie of a login that overlaps a suspension", async () => {
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

  it("leave no cookie of a login with the old password that overlaps a reset", async () => {
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

  it("leave only listed cookies usable when all are removed during logins", async () => {
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
