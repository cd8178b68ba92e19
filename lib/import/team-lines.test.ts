import { expect, it } from "vitest";
import type { Account } from "#shared/accounts/account.ts";
import { permissionsOf, type Role } from "#shared/teams/permissions.ts";
import type { Team } from "#shared/teams/team.ts";
import { TeamLines } from "./team-lines.ts";
import { type ReadLine, readJsonLines } from "./user-line.ts";

const teamId = "2a33cc15-2bcb-47ca-b343-15c6c22b0680";
const idOf = (number: number) => `8f5a29f4-04ca-4a53-a4ff-${String(number).padStart(12, "0")}`;
const team = { teamId, creator: idOf(9), name: "Engines" } as Team;

const accountOf = (number: number, fields: Partial<Account> = {}): Account => ({
  userId: idOf(number),
  revision: 1,
  status: "active",
  name: `Person ${number}`,
  accentId: 0,
  assets: [],
  picture: [],
  locale: "en",
  supportedProtocols: ["proteus"],
  managedByScim: false,
  email: `p${number}@example.com`,
  phone: "+4917212345678",
  passwordHash: "a-hash",
  teamId,
  sessionEpoch: 0,
  createdAt: 0,
  ...fields,
});

async function linesOf(people: readonly (readonly [Account, Role])[], of = team): Promise<ReadLine[]> {
  const lines = new TeamLines();
  for (const [account, role] of people) {
    const { userId } = account;
    lines.add(account, { teamId, userId, permissions: permissionsOf(role), legalHoldStatus: "disabled" });
  }
  const text = [...lines.of(of)].join("");
  expect(text).not.toMatch(/\+49|a-hash/);
  const read: ReadLine[] = [];
  const pieces = (async function* () {
    yield Buffer.from(text);
  })();
  for await (const line of readJsonLines(pieces)) read.push(line);
  return read;
}

it("begin with an owner who founds the team, if possible its creator", async () => {
  const people = [
    [accountOf(1, { unprovenEmail: "p1@example.com" }), "member"],
    [accountOf(2), "owner"],
    [accountOf(9), "owner"],
  ] as const;
  expect(await linesOf(people)).toMatchObject([
    { user: { external_id: idOf(9), role: "owner", new_team: { external_id: teamId, name: "Engines" } } },
    { user: { external_id: idOf(1), role: "member", team_external_id: teamId, email_verified: false } },
    { user: { external_id: idOf(2), role: "owner", team_external_id: teamId, email_verified: true } },
  ]);
  expect(await linesOf(people, { ...team, creator: idOf(7) })).toMatchObject([
    { user: { external_id: idOf(2), new_team: {} } },
    {},
    {},
  ]);
});

it("leave out users who are suspended or cannot be found, and are empty without an owner", async () => {
  const nameless = accountOf(3, { email: undefined });
  const suspended = accountOf(4, { status: "suspended" });
  const lines = await linesOf([
    [accountOf(9), "owner"],
    [nameless, "member"],
    [suspended, "admin"],
  ]);
  expect(lines).toMatchObject([{ user: { external_id: idOf(9) } }]);
  expect(await linesOf([[accountOf(1), "admin"]])).toEqual([]);
});
