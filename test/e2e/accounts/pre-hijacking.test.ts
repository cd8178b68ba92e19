import { describe, expect, it } from "vitest";
import { api, outcome } from "../../support/api.ts";
import { codeIn, type Message, messagesTo, nextMessage, wrongCode } from "../../support/messages.ts";
import {
  activate,
  activationCode,
  logIn,
  newEmail,
  newPhone,
  newUser,
  register,
  type User,
} from "../../support/users.ts";

const victimPassword = "the victim's password";
const attackerPassword = "the attacker's password";

const redeem = (json: object) => api("POST", "/activate", { json });
const changeEmail = ({ token, cookie }: User, email: string) =>
  api("PUT", "/access/self/email", { token, cookie, json: { email } });
const changePhone = ({ token }: User, phone: string) => api("PUT", "/self/phone", { token, json: { phone } });
const self = async ({ token }: Pick<User, "token">) => (await api("GET", "/self", { token })).body;
const logInBy = (address: { email?: string; phone?: string }, password: string) =>
  api("POST", "/login", { json: { ...address, password } });

/** Ways in which the owner of a mailbox may use a mail. */
const waysToConfirm = {
  "typing the code": (email: string, { headers }: Message) => redeem({ email, code: headers["X-Svc-Code"] }),
  "the key and the code": (_: string, { headers }: Message) =>
    redeem({ key: headers["X-Svc-Key"], code: headers["X-Svc-Code"] }),
  "GET with key and code": (_: string, { headers }: Message) =>
    api(
      "GET",
      `/activate?${new URLSearchParams({ key: headers["X-Svc-Key"] ?? "", code: headers["X-Svc-Code"] ?? "" })}`,
    ),
  "the page": (_: string, { headers }: Message) =>
    api("POST", "/activate/confirm", {
      body: new URLSearchParams({
        key: headers["X-Svc-Key"] ?? "",
        code: headers["X-Svc-Code"] ?? "",
      }).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded" },
    }),
};
const ways = Object.entries(waysToConfirm);

/** The newest mail that names an account. */
async function mailNaming(email: string, name: string, count: number): Promise<Message> {
  await nextMessage(email, { count });
  const found = (await messagesTo(email)).find(({ text }) => text.includes(name));
  if (found === undefined) throw new Error(`No mail to ${email} names ${name}`);
  return found;
}

const registerVictim = (email: string) => register({ name: "Vera", email, password: victimPassword });
const registerAttacker = (email: string) => register({ name: "Mallory", email, password: attackerPassword });

/** Asserts that an address belongs to the account registered last with the victim's password, and to it alone. */
async function expectVictimOwns(address: { email?: string; phone?: string }, userId: string) {
  expect((await logInBy(address, victimPassword)).body.user).toBe(userId);
  expect(outcome(await logInBy(address, attackerPassword))).toBe("403 invalid-credentials");
}

