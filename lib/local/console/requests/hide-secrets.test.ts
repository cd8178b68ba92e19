import { describe, expect, it } from "vitest";
import { hideInJson, hideInPath, hideInQuery, hideInText } from "./hide-secrets.ts";

const token = `${"x".repeat(86)}==.v=1.k=1.d=1795764911.t=a.l=.u=eb25872c-d0a5-4cb4-a77e-3e85621e3819.c=75`;

describe("hiding secrets", () => {
  it("hides the texts of secret fields in JSON, but no others", () => {
    const body = {
      email: "ada@example.com",
      password: "correct horse battery",
      code: 403,
      label: "invalid-credentials",
      access_token: token,
      token_type: "Bearer",
      verification_code: "123456",
      auth_tokens: ["one", "two"],
      nested: [{ client_secret: "s3cret", id: "1" }],
    };
    expect(hideInJson(body)).toEqual({
      ...body,
      password: "[hidden]",
      access_token: "[hidden]",
      verification_code: "[hidden]",
      auth_tokens: ["[hidden]", "[hidden]"],
      nested: [{ client_secret: "[hidden]", id: "1" }],
    });
  });

  it("hides keys in JSON that are half of a code, but not those of files and devices", () => {
    const secrets = [
      { key: "3f2X", code: "123456" },
      { key: "3f2X", password: "correct horse battery" },
      { results: [{ Key: "3f2X", new_password: "x" }] },
    ];
    for (const body of secrets) expect(JSON.stringify(hideInJson(body))).not.toContain("3f2X");
    const open = { assets: [{ key: "3-2-8f0e", size: "preview" }], prekeys: [{ id: 1, key: "pQABAQ==" }] };
    expect(hideInJson(open)).toEqual(open);
  });

  it("hides the key of a password reset in a path", () => {
    expect(hideInPath("/v7/password-reset/3f2X")).toBe("/v7/password-reset/[hidden]");
    for (const path of ["/password-reset", "/v8/password-reset/complete", "/password-reset/page/request"])
      expect(hideInPath(path)).toBe(path);
  });

  it("hides secret parameters in queries and forms, in any encoding", () => {
    expect(hideInQuery("client=1f&access_token=abc&size=100")).toBe(
      "client=1f&access_token=[hidden]&size=100",
    );
    expect(hideInQuery("key=abc&code=123456&persist=true")).toBe("key=[hidden]&code=[hidden]&persist=true");
    expect(hideInQuery("grant_type=authorization_code&code%5Fverifier=x&refresh_token=y")).toBe(
      "grant_type=authorization_code&code%5Fverifier=[hidden]&refresh_token=[hidden]",
    );
    expect(hideInQuery("%E0%A4%A=1&flag")).toBe("%E0%A4%A=1&flag");
  });

  it("finds tokens and links with codes within texts", () => {
    expect(hideInText(`Bearer ${token} and more`)).toBe("Bearer [hidden] and more");
    expect(hideInJson({ uri: "https://x.example/join/?key=abc&code=def#top" })).toEqual({
      uri: "https://x.example/join/?key=[hidden]&code=[hidden]#top",
    });
    expect(hideInText(`id eyJ${"a".repeat(20)}.${"b".repeat(20)}.${"c".repeat(20)}`)).toBe("id [hidden]");
  });
});
