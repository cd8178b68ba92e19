import { expect, it } from "vitest";
import { oauthScopes, parseScope } from "./oauth-scopes.ts";

it.each([
  ["", []],
  ["read:self", ["read:self"]],
  ["read:self read:self", ["read:self"]],
  ["read:self\tread:self\nread:self", ["read:self"]],
  ["read:self\u00a0\u2003write:conversations", ["read:self", "write:conversations"]],
  [oauthScopes.join(" "), [...oauthScopes]],
  ["nothing", []],
  ["READ:SELF", []],
  ["read:self,write:conversations", []],
  ["read:self admin:self", []],
  ["write:self", []],
  ["__proto__", []],
  ["constructor", []],
  ["openid", []],
])("the scope %j consists of %j", (text, scopes) => {
  expect(parseScope(text)).toEqual(scopes);
});