describe.concurrent("an address that somebody else also registers", () => {
  it.each(ways)("goes to its owner's account by %s, after a later registration", async (_, confirm) => {
    const email = newEmail();
    const victim = await registerVictim(email);
    const mail = await nextMessage(email);
    await registerAttacker(email);
    await nextMessage(email, { count: 2 });

    expect(outcome(await confirm(email, mail))).toBe("200");
    await expectVictimOwns({ email }, victim.body.id);
  });

  it.each(ways)("goes to its owner's account by %s, after an earlier registration", async (_, confirm) => {
    const email = newEmail();
    await registerAttacker(email);
    await nextMessage(email);
    const victim = await registerVictim(email);

    expect(outcome(await confirm(email, await mailNaming(email, "Vera", 2)))).toBe("200");
    await expectVictimOwns({ email }, victim.body.id);
  });

  it("goes to the account of the redeemed code, however many others register the address", async () => {
    const email = newEmail();
    for (let count = 0; count < 3; count++) await registerAttacker(email);
    const victim = await registerVictim(email);
    const mail = await mailNaming(email, "Vera", 4);
    for (let count = 0; count < 5; count++) await registerAttacker(email);

    expect((await redeem({ email, code: mail.headers["X-Svc-Code"] })).body).toEqual({ email, first: true });
    await expectVictimOwns({ email }, victim.body.id);
  });

  it("leaves no code of the others valid once it is confirmed", async () => {
    const email = newEmail();
    await registerAttacker(email);
    const { headers } = await nextMessage(email);
    const victim = await registerVictim(email);
    await activate({ email });

    for (const by of [{ email }, { key: headers["X-Svc-Key"] }]) {
      expect(outcome(await redeem({ ...by, code: headers["X-Svc-Code"] }))).toBe("404 invalid-code");
    }
    await expectVictimOwns({ email }, victim.body.id);
  });

  it("goes to one account when the codes of both are redeemed concurrently", async () => {
    const email = newEmail();
    const [first, second] = [await registerVictim(email), await registerAttacker(email)];
    await nextMessage(email, { count: 2 });
    const mails = await messagesTo(email);
    const answers = await Promise.all(
      mails.map(({ headers }) => redeem({ email, code: headers["X-Svc-Code"] })),
    );

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers)
      expect(["200", "404 invalid-code", "409 key-exists"]).toContain(outcome(answer));
    const logins = [await logInBy({ email }, victimPassword), await logInBy({ email }, attackerPassword)];
    const users = logins.flatMap(({ status, body }) => (status === 200 ? [body.user] : []));
    expect(users).toHaveLength(1);
    expect([first.body.id, second.body.id]).toContain(users[0]);
  });

  it("keeps the code that was sent for no account, with which its owner registers", async () => {
    const email = newEmail();
    await api("POST", "/activate/send", { json: { email } });
    const { headers } = await nextMessage(email);
    await registerAttacker(email);
    const code = headers["X-Svc-Code"];
    expect(outcome(await redeem({ email, code, dryrun: true }))).toBe("200");
    expect(outcome(await redeem({ email, code }))).toBe("404 invalid-code");

    const victim = await register({ name: "Vera", email, password: victimPassword, email_code: code });
    expect(victim.body.email).toBe(email);
    await expectVictimOwns({ email }, victim.body.id);
  });

  it("goes to its owner's account although the code came with another registration's mail", async () => {
    const email = newEmail();
    await registerAttacker(email);
    await nextMessage(email);
    await api("POST", "/activate/send", { json: { email } });
    const { headers } = await nextMessage(email, { count: 2 });
    const code = headers["X-Svc-Code"];
    expect(outcome(await redeem({ email, code, dryrun: true }))).toBe("200");

    const victim = await register({ name: "Vera", email, password: victimPassword, email_code: code });
    await expectVictimOwns({ email }, victim.body.id);
    expect(outcome(await redeem({ key: headers["X-Svc-Key"], code }))).toBe("204");
    await expectVictimOwns({ email }, victim.body.id);
  });

  it("is sent the codes of all accounts that wait for it, each of which names its account", async () => {
    const email = newEmail();
    const victim = await registerVictim(email);
    const sent = await nextMessage(email);
    await registerAttacker(email);
    await nextMessage(email, { count: 2 });
    await api("POST", "/activate/send", { json: { email } });

    const again = await mailNaming(email, "Vera", 4);
    expect(again.headers).toEqual(sent.headers);
    expect(outcome(await redeem({ email, code: again.headers["X-Svc-Code"] }))).toBe("200");
    await expectVictimOwns({ email }, victim.body.id);
  });

  it("allows three guesses at all of its codes together", async () => {
    const email = newEmail();
    await registerVictim(email);
    await registerAttacker(email);
    await nextMessage(email, { count: 2 });
    const codes = (await messagesTo(email)).map(({ headers }) => headers["X-Svc-Code"] ?? "");
    const wrong = [0, 1, 2, 3]
      .map((n) => wrongCode(codes[0] ?? "", n))
      .filter((code) => !codes.includes(code));
    for (const code of wrong.slice(0, 3)) await redeem({ email, code });

    for (const code of codes) expect(outcome(await redeem({ email, code }))).toBe("404 invalid-code");
  });

  it("loses no attempts to guessed keys", async () => {
    const email = newEmail();
    await registerVictim(email);
    const { key, code } = await activationCode({ email });
    const forged = `${key.split(".")[0]}.${"x".repeat(22)}`;
    for (let count = 0; count < 5; count++) {
      expect(outcome(await redeem({ key: forged, code }))).toBe("404 invalid-code");
      expect(outcome(await redeem({ key: key.split(".")[0], code }))).toBe("404 invalid-code");
    }
    expect(outcome(await redeem({ key, code }))).toBe("200");
  });
});

