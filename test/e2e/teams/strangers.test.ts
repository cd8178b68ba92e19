import { beforeAll, describe, expect, it } from "vitest";
import type { Route } from "#shared/platform/http/route.ts";
import { itemsMentioning } from "../../support/all-items.ts";
import { operations } from "../../support/contract.ts";
import { type OwnStack, ownStack } from "../../support/own-stack.ts";
import { sampleOf, samplePath, sampleQuery } from "../../support/sample.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { newUser, type User } from "../../support/users.ts";

/**
 * Every operation whose path names a team, called by people who have no business there. Families that are added later
 * are tested by existing. No answer may be a success, and afterwards everything about the team must be as it was.
 */

/** Every operation on a team by its id, which users call. */
const targets = Object.entries(operations)
  .filter(([, { auth, path }]) => auth === "user" && path.includes("{tid}"))
  .map(([operationId, route]) => ({ operationId, route }));

/** Bodies that are valid, where the smallest one that fits the schema is not. */
const validBodies: Readonly<Record<string, unknown>> = {};

/** Without other tests' items, so that everything about the team can be found. */
let stack: OwnStack;
let team: Team;
let member: User;
let outsiders: readonly { name: string; user: User; ownTeam?: Team }[];
let before: unknown;

beforeAll(async () => {
  // Everything that can be switched on is, so that it is refused for the right reason.
  stack = await ownStack({
    domainVerification: { resolvers: ["127.0.0.1:9"] },
    domainRegistration: { defaults: { status: "enabled" } },
  });
  const [attacked, other, person] = await Promise.all([
    newTeam({}, stack),
    newTeam({}, stack),
    newUser({}, stack),
  ]);
  team = attacked;
  [member] = await Promise.all([team.add(), team.add("admin")]);
  const admin = await other.add("admin");
  outsiders = [
    { name: "the owner of another team", user: other.owner, ownTeam: other },
    { name: "an admin of another team", user: admin, ownTeam: other },
    { name: "a person without a team", user: person },
  ];
  before = await itemsMentioning(team.id, stack.prefix);
});

/** Path with ids of the team or of the team given, and of a member of the attacked team. */
function pathOf(route: Route, teamId: string): string {
  const filled = { ...route, path: route.path.replace("{tid}", teamId).replace("{uid}", member.id) };
  const version = route.until === undefined ? "" : `/v${route.until}`;
  return version + samplePath(filled) + sampleQuery(route);
}

function requestOf({ operationId, route }: (typeof targets)[number], { token }: User) {
  const { body, method } = route;
  if (body === undefined || method === "GET" || method === "HEAD") return { token };
  return { token, json: validBodies[operationId] ?? sampleOf(body) };
}

describe("a team", () => {
  it("has operations to try, and data to lose", () => {
    expect(targets.length).toBeGreaterThan(0);
    expect(before).toMatchObject({ accounts: expect.any(Array), teams: expect.any(Array) });
  });

  it.each(targets)("refuses $operationId to strangers", async (target) => {
    const { route } = target;
    for (const { name, user } of outsiders) {
      const { status } = await stack.publicApi(route.method, pathOf(route, team.id), requestOf(target, user));
      expect([403, 404], `${name} got ${status}`).toContain(status);
    }
  });

  it.each(targets.filter(({ route }) => route.path.includes("{uid}")))(
    "refuses $operationId to strangers who name a team of their own",
    async (target) => {
      const { route } = target;
      for (const { name, user, ownTeam } of outsiders) {
        if (ownTeam === undefined) continue;
        const { status } = await stack.publicApi(
          route.method,
          pathOf(route, ownTeam.id),
          requestOf(target, user),
        );
        expect([403, 404], `${name} got ${status}`).toContain(status);
      }
    },
  );

  it("is unchanged by all of that", async () => {
    expect(await itemsMentioning(team.id, stack.prefix)).toEqual(before);
  });
});
