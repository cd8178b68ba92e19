import { describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { messagesTo, nextMessage, wrongCode } from "../../support/messages.ts";
import { ownStack } from "../../support/own-stack.ts";
import { type PageVisitor, pageVisitor } from "../../support/page-visitor.ts";
import { stackWith } from "../../support/stack-with.ts";
import { type Apis, logIn, newEmail, newUser, type User } from "../../support/users.ts";

const root = "/password-reset/page";
const ask = `${root}/request`;
const newPassword = "another horse battery";

async function askFor(address: string, visitor: PageVisitor = pageVisitor()): Promise<PageVisitor> {
  await visitor.open(ask);
  await visitor.submit(ask, { address });
  return visitor;
}

/** The link in the newest mail. */
async function linkTo({ email }: Pick<User, "email">): Promise<{ path: string; key: string; code: string }> {
  const { text } = await nextMessage(email, { purpose: "PasswordReset" });
  const { pathname, search, searchParams } = new URL(/http\S+/.exec(text)?.[0] ?? "");
  const { key = "", code = "" } = Object.fromEntries(searchParams);
  return { path: pathname + search, key, code };
}

const complete = (visitor: PageVisitor, fields: Record<string, string>) =>
  visitor.submit(`${root}/complete`, { password: newPassword, ...fields });
const pendingCode = async (
  { email }: Pick<User, "email">,
  { internalApi: internal }: Pick<Apis, "internalApi"> = { internalApi },
) =>
  (await internal("GET", `/i/users/password-reset-code?${new URLSearchParams({ email })}`)).body
    .code as string;

describe.concurrent("the password reset pages", () => {
  it("replace a password with the code of the mail, and end every session", async () => {
    const user = await newUser();
    const visitor = await askFor(user.email);
    const { headers } = await nextMessage(user.email, { purpose: "PasswordReset" });
    const page = await visitor.open(`${root}/complete`);
    expect(page.heading).toBe("Choose a new password");
    expect(page.text).toContain(`value="${user.email}"`);
    const { heading } = await complete(visitor, { address: user.email, code: ` ${headers["X-Svc-Code"]} ` });
    expect(heading).toBe("Your password is changed");
    expect(visitor.cookies.get("password-reset-address")).toBe("");
    expect(outcome(await logIn({ ...user, password: newPassword }))).toBe("200");
    expect(outcome(await logIn(user))).toBe("403 invalid-credentials");
    expect((await api("POST", "/access", { cookie: user.cookie })).status).toBe(403);
  });

  it("replace a password by the link of the mail, which scanners may open", async () => {
    const user = await newUser();
    await api("POST", "/password-reset", { json: { email: user.email } });
    const { path, key, code } = await linkTo(user);
    for (const method of ["GET", "HEAD", "GET", "HEAD", "GET"])
      expect((await api(method, path)).status).toBe(200);
    expect(outcome(await logIn(user))).toBe("200");
    const visitor = pageVisitor();
    const page = await visitor.open(path);
    expect(page.heading).toBe("Choose a new password");
    expect(page.text).not.toContain(user.email);
    expect(page.text).not.toContain('id="code"');
    expect([page.headers.get("referrer-policy"), page.headers.get("cache-control")]).toEqual([
      "same-origin",
      "no-store",
    ]);
    const short = await complete(visitor, { key, code, password: "short" });
    expect([short.heading, short.note]).toEqual([
      "Choose a new password",
      "The new password needs 8 to 1,024 characters.",
    ]);
    expect(short.text).toContain(`name="key" value="${key}"`);
    for (const password of ["", "x".repeat(1025)])
      expect((await complete(visitor, { key, code, password })).note).toBe(short.note);
    expect((await complete(visitor, { key, code, password: user.password })).note).toMatch(
      "your current password",
    );
    expect((await complete(visitor, { key, code })).heading).toBe("Your password is changed");
    expect(outcome(await logIn({ ...user, password: newPassword }))).toBe("200");
    const again = await complete(visitor, { key, code, password: "a third horse battery" });
    expect([again.heading, again.note]).toEqual([
      "Reset your password",
      "This link is wrong, has expired, or has been used. Ask for another code here.",
    ]);
  });

  it("refuse a link with another code, and escape its content", async () => {
    const [user, other] = await Promise.all([newUser(), newUser()]);
    for (const { email } of [user, other]) await api("POST", "/password-reset", { json: { email } });
    const [{ key, code }, foreign] = [await linkTo(user), await linkTo(other)];
    const visitor = pageVisitor();
    const guesses = [
      { key, code: wrongCode(code) },
      { key: foreign.key, code: wrongCode(foreign.code) },
      { key: "k".repeat(20), code },
    ];
    for (const guess of guesses) expect((await complete(visitor, guess)).note).toMatch("This link is wrong");
    const forged = await visitor.open(`${root}/complete?key=${key}&code=%22%3E%3Cscript%3E`);
    expect([forged.status, forged.text.includes("<script>")]).toEqual([200, false]);
    expect((await visitor.open(`${root}/complete?key=${key}`)).text).toContain('id="code"');
    expect((await complete(visitor, { key, code })).heading).toBe("Your password is changed");
  });

  it("answer the same whether or not anybody has the address", async () => {
    const { email } = await newUser();
    const nobody = newEmail();
    const answers = await Promise.all(
      [email, email, nobody, nobody].map(async (address) => {
        const { status, location } = await pageVisitor().post(ask, { address });
        return `${status} ${location}`;
      }),
    );
    expect(new Set(answers)).toEqual(new Set([`303 ${root}/complete`]));
    await nextMessage(email, { purpose: "PasswordReset" });
    expect(await messagesTo(nobody)).toEqual([]);
  });

  it("keep the address in a cookie for these pages, not in addresses", async () => {
    const { email } = await newUser();
    const answer = await pageVisitor().post(ask, { address: email });
    expect(answer.location).toBe(`${root}/complete`);
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^password-reset-address=[\w-]+; Max-Age=900; Path=\/password-reset\/page; HttpOnly; Secure; SameSite=Strict$/,
      ),
    ]);
  });

  it("accept a code once, even when the form is sent several times at once", async () => {
    const user = await newUser();
    const visitor = await askFor(user.email);
    const code = await pendingCode(user);
    const fields = { address: user.email, code, password: newPassword };
    const answers = await Promise.all(
      Array.from({ length: 3 }, () => visitor.post(`${root}/complete`, fields)),
    );
    const locations = answers.map(({ location }) => location);
    expect(locations.filter((location) => location === `${root}/done`)).toHaveLength(1);
    const { note } = await complete(visitor, fields);
    expect(note).toBe("This code is wrong or has expired.");
  });

  it("refuse a wrong code, the right code after three wrong ones, and somebody else's code", async () => {
    const [user, other] = await Promise.all([newUser(), newUser()]);
    const visitor = await askFor(user.email);
    await askFor(other.email);
    const [code, foreign] = await Promise.all([pendingCode(user), pendingCode(other)]);
    const refused = "This code is wrong or has expired.";
    const guesses = [wrongCode(code), foreign === code ? wrongCode(code, 1) : foreign, "no code"];
    for (const guess of guesses)
      expect((await complete(visitor, { address: user.email, code: guess })).note).toBe(refused);
    expect((await complete(visitor, { address: user.email, code })).note).toBe(refused);
    expect((await complete(visitor, { address: newEmail(), code })).note).toBe(refused);
    expect(outcome(await logIn(user))).toBe("200");
  });

  it("refuse a code that has expired", async () => {
    const own = await stackWith({}, { isClockStopped: true });
    const user = await newUser({}, own);
    const visitor = await askFor(user.email, pageVisitor(own));
    const code = await pendingCode(user, own);
    own.advance(3600);
    expect((await complete(visitor, { address: user.email, code })).note).toBe(
      "This code is wrong or has expired.",
    );
  });

  it("say what is wrong with the address or the new password, and leave the code usable", async () => {
    const user = await newUser();
    const visitor = await askFor(user.email);
    expect((await visitor.submit(ask, { address: "nothing" })).note).toMatch("neither an e-mail address nor");
    const code = await pendingCode(user);
    const submit = (password: string) => complete(visitor, { address: user.email, code, password });
    expect((await submit("short")).note).toMatch("8 to 1,024 characters");
    expect((await submit(user.password)).note).toMatch("your current password");
    expect((await submit(newPassword)).heading).toBe("Your password is changed");
  });

  it("do nothing for suspended users, and send them no mail", async () => {
    const user = await newUser();
    await internalApi("PUT", `/i/users/${user.id}/status`, { json: { status: "suspended" } });
    const { status, location } = await pageVisitor().post(ask, { address: user.email });
    expect([status, location]).toEqual([303, `${root}/complete`]);
    expect((await internalApi("GET", `/i/users/password-reset-code?email=${user.email}`)).status).not.toBe(
      200,
    );
  });

  it("are refused from other sites", async () => {
    const user = await newUser();
    for (const path of [ask, `${root}/complete`]) {
      const fields = { address: user.email, code: "123456", password: newPassword };
      const { status } = await pageVisitor().post(path, fields, {
        headers: { origin: "https://evil.example.com" },
      });
      expect(status).toBe(400);
    }
  });

  it("limit how many codes a network requests", async () => {
    const own = await ownStack({ setCodeDeliveryRateLimitPerIp: { burst: 1, refillSeconds: 3600 } });
    expect((await pageVisitor(own).post(ask, { address: newEmail() })).status).toBe(303);
    const { status, note } = await pageVisitor(own).post(ask, { address: newEmail() });
    expect([status, note]).toEqual([429, "Too many attempts. Wait a few minutes, then try again."]);
  });

  it("do not change the operations at their path", async () => {
    const { email } = await newUser();
    expect((await api("POST", "/password-reset", { json: { email } })).status).toBe(201);
    expect((await api("GET", "/password-reset")).status).toBe(405);
  });
});
