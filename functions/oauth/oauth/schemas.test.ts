import { describe, expect, it } from "vitest";
import { codeRequest, newApp, revokeRequest } from "./schemas.ts";

describe("an app", () => {
  const accepts = (change: object) =>
    newApp.safeParse({ application_name: "Calendar", redirect_url: "https://app.example.com/", ...change })
      .success;

  it.each([
    "javascript:alert(1)",
    "https://app.example.com/#fragment",
    "https://user@app.example.com/",
    "http://app.example.com/",
    "/relative",
    "data:text/html,x",
    "https://",
    "http://127.0.0.1.example.com/",
    "http://127.0.0.1@app.example.com/",
    "myapp:/callback",
    "https://app.example.com/?state=x",
    "https://app.example.com/?x=y&code=z",
  ])("cannot have the redirect URL %s", (url) => {
    expect(accepts({ redirect_url: url })).toBe(false);
    expect(accepts({ further_redirect_urls: [url] })).toBe(false);
  });

  it.each([
    "https://a.example.com/x?y=z",
    "http://127.0.0.1:7777/cb",
    "http://[::1]:7777/cb",
    "http://localhost/cb",
    "com.example.app:/cb",
  ])("can have the redirect URL %s", (url) => {
    expect(accepts({ redirect_url: url })).toBe(true);
    expect(accepts({ further_redirect_urls: [url] })).toBe(true);
  });

  it("has at most 20 further redirect URLs, and a name of 6 to 256 characters", () => {
    const urls = (count: number) =>
      Array.from({ length: count }, (_, index) => `https://app.example.com/${index}`);
    expect([20, 21].map((count) => accepts({ further_redirect_urls: urls(count) }))).toEqual([true, false]);
    const named = [5, 6, 256, 257].map((length) => accepts({ application_name: "n".repeat(length) }));
    expect(named).toEqual([false, true, true, false]);
  });
});

describe("a request for a code", () => {
  const [example] = (codeRequest.meta()?.examples ?? []) as object[];

  it.each([
    ["the method plain", { code_challenge_method: "plain" }],
    ["a challenge that is not a digest", { code_challenge: "short" }],
    ["no state", { state: undefined }],
    ["a state that is too long for the header of a redirect", { state: "é".repeat(1025) }],
  ])("cannot have %s", (_, change) => {
    expect(codeRequest.safeParse(example).success).toBe(true);
    expect(codeRequest.safeParse({ ...example, ...change }).success).toBe(false);
  });
});

describe("a request to revoke a token", () => {
  const client_id = "5c1a7e42-93b8-4d0f-8e6a-2f9b3c4d5e6f";

  it.each([
    ["nothing", {}],
    ["no token", { client_id }],
    ["a malformed client_id", { client_id: "x", refresh_token: "x" }],
    ["a token that is not a string", { client_id, refresh_token: 1 }],
    ["a token that is null", { client_id, token: null }],
    ["a secret that is not a string", { client_id, refresh_token: "x", client_secret: {} }],
    ["a token that is too long", { client_id, refresh_token: "x".repeat(4097) }],
  ])("cannot have %s", (_, body) => {
    for (const name of ["token", "refresh_token"])
      expect(revokeRequest.safeParse({ client_id, [name]: "x".repeat(4096) }).success).toBe(true);
    expect(revokeRequest.safeParse(body).success).toBe(false);
  });
});
