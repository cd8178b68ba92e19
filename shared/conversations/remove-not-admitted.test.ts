import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Account } from "#shared/accounts/account.ts";
import type { AccessRole } from "./conversation.ts";
import { isAdmitted, removalsPerTransaction } from "./remove-not-admitted.ts";

const teamId = randomUUID();
const accountOf = (fields: Partial<Account>) => ({ managedByScim: false, ...fields }) as Account;

const people = {
  "a member of the team": { account: accountOf({ email: "ada@example.com", teamId }) },
  "a member of another team": { account: accountOf({ email: "bob@example.com", teamId: randomUUID() }) },
  "somebody without a team": { account: accountOf({ phone: "+491701234567" }) },
  "somebody without a verified identity": { account: accountOf({}) },
  "somebody without an account": { account: undefined },
  "a bot": { account: undefined, service: { id: randomUUID(), provider: randomUUID() } },
};

const admitted = (accessRoles: AccessRole[], ofTeam: string | undefined) =>
  Object.entries(people)
    .filter(([, { account, ...member }]) => isAdmitted({ accessRoles, teamId: ofTeam }, member, account))
    .map(([name]) => name);

describe("access roles", () => {
  it.each<[AccessRole[], string[]]>([
    [["team_member"], ["a member of the team"]],
    [["non_team_member"], ["a member of another team", "somebody without a team"]],
    [
      ["team_member", "non_team_member", "service"],
      ["a member of the team", "a member of another team", "somebody without a team", "a bot"],
    ],
    [["team_member", "guest"], ["a member of the team"]],
    [["team_member", "non_team_member", "guest", "service"], Object.keys(people)],
    [["service"], ["a bot"]],
  ])("%j of a team's conversation admit %j", (accessRoles, expected) => {
    expect(admitted(accessRoles, teamId)).toEqual(expected);
  });

  it("distinguish only guests and bots in a conversation without a team", () => {
    const activated = ["a member of the team", "a member of another team", "somebody without a team"];
    expect(admitted(["team_member", "non_team_member"], undefined)).toEqual(activated);
    expect(admitted(["guest"], undefined)).toEqual([
      ...activated,
      "somebody without a verified identity",
      "somebody without an account",
    ]);
    expect(admitted(["service"], undefined)).toEqual([...activated, "a bot"]);
  });
});

describe("a transaction", () => {
  const users = (count: number) => Array.from({ length: count }, () => ({}));

  it.each([
    [1, 20],
    [500, 20],
    [2000, 5],
    [100_000, 1],
  ])("of a conversation with %i members removes %i", (memberCount, expected) => {
    expect(removalsPerTransaction(users(memberCount))).toBe(expected);
  });

  it("of a conversation with bots removes fewer, because their accounts are removed, too", () => {
    const bot = { service: { id: randomUUID(), provider: randomUUID() } };
    expect(removalsPerTransaction([...users(1), bot])).toBe(12);
  });
});
