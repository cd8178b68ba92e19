import { describe, expect } from "vitest";
import { permissionsOf } from "#shared/teams/permissions.ts";
import { api, internalApi, outcome } from "../../support/api.ts";
import { setCounts } from "../../support/crowds.ts";
import { concurrently, each, only, race } from "../../support/races.ts";
import { times } from "../../support/soak.ts";
import { stackWith } from "../../support/stack-with.ts";
import { changePermissions, newTeam, removeMember, type Team } from "../../support/teams.ts";
import { logIn, newUser, type User } from "../../support/users.ts";

async function newOwners() {
  const team = await newTeam();
  const [second, member] = [await team.add("owner"), await team.add()];
  return {
    team,
    first: team.owner as User,
    second,
    member,
    pair: [team.owner, second, team.owner] as User[],
  };
}

const demote = (team: Team, by: User, user: User) =>
  changePermissions(team, by, user, permissionsOf("member"));

describe.concurrent("two owners", () => {
  race("demote each other, and one stays", {
    given: newOwners,
    exactly: 2,
    act: ({ team, pair }, index) => demote(team, ...(pair.slice(index, index + 2) as [User, User])),
    // A former owner may change nobody, or at least no owner.
    outcomes: each("200", "403 operation-denied", "403 access-denied"),
    holds: async ({ team }, answers) => {
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      const { body } = await internalApi("GET", `/i/teams/${team.id}/members/admins`);
      expect(body.members).toMatchObject([{ permissions: permissionsOf("owner") }]);
    },
  });

  race("remove each other, and one stays", {
    given: newOwners,
    exactly: 2,
    act: ({ team, pair }, index) => removeMember(team, ...(pair.slice(index, index + 2) as [User, User])),
    holds: async ({ team, first, second, member }, answers) => {
      expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 403]);
      const [survivor, removed] = answers[0]?.status === 202 ? [first, second] : [second, first];
      const { body } = await api("GET", `/teams/${team.id}/members`, { token: survivor.token });
      const ids = body.members.map(({ user }: { user: string }) => user);
      expect(ids.toSorted()).toEqual([survivor.id, member.id].toSorted());
      expect(outcome(await logIn(survivor))).toBe("200");
      expect(outcome(await logIn(removed))).toBe("403 invalid-credentials");
    },
  });

  race("remove nobody once they are demoted, even during a removal", {
    given: newOwners,
    act: [
      ({ team, first, member }) => removeMember(team, first, member),
      ({ team, first, second }) => demote(team, second, first),
    ],
    holds: async ({ team, first, second, member }, [removal, demotion]) => {
      expect(demotion?.status).toBe(200);
      const isThere = outcome(await logIn(member)) === "200";
      expect(removal && outcome(removal)).toBe(isThere ? "403 operation-denied" : "202");
      expect(outcome(await removeMember(team, first, second))).toBe("403 operation-denied");
    },
  });
});

describe.concurrent("the limits of a team", () => {
  race("let one of many concurrent users take the last place", {
    given: async () => {
      const stack = await stackWith({ maxTeamSize: 3 });
      const team = await newTeam({}, stack);
      await team.add();
      const people = await concurrently(times(3, 10), () => newUser({}, stack));
      return { ...stack, people, path: `/i/teams/${team.id}/members`, teamId: team.id };
    },
    contenders: 10,
    rounds: 1,
    act: ({ internalApi: ask, people, path }, index) =>
      ask("POST", path, {
        json: { member: { user: people[index]?.id, permissions: permissionsOf("member") } },
      }),
    outcomes: only("200", "403 too-many-team-members"),
    holds: async ({ internalApi: ask, publicApi, people, path, teamId }) => {
      expect((await ask("GET", path)).body.members).toHaveLength(3);
      expect(outcome(await ask("GET", `${path}/check`))).toBe("403 too-many-team-members");
      const selves = await Promise.all(people.map(({ token }) => publicApi("GET", "/self", { token })));
      expect(selves.filter(({ body }) => body.team === teamId)).toHaveLength(1);
    },
  });

  race("allow 2000 admins and owners", {
    given: async () => {
      const team = await newTeam();
      const members = [await team.add(), await team.add()];
      await setCounts(team, { adminCount: 1999 });
      return { team, members };
    },
    exactly: 2,
    act: ({ team, members }, index) =>
      changePermissions(team, team.owner, members[index] as User, permissionsOf("admin")),
    outcomes: only("200", "403 too-many-team-admins"),
    holds: async ({ team }) => {
      const json = { member: { user: (await newUser()).id, permissions: permissionsOf("admin") } };
      const answer = await internalApi("POST", `/i/teams/${team.id}/members`, { json });
      expect(outcome(answer)).toBe("403 too-many-team-admins");
    },
  });
});
