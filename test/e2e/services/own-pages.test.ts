import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api, outcome } from "../../support/api.ts";
import { nextMessage } from "../../support/messages.ts";
import { type PageVisitor, pageVisitor } from "../../support/page-visitor.ts";
import {
  logInProvider,
  newProvider,
  newProviderEmail,
  registerProvider,
  type TestProvider,
} from "../../support/providers.ts";
import { stackWith } from "../../support/stack-with.ts";

const account = "/provider/page/account";
const deletion = "/provider/page/deletion";
const services = "/provider/services/page";

const publicKey = (modulusLength = 2048) =>
  generateKeyPairSync("rsa", { modulusLength }).publicKey.export({ type: "spki", format: "pem" }).toString();
const [firstKey, secondKey] = [publicKey(), publicKey()];

const quiz = {
  ...{ name: "Quiz", summary: "Asks questions", description: "Asks a question", tag1: "quiz", tag2: "games" },
  ...{ base_url: "https://quiz.example.com/bots", keys: firstKey },
};

async function loggedIn({ email, password }: Pick<TestProvider, "email" | "password">): Promise<PageVisitor> {
  const visitor = pageVisitor();
  await visitor.open(account);
  await visitor.submit("/provider/page/login", { email, password });
  return visitor;
}

const servicesOf = async ({ token }: TestProvider) =>
  (await api("GET", "/provider/services", { token })).body;

/** Creates a service by the form. @returns its page and id */
async function created(visitor: PageVisitor, fields: Record<string, string> = {}) {
  await visitor.open(`${services}/new`);
  const { location } = await visitor.post(`${services}/new`, { ...quiz, ...fields });
  const id = /id=([\da-f-]+)/.exec(location ?? "")?.[1] ?? "";
  return { id, page: await visitor.open(location ?? "") };
}

