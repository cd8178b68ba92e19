import { describe, expect, it } from "vitest";
import { api, outcome } from "../../support/api.ts";
import { nextMessage, wrongCode } from "../../support/messages.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { newEmail, newUser, register } from "../../support/users.ts";

interface Registration {
  /** Path of the link in the mail. */
  readonly path: string;
  readonly key: string;
  readonly code: string;
  /** The address in the user's own profile; absent until it is confirmed. */
  readonly confirmedAddress: () => Promise<string | undefined>;
}

async function newRegistration(email: string): Promise<Registration> {
  const { cookie } = await register({ email });
  const { text } = await nextMessage(email, { purpose: "Activation" });
  const { pathname, search, searchParams } = new URL(/http\S+/.exec(text)?.[0] ?? "");
  const { key = "", code = "" } = Object.fromEntries(searchParams);
  const { body } = await api("POST", "/access", { cookie });
  const confirmedAddress = async () =>
    (await api("GET", "/self", { token: body.access_token })).body.email as string | undefined;
  return { path: pathname + search, key, code, confirmedAddress };
}

const headers = { "content-type": "application/x-www-form-urlencoded" };
const confirm = (fields: Record<string, string>) =>
  api("POST", "/activate/confirm", { body: new URLSearchParams(fields).toString(), headers });
const browse = (path: string, { method = "GET", language = "en", body = "" } = {}) =>
  fetch(sharedStack().publicUrl + path, {
    method,
    headers: { ...headers, accept: "text/html,*/*;q=0.8", "accept-language": language },
    ...(body !== "" && { body }),
  });
const unknown = { key: "no key of ours", code: "123456" };

describe.concurrent("the activation pages", () => {
  it("change nothing until the form is sent", async () => {
    const email = newEmail();
    const { path, key, code, confirmedAddress } = await newRegistration(email);
    for (const method of ["GET", "HEAD", "GET", "HEAD"]) {
      expect((await api(method, path)).status).toBe(200);
    }
    expect(await confirmedAddress()).toBeUndefined();
    const { status, body } = await confirm({ key, code });
    expect(status).toBe(200);
    expect(body).toContain("<h1>Your e\u2011mail address is confirmed</h1>");
    expect(await confirmedAddress()).toBe(email);
    expect((await confirm({ key, code })).body).toContain(
      "<h1>Your e\u2011mail address was already confirmed</h1>",
    );
  });

  it("confirm a changed address, too", async () => {
    const { token, cookie } = await newUser();
    const email = newEmail();
    await api("PUT", "/access/self/email", { token, cookie, json: { email } });
    const { headers: sent } = await nextMessage(email, { purpose: "Activation" });
    const fields = { key: sent["X-Svc-Key"] ?? "", code: sent["X-Svc-Code"] ?? "" };
    expect((await confirm(fields)).body).toContain("<h1>Your e\u2011mail address is confirmed</h1>");
    expect((await api("GET", "/self", { token })).body.email).toBe(email);
  });

  it("confirm once when the form is sent 20 times concurrently", async () => {
    const email = newEmail();
    const { key, code, confirmedAddress } = await newRegistration(email);
    const answers = await Promise.all(Array.from({ length: 20 }, () => confirm({ key, code })));
    expect(["200", "404 invalid-code"]).toEqual(expect.arrayContaining([...new Set(answers.map(outcome))]));
    expect(answers.filter(({ body }) => String(body).includes("address is confirmed</h1>"))).toHaveLength(1);
    expect(await confirmedAddress()).toBe(email);
  });

  it("allow three wrong codes in total, shared with POST /activate", async () => {
    const { key, code, confirmedAddress } = await newRegistration(newEmail());
    const wrong = { key, code: wrongCode(code) };
    expect(outcome(await confirm(wrong))).toBe("404 invalid-code");
    expect(outcome(await api("POST", "/activate", { json: wrong }))).toBe("404 invalid-code");
    expect(outcome(await confirm(wrong))).toBe("404 invalid-code");
    expect(outcome(await confirm({ key, code }))).toBe("404 invalid-code");
    expect(await confirmedAddress()).toBeUndefined();
  });

  it.each([
    ["de", "Bestätigen Sie Ihre E\u2011Mail-Adresse", "E-Mail-Adresse bestätigen", "Dieser Link ist falsch"],
    ["es", "Confirme su dirección de correo", "Confirmar la dirección", "Este enlace no es correcto"],
    ["fr", "Confirmez votre adresse e\u2011mail", "Confirmer l’adresse e-mail", "Ce lien est incorrect"],
    ["en", "Confirm your e\u2011mail address", "Confirm e-mail address", "This link is wrong"],
  ])("are shown in %s", async (language, request, button, refusal) => {
    const page = await browse(`/activate/confirm?${new URLSearchParams(unknown)}`, { language });
    const text = await page.text();
    expect(page.status).toBe(200);
    expect(text).toContain(`<html lang="${language}">`);
    expect(text).toContain(`<h1>${request}</h1>`);
    expect(text).toContain(`>${button}</button>`);
    const body = new URLSearchParams(unknown).toString();
    const refused = await browse("/activate/confirm", { method: "POST", body, language });
    expect(refused.status).toBe(404);
    expect(await refused.text()).toContain(refusal);
  });

  it("show errors as a page to browsers and as JSON to everybody else", async () => {
    for (const path of ["/activate/confirm", "/v8/activate/confirm?code=b"]) {
      const page = await browse(path);
      expect(page.status).toBe(400);
      expect(page.headers.get("content-type")).toBe("text/html;charset=utf-8");
      expect(await page.text()).toContain("This link is incomplete.");
      expect(outcome(await api("GET", path))).toBe("400 bad-request");
    }
    const other = await browse("/activate?key=a");
    expect(other.headers.get("content-type")).toBe("application/json;charset=utf-8");
  });

  it("escape key and code, and keep them out of referrers and caches", async () => {
    const page = await browse(`/activate/confirm?${new URLSearchParams({ key: `"><b>`, code: `"><b>` })}`);
    expect(await page.text()).not.toContain("<b>");
    expect(page.headers.get("referrer-policy")).toBe("same-origin");
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(page.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
  });

  it.each([
    ["no code", { key: unknown.key }, "400 bad-request"],
    ["a long key", { ...unknown, key: "k".repeat(129) }, "400 bad-request"],
    ["an unknown key", unknown, "404 invalid-code"],
  ])("refuse a form with %s", async (_, fields, expected) => {
    expect(outcome(await confirm(fields as Record<string, string>))).toBe(expected);
  });

  it("accept forms only, while POST /activate accepts JSON only", async () => {
    expect(outcome(await api("POST", "/activate/confirm", { json: unknown }))).toBe(
      "415 unsupported-media-type",
    );
    const body = new URLSearchParams(unknown).toString();
    expect(outcome(await api("POST", "/activate", { body, headers }))).toBe("415 unsupported-media-type");
  });
});