describe.concurrent("an address that somebody else's account changes to", () => {
  it.each(ways)("goes to its owner's registration by %s", async (_, confirm) => {
    const email = newEmail();
    const victim = await registerVictim(email);
    const mail = await nextMessage(email);
    const attacker = await newUser({ password: attackerPassword });
    expect(outcome(await changeEmail(attacker, email))).toBe("202");
    await nextMessage(email, { count: 2 });

    expect(outcome(await confirm(email, mail))).toBe("200");
    await expectVictimOwns({ email }, victim.body.id);
    expect((await self(attacker)).email).toBe(attacker.email);
  });

  it.each(ways)("goes to its owner's own change by %s, in either order", async (_, confirm) => {
    for (const isAttackerFirst of [true, false]) {
      const email = newEmail();
      const [victim, attacker] = await Promise.all([
        newUser({ name: "Vera" }),
        newUser({ name: "Mallory", password: attackerPassword }),
      ]);
      for (const user of isAttackerFirst ? [attacker, victim] : [victim, attacker]) {
        expect(outcome(await changeEmail(user, email))).toBe("202");
      }
      expect(outcome(await confirm(email, await mailNaming(email, "Vera", 2)))).toBe("200");

      expect((await self(victim)).email).toBe(email);
      expect((await self(attacker)).email).toBe(attacker.email);
      expect((await logIn({ ...victim, email })).body.user).toBe(victim.id);
    }
  });

  it("goes to its owner's change although somebody registers with it meanwhile", async () => {
    const email = newEmail();
    const victim = await newUser({ name: "Vera" });
    await changeEmail(victim, email);
    const { headers } = await nextMessage(email);
    await registerAttacker(email);

    expect((await redeem({ email, code: headers["X-Svc-Code"] })).body).toEqual({ email, first: false });
    expect((await self(victim)).email).toBe(email);
  });

  it("is sent a code for no account when its owner asks for one to register", async () => {
    const email = newEmail();
    const attacker = await newUser();
    await changeEmail(attacker, email);
    await nextMessage(email);
    await api("POST", "/activate/send", { json: { email } });
    const { headers } = await nextMessage(email, { count: 2 });

    expect(headers["X-Svc-Purpose"]).toBe("Verification");
    expect(headers).not.toHaveProperty("X-Svc-Key");
    const code = headers["X-Svc-Code"];
    expect(outcome(await redeem({ email, code }))).toBe("404 invalid-code");
    const victim = await register({ email, password: victimPassword, email_code: code });
    await expectVictimOwns({ email }, victim.body.id);
    expect((await self(attacker)).email).toBe(attacker.email);
  });

  it("is sent a code for no account even if that account was registered with it and activated by phone", async () => {
    const [email, phone] = [newEmail(), newPhone()];
    await register({ name: "Mallory", email, phone, password: attackerPassword });
    await activate({ phone });
    await nextMessage(email);
    await api("POST", "/activate/send", { json: { email } });

    expect((await nextMessage(email, { count: 2 })).headers["X-Svc-Purpose"]).toBe("Verification");
  });
});

