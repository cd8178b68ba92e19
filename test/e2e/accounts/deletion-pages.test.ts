import { describe, expect, it } from "vitest";
import { api, outcome } from "../../support/api.ts";
import { nextMessage } from "../../support/messages.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { newUser, type User } from "../../support/users.ts";

/** The page that the mail links to. */
async function deletionLink({ token, email }: User): Promise<{ path: string; key: string; code: string }> {
  await api("DELETE", "/self", { token, json: {} });
  const { text } = await nextMessage(email, { purpose: "Delete" });
  const { pathname, search, searchParams } = new URL(/http\S+/.exec(text)?.[0] ?? "");
  const { key = "", code = "" } = Object.fromEntries(searchParams);
  return { path: pathname + search, key, code };
}

const headers = { "content-type": "application/x-www-form-urlencoded" };
const confirm = (fields: Record<string, string>) =>
  api("POST", "/delete/confirm", { body: new URLSearchParams(fields).toString(), headers });
const browse = (path: string, { method = "GET", language = "en", body = "" } = {}) =>
  fetch(sharedStack().publicUrl + path, {
    method,
    headers: { ...headers, accept: "text/html,*/*;q=0.8", "accept-language": language },
    ...(body !== "" && { body }),
  });
const unknown = { key: "k".repeat(20), code: "c".repeat(20) };
const accountExists = async ({ token }: User) => (await api("GET", "/self", { token })).status === 200;

describe.concurrent("the account deletion pages", () => {
  it("change nothing until the form is sent", async () => {
    const user = await newUser();
    const { path, key, code } = await deletionLink(user);
    for (const method of ["GET", "HEAD", "GET", "HEAD"]) {
      expect((await api(method, path)).status).toBe(200);
    }
    expect(await accountExists(user)).toBe(true);
    const { status, body } = await confirm({ key, code });
    expect(status).toBe(200);
    expect(body).toContain("<h1>Your account is deleted</h1>");
    expect(await accountExists(user)).toBe(false);
    expect(outcome(await confirm({ key, code }))).toBe("403 invalid-code");
    const again = await browse("/delete/confirm", {
      method: "POST",
      body: new URLSearchParams({ key, code }).toString(),
    });
    expect(await again.text()).toContain("This link is wrong, has expired, or has been used.");
  });

  it("delete once when the form is sent 20 times concurrently", async () => {
    const user = await newUser();
    const { key, code } = await deletionLink(user);
    const answers = await Promise.all(Array.from({ length: 20 }, () => confirm({ key, code })));
    const outcomes = new Set(answers.map(outcome));
    expect(outcomes).toContain("200");
    expect(["200", "403 invalid-code"]).toEqual(expect.arrayContaining([...outcomes]));
    expect(await accountExists(user)).toBe(false);
  });

  it("allow three wrong codes in total, shared with POST /delete", async () => {
    const user = await newUser();
    const { key, code } = await deletionLink(user);
    const wrong = { key, code: `${code.slice(1)}x` };
    expect(outcome(await confirm(wrong))).toBe("403 invalid-code");
    expect(outcome(await api("POST", "/delete", { json: wrong }))).toBe("403 invalid-code");
    expect(outcome(await confirm(wrong))).toBe("403 invalid-code");
    expect(outcome(await confirm({ key, code }))).toBe("403 invalid-code");
    expect(await accountExists(user)).toBe(true);
  });

  it.each([
    ["de", "Ihr Konto löschen?", "Konto löschen", "Das hat nicht geklappt"],
    ["es", "¿Eliminar su cuenta?", "Eliminar la cuenta", "No ha funcionado"],
    ["fr", "Supprimer votre compte\u202f?", "Supprimer le compte", "Cela n’a pas fonctionné"],
    ["en", "Delete your account?", "Delete account", "This didn’t work"],
  ])("are shown in %s", async (language, question, button, refusal) => {
    const page = await browse(`/delete?${new URLSearchParams(unknown)}`, { language });
    const text = await page.text();
    expect(page.status).toBe(200);
    expect(text).toContain(`<html lang="${language}">`);
    expect(text).toContain(`<h1>${question}</h1>`);
    expect(text).toContain(`>${button}</button>`);
    const body = new URLSearchParams(unknown).toString();
    const refused = await browse("/delete/confirm", { method: "POST", body, language });
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain(`<h1>${refusal}</h1>`);
  });

  it("show errors as a page to browsers and as JSON to everybody else", async () => {
    for (const path of ["/delete", "/v8/delete?key=a", "/delete/confirm"]) {
      const page = await browse(path);
      expect(page.headers.get("content-type")).toBe("text/html;charset=utf-8");
      expect(await page.text()).toContain("This link is incomplete.");
      expect((await api("GET", path)).body).toHaveProperty("label");
    }
    const other = await browse("/self");
    expect(other.headers.get("content-type")).toBe("application/json;charset=utf-8");
  });

  it("escape the code, and keep key and code out of referrers and caches", async () => {
    const page = await browse(
      `/delete?${new URLSearchParams({ key: unknown.key, code: `"><b>${"c".repeat(9)}` })}`,
    );
    expect(await page.text()).not.toContain("<b>");
    expect(page.headers.get("referrer-policy")).toBe("same-origin");
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(page.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
  });

  it.each([
    ["no code", { key: unknown.key }, "400 bad-request"],
    ["a short key", { ...unknown, key: "k" }, "403 invalid-code"],
    ["an unknown key", unknown, "403 invalid-code"],
  ])("refuse a form with %s", async (_, fields, expected) => {
    expect(outcome(await confirm(fields as Record<string, string>))).toBe(expected);
  });

  it("accept forms only, while POST /delete accepts JSON only", async () => {
    expect(outcome(await api("POST", "/delete/confirm", { json: unknown }))).toBe(
      "415 unsupported-media-type",
    );
    const body = new URLSearchParams(unknown).toString();
    expect(outcome(await api("POST", "/delete", { body, headers }))).toBe("415 unsupported-media-type");
  });
});
