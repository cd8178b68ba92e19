import { expect, it } from "vitest";
import { judge } from "./judge.ts";
import type { Assertion, Confirmation } from "./response/read-response.ts";

const now = Date.parse("2026-11-22T12:00:00Z");
const second = 1000;
const entityId = "https://sp.example/sso/finalize-login";
const provider = { id: "idp", issuer: "https://idp.example" };
const request = {
  id: "_1",
  idpId: provider.id,
  issuer: provider.issuer,
  expiresAt: now + 1,
  purgeAtSeconds: now / 1000 + 1,
};
const confirmation: Confirmation = {
  inResponseTo: "_1",
  recipient: entityId,
  notBefore: undefined,
  notOnOrAfter: now + 1,
};
const assertion: Assertion = {
  id: "_a",
  issuer: provider.issuer,
  issueInstant: now,
  nameId: { text: "ada" },
  sentName: "ada",
  confirmations: [confirmation],
  notBefore: now,
  notOnOrAfter: now + 1,
  audiences: [[entityId]],
  authentications: [{ instant: now, sessionNotOnOrAfter: undefined }],
};

type Circumstances = Parameters<typeof judge>[1];
const verdictOn = (changes: Partial<Assertion>, circumstances: Partial<Circumstances> = {}) =>
  judge([{ ...assertion, ...changes }], {
    request,
    provider,
    entityId,
    isSuccess: true,
    maxLifetimeSeconds: 7200,
    now,
    ...circumstances,
  });
const confirmedBy = (changes: Partial<Confirmation>) => ({
  confirmations: [{ ...confirmation, ...changes }],
});

it("the judgement lets a user in when no check fails", () => {
  expect(verdictOn({})).toEqual([]);
});

it.each<[string, Partial<Assertion>]>([
  ["IssueInstant", { issueInstant: now + 61 * second }],
  ["NotBefore", { notBefore: now + 61 * second }],
  ["AudienceRestriction", { audiences: [] }],
  ["Audience", { audiences: [["https://other.example"]] }],
  ["Audience", { audiences: [[entityId], ["https://other.example"]] }],
  ["SubjectConfirmation", { confirmations: [] }],
  ["Audience", { audiences: [[`${entityId}/0190a5b8-0000-4000-8000-000000000000`]] }],
  ["Recipient", confirmedBy({ recipient: `${entityId}/` })],
  ["Recipient", confirmedBy({ recipient: entityId.toUpperCase() })],
  ["InResponseTo", confirmedBy({ inResponseTo: undefined })],
  ["NotBefore", confirmedBy({ notBefore: now + 61 * second })],
  ["NotOnOrAfter", confirmedBy({ notOnOrAfter: now - 60 * second })],
  ["AuthnInstant", { authentications: [{ instant: now + 61 * second, sessionNotOnOrAfter: undefined }] }],
  ["SessionNotOnOrAfter", { authentications: [{ instant: now, sessionNotOnOrAfter: now - 60 * second }] }],
])("the judgement denies because of %s: %j", (place, changes) => {
  expect(verdictOn(changes)).toEqual([expect.stringMatching(new RegExp(`^${place}:`))]);
});

it.each<[Partial<Assertion>]>([
  [{ issueInstant: now + 60 * second, notBefore: now + 60 * second }],
  [{ audiences: [["https://other.example", entityId], [entityId]] }],
  [confirmedBy({ notBefore: now + 60 * second, notOnOrAfter: now - 59 * second })],
  [{ authentications: [{ instant: now + 60 * second, sessionNotOnOrAfter: now - 59 * second }] }],
  [{ notOnOrAfter: now - 59 * second }],
  [{ notOnOrAfter: now + 7260 * second }],
])("the judgement tolerates a minute of clock difference: %j", (changes) => {
  expect(verdictOn(changes)).toEqual([]);
});

it.each<[string, Partial<Circumstances>]>([
  ["Status", { isSuccess: false }],
  ["InResponseTo", { request: undefined }],
  ["InResponseTo", { request: { ...request, expiresAt: now } }],
  ["InResponseTo", { request: { ...request, isAnswered: true } }],
  ["InResponseTo", { request: { ...request, idpId: "other" } }],
  ["InResponseTo", { request: { ...request, issuer: "https://former.example" } }],
  ["AuthnInstant", { request: { ...request, authenticatedSince: now + 61 * second } }],
])("the judgement denies because of %s: %j", (place, circumstances) => {
  expect(verdictOn({}, circumstances)).toEqual([expect.stringMatching(new RegExp(`^${place}:`))]);
});

it.each<[Partial<Assertion>]>([
  [{ notOnOrAfter: now - 60 * second }],
  [{ notOnOrAfter: now + 7261 * second }],
  [{ notOnOrAfter: undefined }],
])("the judgement refuses an assertion that is valid for too long to be remembered: %j", (changes) => {
  expect(() => verdictOn(changes, { isSuccess: false })).toThrow(
    expect.objectContaining({ error: "ttl-error" }),
  );
});

it("the judgement needs the time of the login where it must be fresh", () => {
  const fresh = { request: { ...request, authenticatedSince: now + 60 * second } };
  expect(verdictOn({}, fresh)).toEqual([]);
  expect(verdictOn({ authentications: [] }, fresh)).toEqual([expect.stringMatching(/^AuthnInstant:/)]);
});

it("the judgement denies when assertions are about different people", () => {
  const other = { ...assertion, nameId: { text: "bob" } };
  const circumstances = { request, provider, entityId, isSuccess: true, maxLifetimeSeconds: 7200, now };
  expect(judge([assertion, other], circumstances)).toEqual([expect.stringMatching(/^Subject:/)]);
});
