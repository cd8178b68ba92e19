import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { internalApi, outcome } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import { ownStack } from "../../support/own-stack.ts";
import { pagesOf } from "../../support/pages.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser, registeredUser } from "../../support/users.ts";

interface ListedTeam {
  readonly id: string;
  readonly name: string;
}

describe.concurrent("GET /i/teams/list", () => {
  it("lists teams however they were founded, the newest first, until they are deleted", async () => {
    const stack = await ownStack();
    const { publicApi, internalApi } = stack;
    const list = async (query = {}) =>
      (await pagesOf<ListedTeam>(stack, "/i/teams/list", "teams", query)).entries;
    expect(await list()).toEqual([]);

    const fields = { icon: "default", binding: true };
    const founder = await registeredUser({ team: { name: "At registration", ...fields } }, stack);
    const upgrading = await newUser({}, stack);
    const upgraded = await publicApi("POST", "/v7/upgrade-personal-to-team", {
      token: upgrading.token,
      json: { name: "By an upgrade", icon: "default" },
    });
    const byOperator = randomUUID();
    const third = await newUser({}, stack);
    await internalApi("PUT", `/i/teams/${byOperator}`, {
      headers: { "z-user": third.id },
      json: { name: "By an operator", icon: "default" },
    });
    expect(await list({ size: 2 })).toMatchObject([
      { id: byOperator, name: "By an operator", status: "pending_active", size: 1, creator: third.id },
      { id: upgraded.body.team_id, name: "By an upgrade", status: "active", size: 1, creator: upgrading.id },
      { name: "At registration", status: "active", size: 1, creator: founder.id },
    ]);

    await internalApi("POST", `/i/teams/${upgraded.body.team_id}/suspend`);
    await publicApi("PUT", `/teams/${upgraded.body.team_id}`, {
      token: upgrading.token,
      json: { name: "Renamed" },
    });
    await internalApi("DELETE", `/i/teams/${byOperator}`);
    await eventually(async () =>
      expect(await list()).toMatchObject([
        { id: upgraded.body.team_id, status: "suspended" },
        { name: "At registration" },
      ]),
    );
  });

  it("lists teams of a period one by one, even if they were founded at the same moment", async () => {
    const stack = await ownStack({}, { isClockStopped: true });
    await newTeam({ name: "Before" }, stack);
    stack.advance(60);
    const from = new Date(stack.clock()).toISOString();
    const ids = await Promise.all(Array.from({ length: 9 }, async () => (await newTeam({}, stack)).id));
    stack.advance(60);
    const to = new Date(stack.clock()).toISOString();
    await newTeam({ name: "After" }, stack);
    const { entries } = await pagesOf<ListedTeam>(stack, "/i/teams/list", "teams", { from, to, size: 1 });
    expect(entries.map(({ id }) => id)).toEqual(ids.toSorted().reverse());
  });
});

describe.concurrent("GET /i/teams/{tid}/members", () => {
  it("lists all members of a team, page by page", async () => {
    const team = await newTeam();
    const added = await Promise.all(Array.from({ length: 4 }, () => team.add()));
    const found: string[] = [];
    let pagingState: string | undefined;
    let hasMore = true;
    while (hasMore) {
      const query = new URLSearchParams({
        maxResults: "2",
        ...(pagingState !== undefined && { pagingState }),
      });
      const { body } = await internalApi("GET", `/i/teams/${team.id}/members?${query}`);
      expect(body.members.length).toBeLessThanOrEqual(2);
      found.push(...body.members.map(({ user }: { user: string }) => user));
      ({ hasMore, pagingState } = body);
    }
    expect(found).toEqual([team.owner, ...added].map(({ id }) => id).toSorted());
  });

  it("refuses a cursor of another list", async () => {
    const { id } = await newTeam();
    expect(outcome(await internalApi("GET", `/i/teams/${id}/members?pagingState=%21`))).toBe(
      "400 bad-request",
    );
  });
});
