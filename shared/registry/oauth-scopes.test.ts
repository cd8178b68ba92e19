import { expect, it } from "vitest";
import { hasUnknownScope, oauthScopes, parseScope } from "./oauth-scopes.ts";

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
  expect(parseScope(text, { setOAuthOpenIdEnabled: false })).toEqual({ scope: scopes, openId: [] });
});

it.each([
  ["openid", { scope: [], openId: ["openid"] }, false],
  ["email read:self openid", { scope: ["read:self"], openId: ["email", "openid"] }, false],
  ["openid profile offline_access", { scope: [], openId: ["openid", "profile"] }, false],
  ["read:self", { scope: ["read:self"], openId: [] }, false],
  ["profile", { scope: [], openId: [] }, true],
  ["read:self offline_access", { scope: [], openId: [] }, true],
])("the scope %j consists of %j where apps sign people in", (text, scopes, isUnknown) => {
  const options = { setOAuthOpenIdEnabled: true };
  expect([parseScope(text, options), hasUnknownScope(text, options)]).toEqual([scopes, isUnknown]);
});