describe.concurrent("the pages for the account of a provider", () => {
  it("register, confirm and log in without a program", async () => {
    const email = newProviderEmail();
    const visitor = pageVisitor();
    const form = {
      ...{ name: "Acme", url: "https://acme.example.com", description: "Bots", email, password: "password" },
    };
    const wrong = await visitor.submit("/provider/page/register", { ...form, url: "acme", name: '"><b>' });
    expect([wrong.status, wrong.note]).toEqual([200, expect.stringMatching("must begin with https://")]);
    expect(wrong.text).toContain(`value="${email}"`);
    expect(wrong.text).not.toContain("<b>");
    expect((await visitor.submit("/provider/page/register", { ...form, password: "short" })).note).toMatch(
      "6 to 1,024 characters",
    );
    expect((await visitor.submit("/provider/page/register", { ...form, email: "acme" })).note).toBe(
      "This is not an e-mail address.",
    );
    expect((await visitor.submit("/provider/page/register", form)).note).toMatch("You are registered.");
    const early = await visitor.submit("/provider/page/login", { email, password: "password" });
    expect(early.note).toMatch("isn’t confirmed yet");

    const { text } = await nextMessage(email, { purpose: "ProviderActivation" });
    const link = new URL(/http\S+/.exec(text)?.[0] ?? "");
    const asked = await visitor.open(link.pathname + link.search);
    const [, key = "", code = ""] =
      /name="key" value="([^"]*)">\s*<input[^>]*value="([^"]*)"/.exec(asked.text) ?? [];
    const done = await visitor.post("/provider/activate/confirm", { key, code });
    expect(done.text).toContain(`href="${account}"`);
    const home = await visitor.submit("/provider/page/login", { email, password: "password" });
    expect([home.heading, home.text.includes("You have no services yet.")]).toEqual(["Your services", true]);
  });

  it("use the cookie of the operations, until it is forgotten", async () => {
    const provider = await newProvider();
    const visitor = pageVisitor();
    const answer = await visitor.post("/provider/page/login", { ...provider });
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^zprovider=[^;]+; Path=\/provider; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ]);
    await visitor.open(account);
    expect((await visitor.submit("/provider/page/logout")).note).toBe("You are logged out.");
    expect(visitor.cookies.get("zprovider") ?? "").toBe("");
  });

  it("change profile and password", async () => {
    const provider = await newProvider({ name: "<i>Acme</i>" });
    const visitor = await loggedIn(provider);
    expect((await visitor.open(account)).text).toContain("&#60;i&#62;Acme");
    const profile = { name: "Acme Bots", url: "https://bots.example.com", description: "More bots" };
    expect((await visitor.submit("/provider/page/profile", profile)).note).toBe("Your changes are saved.");
    expect((await api("GET", "/provider", provider)).body).toMatchObject(profile);
    expect((await visitor.submit("/provider/page/profile", { ...profile, url: "ftp://x" })).note).toMatch(
      "isn’t filled in",
    );
    const change = (password: string, new_password: string) =>
      visitor.submit("/provider/page/password", { password, new_password });
    expect((await change("wrong password", "another password")).note).toBe("The password is wrong.");
    expect((await change(provider.password, "short")).note).toMatch("6 to 1,024 characters");
    expect((await change(provider.password, provider.password)).note).toMatch("your current password");
    expect((await change(provider.password, "another password")).note).toBe("Your password is changed.");
    expect(outcome(await logInProvider({ email: provider.email, password: "another password" }))).toBe("200");
  });

  it("change the address with the password, once its new owner confirms", async () => {
    const [provider, other, email] = [await newProvider(), await newProvider(), newProviderEmail()];
    const visitor = await loggedIn(provider);
    await visitor.open(account);
    const change = (fields: Record<string, string>) => visitor.submit("/provider/page/email", fields);
    const { password } = provider;
    expect((await change({ email, password: "wrong password" })).note).toBe("The password is wrong.");
    expect((await change({ email, password: "" })).note).toBe("The password is wrong.");
    expect((await change({ email: "acme", password })).note).toBe("This is not an e-mail address.");
    for (const taken of [other.email, provider.email])
      expect((await change({ email: taken, password })).note).toBe(
        "A provider has this e-mail address already.",
      );
    const sent = await change({ email, password });
    expect(sent.note).toMatch("Open the link in the message that we have sent to the new address.");
    expect(sent.text).toContain(`<dd>${provider.email}</dd>`);

    const { text } = await nextMessage(email, { purpose: "ProviderActivation" });
    const link = new URL(/http\S+/.exec(text)?.[0] ?? "");
    const { key = "", code = "" } = Object.fromEntries(link.searchParams);
    await visitor.post("/provider/activate/confirm", { key, code });
    expect((await visitor.open(account)).text).toContain(`<dd>${email}</dd>`);
    expect(outcome(await logInProvider({ email, password }))).toBe("200");
  });

  it("delete the account with the password, and its services", async () => {
    const provider = await newProvider({ name: "<i>Acme</i>" });
    const visitor = await loggedIn(provider);
    const { id } = await created(visitor);
    await visitor.open(account);
    const page = await visitor.open(deletion);
    expect([page.heading, page.text.includes("&#60;i&#62;Acme")]).toEqual(["Delete your account", true]);
    for (const password of ["wrong password", ""]) {
      const refused = await visitor.submit(deletion, { password });
      expect([refused.heading, refused.note]).toEqual(["Delete your account", "The password is wrong."]);
    }
    expect(outcome(await logInProvider(provider))).toBe("200");
    const gone = await visitor.submit(deletion, { password: provider.password });
    expect([gone.heading, gone.note]).toEqual(["Log in as a provider", "Your account is deleted."]);
    expect(visitor.cookies.get("zprovider") ?? "").toBe("");
    expect(outcome(await logInProvider(provider))).toBe("403 invalid-credentials");
    expect((await visitor.open(`${services}/one?id=${id}`)).location).toBe(account);
  });

  it("change no address and delete nothing without a login", async () => {
    const visitor = pageVisitor();
    expect(await visitor.open(deletion)).toMatchObject({ status: 303, location: account });
    const form = { email: newProviderEmail(), password: "password" };
    for (const path of ["/provider/page/email", deletion])
      expect((await visitor.post(path, form, { token: "forged" })).location).toBe(
        `${account}?outcome=session-ended`,
      );
  });

  it("send the mail of a reset", async () => {
    const { email } = await newProvider();
    const visitor = pageVisitor();
    const ask = (address: string) => visitor.submit("/provider/page/reset", { email: address });
    expect((await ask(newProviderEmail())).note).toBe("No provider has this address.");
    expect((await ask(email)).note).toBe("The message is on its way.");
    expect((await ask(email)).note).toMatch("A message was sent a short while ago.");
    const { text } = await nextMessage(email, { purpose: "ProviderPasswordReset" });
    expect(text).toContain("/provider/password-reset/confirm?key=");
  });

  it("say which limit is reached", async () => {
    const own = await stackWith({ setCodeDeliveryRateLimitPerIp: { burst: 1, refillSeconds: 3600 } });
    const ask = () => pageVisitor(own).post("/provider/page/reset", { email: newProviderEmail() });
    expect((await ask()).status).toBe(303);
    const { status, note } = await ask();
    expect([status, note]).toEqual([429, "Too many attempts."]);
  });

  it("show the same message for an unknown address, an unconfirmed one and a wrong password", async () => {
    const [provider, unconfirmed] = [await newProvider(), newProviderEmail()];
    await registerProvider({ email: unconfirmed });
    for (const email of [provider.email, unconfirmed, newProviderEmail(), "nothing", ""]) {
      const password = email === "" ? "x".repeat(5000) : "wrong password";
      const { note } = await pageVisitor().submit("/provider/page/login", { email, password });
      expect(note).toMatch("This address and password don’t match");
    }
  });

  it("show no text from the URL that opens them", async () => {
    const { text, note } = await pageVisitor().open(`${account}?outcome=%3Cb%3EPay%20here`);
    expect([note, text.includes("Pay here")]).toEqual([undefined, false]);
  });
});

