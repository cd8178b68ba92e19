import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { newUser } from "../../support/users.ts";

const logIn = (user: string, query = "?persist=true") =>
  internalApi("POST", `/i/sso-login${query}`, { json: { user, label: "sso" } });

const samlIdentity = () => ({
  issuer: `https://idp-${randomUUID()}.example.com`,
  nameId: { text: randomUUID() },
});

describe("an internal login of a user whom an identity provider has vouched for", () => {
  it("returns a token, and a cookie that `access` accepts", async () => {
    const { id } = await newUser({ provisioned: { samlIdentity: samlIdentity() } });
    const { status, body, cookie, setCookie } = await logIn(id);
    expect(status).toBe(200);
    expect(body).toMatchObject({ user: id, token_type: "Bearer" });
    expect(setCookie).toContain("Expires=");
    const access = await api("POST", "/access", { cookie });
    expect(access.body).toMatchObject({ user: id });
  });

  it("has a session cookie unless a persistent one is requested", async () => {
    const { id } = await newUser({ provisioned: { samlIdentity: samlIdentity() } });
    expect((await logIn(id, "")).setCookie).not.toContain("Expires=");
  });

  it("is refused to a user with a password and no provider, and to an unknown one", async () => {
    const { id } = await newUser();
    expect(outcome(await logIn(id))).toBe("403 invalid-credentials");
    expect(outcome(await logIn(randomUUID()))).toBe("403 invalid-credentials");
  });

  it("is refused to a suspended user", async () => {
    const { id } = await newUser({ provisioned: { samlIdentity: samlIdentity() } });
    await internalApi("PUT", `/i/users/${id}/status`, { json: { status: "suspended" } });
    expect(outcome(await logIn(id))).toBe("403 suspended");
  });

  it("does not exist on the public API", async () => {
    expect((await api("POST", "/i/sso-login", { json: { user: randomUUID() } })).status).toBe(404);
  });
});
