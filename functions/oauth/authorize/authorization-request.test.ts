import { describe, expect, it } from "vitest";
import type { App } from "#shared/oauth/app.ts";
import { checkApp, checkRequest } from "./authorization-request.ts";
import type { Deps } from "./deps.ts";
import { authorizationRequest } from "./routes.ts";

const app = {
  clientId: "5c1a7e42-93b8-4d0f-8e6a-2f9b3c4d5e6f",
  redirectUrl: "https://app.example.com/callback",
} as App;
const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const complete = {
  client_id: app.clientId,
  redirect_uri: app.redirectUrl,
  response_type: "code",
  scope: "read:self",
  state: "some state",
  code_challenge: challenge,
  code_challenge_method: "S256",
};
const deps = {
  apps: { get: async (id: string) => (id === app.clientId ? app : undefined) },
} as unknown as Deps;

type Change = Readonly<Record<string, string | undefined>>;

/** Checks a request like the complete one. */
async function check(
  change: Change = {},
  repeated: readonly string[] = [],
  settings = { setOAuthOpenIdEnabled: false },
) {
  const query = authorizationRequest.parse({ ...complete, ...change });
  return checkRequest(await checkApp(deps, { query, repeated }), settings);
}

describe("an authorization request", () => {
  it("is returned with its parameters", async () => {
    expect(await check()).toMatchObject({ app, query: new URLSearchParams(complete).toString() });
  });

  it.each<[string, string, Change]>([
    ["invalid_request", "the method plain", { code_challenge_method: "plain" }],
    ["invalid_request", "a method in small letters", { code_challenge_method: "s256" }],
    ["invalid_request", "no method", { code_challenge_method: undefined }],
    ["invalid_request", "an empty method", { code_challenge_method: "" }],
    ["invalid_request", "no challenge", { code_challenge: undefined }],
    ["invalid_request", "an empty challenge", { code_challenge: "" }],
    ["invalid_request", "a short challenge", { code_challenge: "short" }],
    ["invalid_request", "a padded challenge", { code_challenge: `${challenge}=` }],
    ["invalid_request", "the verifier itself", { code_verifier: "x".repeat(43) }],
    ["invalid_request", "no state", { state: undefined }],
    ["invalid_request", "an empty state", { state: "" }],
    ["invalid_request", "no response type", { response_type: undefined }],
    ["invalid_request", "an empty response type", { response_type: "" }],
    ["unsupported_response_type", "the response type token", { response_type: "token" }],
    ["unsupported_response_type", "two response types", { response_type: "code token" }],
    ["invalid_scope", "no scope", { scope: undefined }],
    ["invalid_scope", "an unknown scope", { scope: "read:self admin:everything" }],
  ])("is refused with %s for %s, which it names", async (error, _, change) => {
    expect(await check(change)).toEqual({
      error,
      error_description: expect.stringContaining(Object.keys(change)[0] ?? ""),
    });
  });

  it.each(["state", "scope", "code_challenge"])(
    "is refused with invalid_request when it has %s twice (RFC 6749 §3.1)",
    async (name) => {
      expect(await check({}, [name])).toEqual({
        error: "invalid_request",
        error_description: `${name}: given more than once`,
      });
    },
  );

  describe("where apps sign people in", () => {
    const isOn = { setOAuthOpenIdEnabled: true };
    const scope = "openid email offline_access";

    it("says how the app wants to sign people in", async () => {
      const wanted = {
        nonce: "n-0S6",
        prompt: "login consent",
        max_age: "60",
        login_hint: "ada@example.com",
      };
      expect(await check({ scope, ...wanted }, [], isOn)).toMatchObject({
        signIn: { nonce: "n-0S6", prompt: new Set(["login", "consent"]), maxAgeSeconds: 60 },
        query: new URLSearchParams({ ...complete, scope, ...wanted }).toString(),
      });
    });

    it.each<[string, Change]>([
      ["invalid_request", { prompt: "none login" }],
      ["invalid_request", { prompt: "create" }],
      ["invalid_request", { max_age: "-1" }],
      ["request_not_supported", { request: "eyJhbGciOiJub25lIn0.e30." }],
      ["request_uri_not_supported", { request_uri: "https://app.example.com/request" }],
    ])("is refused with %s for %o", async (error, change) => {
      expect(await check({ scope, ...change }, [], isOn)).toMatchObject({ error });
    });

    it("is refused as before without the scope openid", async () => {
      expect(await check({ scope: "email" }, [], isOn)).toMatchObject({ error: "invalid_scope" });
      const ignored = { prompt: "create", nonce: "n-0S6" };
      expect(await check(ignored, [], isOn)).toMatchObject({
        query: new URLSearchParams(complete).toString(),
      });
    });
  });

  it("may have other parameters twice, which are ignored (RFC 8707 §2)", async () => {
    expect(await check({}, ["resource"])).not.toHaveProperty("error");
  });

  it("counts as having no state if it has two", async () => {
    const query = authorizationRequest.parse(complete);
    const stateWith = async (repeated: string[]) => (await checkApp(deps, { query, repeated })).request.state;
    expect([await stateWith([]), await stateWith(["state"])]).toEqual(["some state", undefined]);
  });

  it.each<[string, string, Change, string[]]>([
    ["bad-request", "two apps", {}, ["client_id"]],
    ["bad-request", "two redirect URLs", {}, ["redirect_uri"]],
    [
      "not-found",
      "an unknown app",
      { client_id: "5c1a7e42-93b8-4d0f-8e6a-2f9b3c4d5e70", scope: "nothing" },
      [],
    ],
    ["redirect-url-mismatch", "another redirect URL", { redirect_uri: `${app.redirectUrl}/` }, []],
  ])(
    "is refused with an error to the browser, not to the app: %s for %s",
    async (error, _, change, repeated) => {
      await expect(check(change, repeated)).rejects.toThrow(expect.objectContaining({ error }));
    },
  );

  it.each<[string, Change]>([
    ["no redirect URL", { redirect_uri: undefined }],
    ["no app", { client_id: undefined }],
    ["a malformed app", { client_id: "calendar" }],
    ["a state of more than 4096 characters", { state: "s".repeat(4097) }],
  ])("cannot be read with %s", (_, change) => {
    expect(authorizationRequest.safeParse({ ...complete, state: "s".repeat(4096) }).success).toBe(true);
    expect(authorizationRequest.safeParse({ ...complete, ...change }).success).toBe(false);
  });
});
