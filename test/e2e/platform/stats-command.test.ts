import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { adminAt } from "../../support/admin.ts";
import { awayFromMidnight } from "../../support/midnight.ts";
import { type OwnStack, ownStack } from "../../support/own-stack.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { registeredUser } from "../../support/users.ts";

let stack: OwnStack;
let teams: Team[];

/** The output of the command for these options. @throws Error with its message */
async function resultOf(...options: string[]) {
  const { code, stdout, stderr } = await adminAt(stack.internalUrl, ["stats", ...options, "--json"]);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as {
    months: Record<string, unknown>[];
    days: Record<string, unknown>[];
    teams: { team: string; dollars: number; requests: number }[];
    dollars_of_teams: number;
    dollars_without_team: number;
    compared_teams: number;
  };
}

const today = () => new Date().toISOString().slice(0, 10);

beforeAll(async () => {
  await awayFromMidnight();
  stack = await ownStack({ statistics: { sampleOneIn: 1 } });
  teams = await Promise.all([newTeam({}, stack), newTeam({}, stack), newTeam({}, stack)]);
  await registeredUser({}, stack);
  for (const [index, { owner }] of teams.entries())
    for (let request = 0; request < 3 - index; request++)
      await stack.publicApi("PUT", "/self", { token: owner.token, json: { name: `Name ${request}` } });
});

describe.concurrent("stats", () => {
  it("shows the last thirty days, and the users of their months", async () => {
    const { days, months } = await resultOf();
    expect(days).toHaveLength(30);
    expect(days.at(-1)).toEqual({
      day: today(),
      active_users: 1,
      registrations: 1,
      failed_logins: 0,
      messages: 0,
      deliveries: expect.any(Number),
    });
    expect(months.at(-1)).toEqual({ month: today().slice(0, 7), active_users: 1 });
  });

  it("shows a year, which takes several requests, and refuses more", async () => {
    const { days } = await resultOf("--from", "2023-03-01", "--to", "2024-02-29");
    expect(days).toHaveLength(366);
    expect(new Set(days.map(({ day }) => day)).size).toBe(366);
    await expect(resultOf("--from", "2023-02-28", "--to", "2024-02-29")).rejects.toThrow("1 to 366 days");
    await expect(resultOf("--from", "2024-02-30")).rejects.toThrow("--from must be a day such as 2026-11-26");
  });

  it("ranks teams by what they cost", async () => {
    const ranking = await resultOf("--teams", "--limit", "2");
    expect(ranking.teams.map(({ team }) => team)).toEqual([teams[0]?.id, teams[1]?.id]);
    expect(ranking.teams[0]).toMatchObject({ requests: 3, write_units: expect.any(Number) });
    expect(ranking).toMatchObject({ month: today().slice(0, 7), compared_teams: 3 });
    await expect(resultOf("--teams", "--limit", "0")).rejects.toThrow("--limit");
    await expect(resultOf("--teams", "--team", randomUUID())).rejects.toThrow("--teams");
  });

  it("shows what a team costs by month, and what it stores", async () => {
    const { id = "" } = teams[0] ?? {};
    const month = today().slice(0, 7);
    const result = await resultOf("--team", id);
    expect(result).toMatchObject({ months: [{ month, requests: 3 }], stored_files: 0, stored_bytes: 0 });
    await expect(resultOf("--team", id, "--from", "now")).rejects.toThrow("--from must be a month");
    await expect(resultOf("--team", "nonsense")).rejects.toThrow("400");
  });
});
