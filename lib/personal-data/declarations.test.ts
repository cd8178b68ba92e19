import { expect, it } from "vitest";
import { tables } from "#shared/registry/tables.ts";
import { allItemKinds, nameOf, type Shape, shapeOf } from "../releases/item-kinds.ts";

const kinds = await allItemKinds();
/** Kinds of items in the archive of a user, and in that of a team. */
const ofUsers = kinds.flatMap((kind) => ("user" in kind.subject ? [{ kind, subject: kind.subject }] : []));
const ofTeams = kinds.flatMap((kind) => ("team" in kind.subject ? [{ kind, subject: kind.subject }] : []));

/** Names of all attributes of a shape, at any depth. */
function attributesIn({
  properties = {},
  additionalProperties,
  items,
  anyOf = [],
  oneOf = [],
}: Shape): string[] {
  const inner = [...Object.values(properties), ...anyOf, ...oneOf];
  if (typeof additionalProperties === "object") inner.push(additionalProperties);
  if (items !== undefined) inner.push(items);
  return [...Object.keys(properties), ...inner.flatMap(attributesIn)];
}

const attributesOf = (kind: (typeof kinds)[number]) => {
  const { partitionKey, sortKey }: { partitionKey: string; sortKey?: string } = tables[kind.table];
  return new Set([partitionKey, sortKey, ...attributesIn(shapeOf(kind.schema))]);
};

it("the attributes declared as a kind's owners or secrets are attributes of that kind", () => {
  const misspelt = kinds.flatMap((kind) => {
    const { subject } = kind;
    if ("nobody" in subject) return [];
    const named = "user" in subject ? subject.user : subject.team;
    const { secrets = [] } = subject;
    const toTeam = "user" in subject ? (subject.toTeam ?? []) : [];
    const attributes = attributesOf(kind);
    return [...(named === "partition" ? [] : named), ...secrets, ...toTeam]
      .filter((name) => !attributes.has(name.replace("{}", "")))
      .map((name) => `${nameOf(kind)}: ${name}`);
  });
  expect(misspelt).toEqual([]);
});

/** Attributes that sound secret, but are not. */
const harmless = new Set([
  "sockets/device-marker: hasOnlyTokens",
  // The time at which an access token ends, not the token.
  "sockets/socket: tokenExpiresAt",
  // The list of registrations, each without its token.
  "sockets/push-tokens: tokens",
  // Counters of revocations of all cookies.
  "accounts/account: sessionEpoch",
  "accounts/claim: sessionEpoch",
  // The list of a team's SCIM tokens, each without its hash.
  "provisioning/team: tokens",
  // Names a token in that list.
  "provisioning/scim-token: tokenId",
  // The numbers of a webhook's secrets, which themselves are stored nowhere.
  "webhooks/webhook: secretVersion",
  "webhooks/webhook: formerSecretUntil",
]);

const secretSounds = /hash|token|secret|password|nonce|session|challenge/i;

it("attributes that sound secret are left out of exports", () => {
  const shown = [...ofUsers, ...ofTeams].flatMap(({ kind, subject }) =>
    [...attributesOf(kind)]
      .filter((name = "") => secretSounds.test(name))
      .filter((name = "") => !subject.secrets?.includes(name))
      .map((name) => `${nameOf(kind)}: ${name}`),
  );
  // If this fails, declare the attribute as secret with its kind, or here as harmless.
  expect(shown.filter((name) => !harmless.has(name))).toEqual([]);
});

it("items that a person leaves to their team contain no secrets, numbers, picture or password", () => {
  const left = ofUsers.flatMap(({ kind, subject: { toTeam = [] } }) =>
    toTeam.map((name) => `${nameOf(kind)}: ${name}`),
  );
  expect(left.filter((name) => secretSounds.test(name) || /phone|picture|assets/i.test(name))).toEqual([]);
});
