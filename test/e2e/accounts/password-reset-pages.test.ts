import { describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { messagesTo, nextMessage, wrongCode } from "../../support/messages.ts";
import { ownStack } from "../../support/own-stack.ts";
import { type PageVisitor, pageVisitor } from "../../support/page-visitor.ts";
import { type Apis, logIn, newEmail, newUser, type User } from "../../support/users.ts";

const root = "/password-reset/page";
const ask = `${root}/request`;
const newPassword = "another horse battery";

async function askFor(address: string, visitor: PageVisitor = pageVisitor()): Promise<PageVisitor> {
  await visitor.open(ask);
  await visitor.submit(ask, { address });
  return visitor;
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

  it("refuse a wrong code, also the right one after three of them, and one of somebody else", async () => {
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
    const own = await ownStack({}, { isClockStopped: true });
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
    expect((await submit("short")).note).toMatch("too short");
    expect((await submit(user.password)).note).toMatch("your current password");
    expect((await submit(newPassword)).heading).toBe("Your password is changed");
  });

  it("do nothing for suspended people, and send them no mail", async () => {
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

  it("leave the operations of clients as they are", async () => {
    const { email } = await newUser();
    expect((await api("POST", "/password-reset", { json: { email } })).status).toBe(201);
    expect((await api("GET", "/password-reset")).status).toBe(405);
  });
});