describe.concurrent("the pages for services", () => {
  it("create a service, switch it on, change and delete it", async () => {
    const provider = await newProvider();
    const visitor = await loggedIn(provider);
    const { id, page } = await created(visitor);
    expect([page.heading, page.note]).toEqual(["Quiz", expect.stringMatching("The service is created.")]);
    const [service] = await servicesOf(provider);
    expect(service).toMatchObject({ id, enabled: false, tags: ["quiz", "games"], base_url: quiz.base_url });
    expect(page.text).toContain(service.auth_tokens[0]);
    expect(page.text).toContain(firstKey.trim().split("\n")[3]);

    const profile = { id, ...quiz, name: "Pub Quiz", tag1: "quiz", tag2: "", tag3: "quiz" };
    expect((await visitor.submit(`${services}/one`, profile)).note).toBe("Your changes are saved.");
    const connection = {
      ...{ id, base_url: "https://pub.example.com", keys: firstKey + secondKey, tokens: "first\nsecond" },
      ...{ enabled: "yes", password: provider.password },
    };
    expect((await visitor.submit(`${services}/connection`, connection)).note).toBe("Your changes are saved.");
    const [changed] = await servicesOf(provider);
    expect(changed).toMatchObject({
      ...{ name: "Pub Quiz", tags: ["quiz"], base_url: "https://pub.example.com", enabled: true },
      auth_tokens: ["first", "second"],
    });
    expect(changed.public_keys).toHaveLength(2);
    const { enabled: _, ...off } = connection;
    await visitor.submit(`${services}/connection`, off);
    expect((await servicesOf(provider))[0].enabled).toBe(false);

    expect((await visitor.submit(`${services}/deletion`, { id, password: "wrong password" })).note).toBe(
      "The password is wrong.",
    );
    const gone = await visitor.submit(`${services}/deletion`, { id, password: provider.password });
    expect([gone.heading, gone.note]).toEqual(["Your services", "The service is deleted."]);
    expect((await visitor.open(`${services}/one?id=${id}`)).status).toBe(404);
  });

  it("say what is wrong, keep what was typed, and change nothing", async () => {
    const provider = await newProvider();
    const visitor = await loggedIn(provider);
    await visitor.open(`${services}/new`);
    for (const [fields, problem] of [
      [{ base_url: "http://quiz.example.com" }, "must begin with https://"],
      [{ base_url: "https://user@quiz.example.com" }, "must begin with https://"],
      [{ keys: "nothing" }, "not a public RSA key"],
      [{ keys: publicKey(1024) }, "not a public RSA key"],
      [{ keys: firstKey + secondKey }, "not a public RSA key"],
      [{ tag1: "", tag2: "" }, "isn’t filled in"],
      [{ tag1: "nonsense" }, "isn’t filled in"],
      [{ name: "" }, "isn’t filled in"],
    ] as const) {
      const page = await visitor.submit(`${services}/new`, { ...quiz, ...fields, summary: "</textarea><b>" });
      expect([page.status, page.note]).toEqual([200, expect.stringMatching(problem)]);
      expect(page.text).toContain("&#60;/textarea&#62;&#60;b&#62;");
      expect(page.text).not.toContain("<b>");
    }
    expect(await servicesOf(provider)).toEqual([]);

    const { id } = await created(visitor);
    const connection = {
      id,
      base_url: quiz.base_url,
      keys: firstKey,
      tokens: "a",
      password: provider.password,
    };
    for (const [fields, problem] of [
      [{ tokens: "a b c" }, "one or two tokens"],
      [{ tokens: "ä" }, "one or two tokens"],
      [{ keys: "" }, "not a public RSA key"],
      [{ base_url: "" }, "must begin with https://"],
      [{ password: "wrong password" }, "The password is wrong."],
    ] as const)
      expect((await visitor.submit(`${services}/connection`, { ...connection, ...fields })).note).toMatch(
        problem,
      );
    expect((await servicesOf(provider))[0].auth_tokens).not.toContain("a");
  });

  it("are only for providers who have logged in, and for their own services", async () => {
    const [provider, other] = [await newProvider(), await newProvider()];
    const [visitor, stranger] = [await loggedIn(provider), await loggedIn(other)];
    const { id } = await created(visitor);
    for (const path of [`${services}/list`, `${services}/new`, `${services}/one?id=${id}`])
      expect(await pageVisitor().open(path)).toMatchObject({ status: 303, location: account });
    expect((await stranger.open(`${services}/one?id=${id}`)).status).toBe(404);
    await stranger.open(`${services}/list`);
    expect((await stranger.post(`${services}/one`, { id, ...quiz, name: "Stolen" })).status).toBe(404);
    const take = { id, ...quiz, tokens: "stolen", enabled: "yes", password: other.password };
    expect((await stranger.post(`${services}/connection`, take)).status).toBe(404);
    expect((await stranger.post(`${services}/deletion`, { id, password: other.password })).status).toBe(404);
    expect((await servicesOf(provider))[0]).toMatchObject({ name: "Quiz", enabled: false });
  });

  it("ignore forms of other sites, and tokens of other providers", async () => {
    const [provider, other] = [await newProvider(), await newProvider()];
    const [visitor, stranger] = [await loggedIn(provider), await loggedIn(other)];
    await visitor.open(account);
    await stranger.open(account);
    const profile = { name: "Eve", url: "https://evil.example.com", description: "Evil" };
    const foreign: Record<string, string>[] = [
      { origin: "https://evil.example.com" },
      { "sec-fetch-site": "cross-site" },
    ];
    const ofVisitors = ["/provider/page/profile", "/provider/page/email", deletion];
    for (const headers of foreign)
      for (const path of [...ofVisitors, "/provider/page/login", "/provider/page/register"])
        expect((await visitor.post(path, { ...profile, ...provider }, { headers })).status).toBe(400);
    const { password } = provider;
    for (const token of ["forged", stranger.formToken()])
      for (const path of ofVisitors) {
        const form = { ...profile, email: newProviderEmail(), password };
        const { location } = await visitor.post(path, form, { token });
        expect(location).toBe(`${account}?outcome=session-ended`);
      }
    expect((await api("GET", "/provider", provider)).body.name).toBe("Acme");
  });

  it("are closed where everybody needs a second factor", async () => {
    const own = await stackWith({ sndFactorPasswordChallenge: { defaults: { status: "enabled" } } });
    for (const path of [account, `${services}/list`]) {
      const { status, text } = await pageVisitor(own).open(path);
      expect([path, status, text.includes("<h1>")]).toEqual([path, 403, true]);
    }
  });
});