describe.concurrent("a number that somebody else's account requests", () => {
  it("goes to its owner's registration, before and after another one", async () => {
    for (const isAttackerFirst of [true, false]) {
      const phone = newPhone();
      const attack = () => register({ name: "Mallory", phone, password: attackerPassword });
      if (isAttackerFirst) await attack();
      const victim = await register({ name: "Vera", phone, password: victimPassword });
      const code = codeIn(await mailNaming(phone, "Vera", isAttackerFirst ? 2 : 1));
      if (!isAttackerFirst) await attack();

      expect((await redeem({ phone, code })).body).toEqual({ phone, first: true });
      await expectVictimOwns({ phone }, victim.body.id);
    }
  });

  it("goes to its owner's registration although an account changes to it", async () => {
    const phone = newPhone();
    const victim = await register({ name: "Vera", phone, password: victimPassword });
    const code = codeIn(await nextMessage(phone));
    const attacker = await newUser({ password: attackerPassword });
    expect(outcome(await changePhone(attacker, phone))).toBe("202");
    await nextMessage(phone, { count: 2 });

    expect((await redeem({ phone, code })).body).toEqual({ phone, first: true });
    await expectVictimOwns({ phone }, victim.body.id);
    expect(await self(attacker)).not.toHaveProperty("phone");
  });

  it("goes to its owner's change, before and after that of another account", async () => {
    for (const isAttackerFirst of [true, false]) {
      const phone = newPhone();
      const [victim, attacker] = await Promise.all([newUser({ name: "Vera" }), newUser({ name: "Mallory" })]);
      for (const user of isAttackerFirst ? [attacker, victim] : [victim, attacker])
        await changePhone(user, phone);
      const code = codeIn(await mailNaming(phone, "Vera", 2));

      expect((await redeem({ phone, code })).body).toEqual({ phone, first: false });
      expect((await self(victim)).phone).toBe(phone);
      expect(await self(attacker)).not.toHaveProperty("phone");
    }
  });
});

describe.concurrent("mail and page", () => {
  const pageFor = async ({ text }: Message) => {
    const { pathname, search } = new URL(/http\S+/.exec(text)?.[0] ?? "");
    return (await api("GET", pathname + search)).body as string;
  };

  it("name the account that is activated", async () => {
    const email = newEmail();
    await registerAttacker(email);
    const first = await nextMessage(email);
    await registerVictim(email);
    const second = await mailNaming(email, "Vera", 2);

    for (const part of [first.text, first.html, await pageFor(first)]) {
      expect(part).toContain("Mallory");
      expect(part).not.toContain("Vera");
    }
    for (const part of [second.text, second.html, await pageFor(second)]) expect(part).toContain("Vera");
    const confirmed = await waysToConfirm["the page"](email, second);
    expect(confirmed.body).toContain("Vera");
  });

  it("say that others have requested the same address", async () => {
    const email = newEmail();
    await registerAttacker(email);
    expect((await nextMessage(email)).text).not.toContain("Another account");
    await registerVictim(email);
    expect((await mailNaming(email, "Vera", 2)).text).toContain("Another account");
  });

  it("say whether the account exists already", async () => {
    const email = newEmail();
    await registerAttacker(email);
    const mail = await nextMessage(email);
    for (const part of [mail.text, await pageFor(mail)]) expect(part).toContain("New account: Mallory");
    const changed = newEmail();
    await changeEmail(await newUser({ name: "Mallory" }), changed);
    const notice = await nextMessage(changed);
    for (const part of [notice.text, await pageFor(notice)])
      expect(part).toContain("Existing account: Mallory");
  });

  it.each([
    "Visit evil.example",
    "http://evil.example/x",
    "win@evil.example",
    "x".repeat(41),
    "Ada\nEve",
    "a.b",
  ])("repeat no name that could be a message or a link, such as %j", async (name) => {
    const email = newEmail();
    await register({ name, email });
    const { text, html } = await nextMessage(email);
    expect(text).not.toContain(name);
    expect(html).not.toContain(name);
  });

  it("shorten other long names to their beginnings", async () => {
    const email = newEmail();
    await register({ name: "Mallory evil.example/win", email });
    expect((await nextMessage(email)).text).toContain("New account: Mallory evil…\n");
  });

  it("repeat ordinary names of all scripts", async () => {
    for (const name of ["Jean-Luc O’Neill", "Dr. Ada K. Lovelace", "山田 太郎", "محمد علي", "अदिति"]) {
      const email = newEmail();
      await register({ name, email });
      expect((await nextMessage(email)).text).toContain(name);
    }
  });
});
