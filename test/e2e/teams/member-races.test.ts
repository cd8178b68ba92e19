import { beforeAll, describe, expect, it } from "vitest";
import { permissionsOf } from "#shared/teams/permissions.ts";
import { api, internalApi, outcome } from "../../support/api.ts";
import { setCounts } from "../../support/crowds.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { changePermissions, newTeam, removeMember } from "../../support/teams.ts";
import { logIn, newUser } from "../../support/users.ts";

const rounds = Array.from({ length: 3 }, (_, round) => round + 1);

describe.concurrent.each(rounds)("two owners in round %i", () => {
  it("demote each other, and one stays", async () => {
    const team = await newTeam();
    const second = await team.add("owner");
    const outcomes = await Promise.all([
      changePermissions(team, team.owner, second, permissionsOf("member")),
      changePermissions(team, second, team.owner, permissionsOf("member")),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual([200, 403]);
    const { body } = await internalApi("GET", `/i/teams/${team.id}/members/admins`);
    expect(body.members).toMatchObject([{ permissions: permissionsOf("owner") }]);
  });

  it("remove each other, and one stays", async () => {
    const team = await newTeam();
    const second = await team.add("owner");
    const outcomes = await Promise.all([
      removeMember(team, team.owner, second),
      removeMember(team, second, team.owner),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual([202, 403]);
    const [first] = outcomes;
    const [survivor, removed] = first?.status === 202 ? [team.owner, second] : [second, team.owner];
    const { body } = await api("GET", `/teams/${team.id}/members`, { token: survivor.token });
    expect(body.members).toMatchObject([{ user: survivor.id }]);
    expect(outcome(await logIn(survivor))).toBe("200");
    expect(outcome(await logIn(removed))).toBe("403 invalid-credentials");
  });

  it("remove nobody once they are demoted, even during a removal", async () => {
    const team = await newTeam();
    const [second, member] = await Promise.all([team.add("owner"), team.add()]);
    const [removal, demotion] = await Promise.all([
      removeMember(team, team.owner, member),
      changePermissions(team, second, team.owner, permissionsOf("member")),
    ]);
    expect(outcome(demotion)).toBe("200");
    const isThere = outcome(await logIn(member)) === "200";
    expect(outcome(removal)).toBe(isThere ? "403 operation-denied" : "202");
    expect(outcome(await removeMember(team, team.owner, second))).toBe("403 operation-denied");
  });
});

describe.concurrent("the limits of a team", () => {
  let stack: OwnStack;

  beforeAll(async () => {
    stack = await stackWith({ maxTeamSize: 3 });
  });

  it("let one of many concurrent users take the last place", async () => {
    const team = await newTeam({}, stack);
    await team.add();
    const people = await Promise.all(Array.from({ length: 10 }, () => newUser({}, stack)));
    const path = `/i/teams/${team.id}/members`;
    const outcomes = await Promise.all(
      people.map(({ id }) =>
        stack.internalApi("POST", path, {
          json: { member: { user: id, permissions: permissionsOf("member") } },
        }),
      ),
    );
    expect(outcomes.map(outcome).sort()).toEqual(["200", ...Array(9).fill("403 too-many-team-members")]);
    expect((await stack.internalApi("GET", path)).body.members).toHaveLength(3);
    expect(outcome(await stack.internalApi("GET", `${path}/check`))).toBe("403 too-many-team-members");
    const selves = await Promise.all(people.map(({ token }) => stack.publicApi("GET", "/self", { token })));
    expect(selves.filter(({ body }) => body.team === team.id)).toHaveLength(1);
  });

  it("allow 2000 admins and owners", async () => {
    const team = await newTeam();
    const [one, other] = await Promise.all([team.add(), team.add()]);
    await setCounts(team, { adminCount: 1999 });
    const outcomes = await Promise.all(
      [one, other].map((member) => changePermissions(team, team.owner, member, permissionsOf("admin"))),
    );
    expect(outcomes.map(outcome).sort()).toEqual(["200", "403 too-many-team-admins"]);
    const path = `/i/teams/${team.id}/members`;
    const json = { member: { user: (await newUser()).id, permissions: permissionsOf("admin") } };
    expect(outcome(await internalApi("POST", path, { json }))).toBe("403 too-many-team-admins");
  });
});
