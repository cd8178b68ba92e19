import { describe, expect, it } from "vitest";
import { api, outcome } from "../../support/api.ts";
import { nextMessage } from "../../support/messages.ts";
import { logInProvider, newProvider, newProviderEmail, registerProvider } from "../../support/providers.ts";
import { sharedStack } from "../../support/shared-stack.ts";

/** The link in the newest mail with a purpose. */
async function linkTo(email: string, purpose: string) {
  const { text } = await nextMessage(email, { purpose });
  const { pathname, search, searchParams } = new URL(/http\S+/.exec(text)?.[0] ?? "");
  const { key = "", code = "" } = Object.fromEntries(searchParams);
  return { path: pathname + search, action: pathname, key, code };
}

const headers = { "content-type": "application/x-www-form-urlencoded" };
const submit = (path: string, fields: Record<string, string>) =>
  api("POST", path, { body: new URLSearchParams(fields).toString(), headers });
const browse = async (path: string, { language = "en", body = "" } = {}) => {
  const response = await fetch(sharedStack().publicUrl + path, {
    headers: { ...headers, accept: "text/html,*/*;q=0.8", "accept-language": language },
    ...(body !== "" && { method: "POST", body }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

describe.concurrent("the activation page of a provider", () => {
  it("changes nothing until the form is sent, and can be sent again", async () => {
    const email = newProviderEmail();
    await registerProvider({ email });
    const { path, action, key, code } = await linkTo(email, "ProviderActivation");
    for (const method of ["GET", "HEAD"]) expect((await api(method, path)).status).toBe(200);
    expect(outcome(await logInProvider({ email }))).toBe("403 invalid-credentials");

    const page = await submit(action, { key, code });
    expect(page.body).toContain("<h1>Your e\u2011mail address is confirmed</h1>");
    expect(outcome(await logInProvider({ email }))).toBe("200");
    expect((await submit(action, { key, code })).body).toContain("was already confirmed</h1>");
    expect(outcome(await submit(action, { key, code: "wrong" }))).toBe("403 invalid-code");
  });

  it("is in the reader's language, loads and executes nothing, and contains no markup from others", async () => {
    const path = "/provider/activate/confirm?key=a&code=%22%3E%3Cscript%3Ealert(1)%3C/script%3E";
    for (const [language, text] of [
      ["de", "Anbieters von Diensten"],
      ["es", "proveedor de servicios"],
      ["fr", "fournisseur de services"],
      ["en", "provider of services"],
    ] as const) {
      const page = await browse(path, { language });
      expect(page.text).toContain(text);
      expect(page.text).not.toContain("<script");
      expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src /);
    }
  });

  it("explains why a link had no effect", async () => {
    const refused = await browse("/provider/activate/confirm", { body: "key=a&code=b" });
    expect(refused.status).toBe(403);
    expect(refused.text).toContain("This link is wrong, has expired, or has been used.");
    const incomplete = await browse("/provider/activate/confirm?key=a");
    expect(incomplete.status).toBe(400);
    expect(incomplete.text).toContain("This link is incomplete.");

    const email = newProviderEmail();
    await registerProvider({ email });
    const { action, key, code } = await linkTo(email, "ProviderActivation");
    await newProvider({ email });
    const taken = await browse(action, { body: new URLSearchParams({ key, code }).toString() });
    expect(taken.status).toBe(409);
    expect(taken.text).toContain("Another provider uses this e-mail address.");
  });
});

describe.concurrent("the reset page of a provider", () => {
  it("sets a new password, and shows the form again when the password is not accepted", async () => {
    const { email, password } = await newProvider();
    await api("POST", "/provider/password-reset", { json: { email } });
    const { path, action, key, code } = await linkTo(email, "ProviderPasswordReset");
    const form = (await api("GET", path)).body;
    expect(form).toContain(
      '<input id="password" name="password" type="password" autocomplete="new-password"',
    );
    expect(form).not.toContain('role="alert"');

    for (const [bad, problem] of [
      ["short", "The password needs 6 to 1,024 characters."],
      ["", "The password needs 6 to 1,024 characters."],
      ["x".repeat(1025), "The password needs 6 to 1,024 characters."],
      [password, "This is your current password."],
    ] as const) {
      const back = await submit(action, { key, code, password: bad });
      expect(back.status).toBe(303);
      expect((await api("GET", back.headers.get("location") ?? "")).body).toContain(problem);
    }
    const done = await submit(action, { key, code, password: "another password" });
    expect(done.body).toContain("<h1>Your password is changed</h1>");
    expect(outcome(await logInProvider({ email, password: "another password" }))).toBe("200");
    expect(outcome(await submit(action, { key, code, password: "a third password" }))).toBe(
      "403 invalid-code",
    );
  });
});
