import { beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "#shared/platform/clock.ts";
import { transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import type { Route } from "#shared/platform/http/route.ts";
import { RegisteredDomainStore } from "#shared/teams/registered-domains/registered-domain-store.ts";
import { itemsMentioning } from "../../support/all-items.ts";
import { operations } from "../../support/contract.ts";
import { eventually } from "../../support/eventually.ts";
import { newInvitation } from "../../support/invitations.ts";
import { switchLegalHold } from "../../support/legal-hold.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { sampleOf, samplePath, sampleQuery } from "../../support/sample.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { newUser, type User } from "../../support/users.ts";

/**
 * Every operation whose path names a team, called by strangers. New families are included automatically. No answer may
 * be a success, and afterwards everything about the team must be unchanged.
 */

/** Let a team claim a domain, as if its owner had proven it. */
async function claimDomain({ id }: Team, domain: string, { prefix }: OwnStack): Promise<void> {
  const dynamo = createDynamo();
  const store = new RegisteredDomainStore({ dynamo, config: stackConfig(prefix), clock: systemClock });
  const registration = {
    domain,
    redirect: { kind: "none" as const },
    teamInvite: { kind: "allowed" as const },
    authorizedTeam: id,
  };
  await transact(dynamo, store.save(undefined, registration));
}

/** Every operation on a team by its id, which users call. */
const targets = Object.entries(operations)
  .filter(([, { auth, path }]) => auth === "user" && path.includes("{tid}"))
  .map(([operationId, route]) => ({ operationId, route }));

/** Bodies that are valid, where the smallest one that fits the schema is not. */
const validBodies: Readonly<Record<string, unknown>> = {
  "update-team": { name: "Taken over" },
};

/** Expected answers to strangers that are not refusals. */
const openAnswers: Readonly<Record<string, readonly number[]>> = {
  // The legal hold status is public: whoever writes to a member may know who reads along.
  "get-legal-hold": [200],
};

/** Expected answers to callers who combine a team of their own with something of this team. */
const emptyAnswers: Readonly<Record<string, readonly number[]>> = {
  // Ending succeeds even if there is nothing to end.
  "delete-team-invitation": [200],
  "disable-legal-hold-for-user": [204],
};

const refusals: readonly number[] = [403, 404];

/** Without other tests' items, so that everything about the team can be found. */
let stack: OwnStack;
let team: Team;
/** Parts of paths that name something of the team. */
let names: Readonly<Record<"uid" | "iid" | "domain", string>>;
let outsiders: readonly { name: string; user: User; ownTeam?: Team }[];
let before: unknown;

beforeAll(async () => {
  // Everything is switched on, so that it is refused for the right reason.
  stack = await stackWith({
    domainVerification: { resolvers: ["127.0.0.1:9"] },
    domainRegistration: { defaults: { status: "enabled" } },
  });
  const [attacked, other, person] = await Promise.all([
    newTeam({}, stack),
    newTeam({}, stack),
    newUser({}, stack),
  ]);
  team = attacked;
  await Promise.all([team, other].map((one) => switchLegalHold(one, "enabled", stack)));
  await eventually(async () => expect(await everythingOfTheTeam()).toHaveProperty("notifications"));
  const domain = `${team.id}.example`;
  const [member, invitation, admin] = await Promise.all([
    team.add(),
    newInvitation(team, {}, stack),
    other.add("admin"),
    team.add("admin"),
    claimDomain(team, domain, stack),
  ]);
  names = { uid: member.id, iid: invitation.id, domain };
  outsiders = [
    { name: "the owner of another team", user: other.owner, ownTeam: other },
    { name: "an admin of another team", user: admin, ownTeam: other },
    { name: "a person without a team", user: person },
  ];
  before = await everythingOfTheTeam();
});

/** Everything that names the team, except messages under way. */
async function everythingOfTheTeam() {
  const { outbox: _, ...items } = await itemsMentioning(team.id, stack.prefix);
  return items;
}

/** Path with the id of a team, and with names of what the attacked team has. */
function pathOf(route: Route, teamId: string): string {
  const path = Object.entries(names).reduce(
    (filled, [parameter, name]) => filled.replace(`{${parameter}}`, name),
    route.path.replace("{tid}", teamId),
  );
  const filled = { ...route, path };
  const version = route.until === undefined ? "" : `/v${route.until}`;
  return version + samplePath(filled) + sampleQuery(route);
}

function requestOf({ operationId, route }: (typeof targets)[number], { token }: User) {
  const { body, method } = route;
  if (body === undefined || method === "GET" || method === "HEAD") return { token };
  return { token, json: validBodies[operationId] ?? sampleOf(body) };
}

describe("a team that strangers attack", () => {
  it("has operations for them to try, and data to lose", () => {
    expect(targets.length).toBeGreaterThan(0);
    expect(before).toMatchObject({ accounts: expect.any(Array), teams: expect.any(Array) });
  });

  it.each(targets)("refuses $operationId to strangers", async (target) => {
    const { operationId, route } = target;
    for (const { name, user } of outsiders) {
      const { status } = await stack.publicApi(route.method, pathOf(route, team.id), requestOf(target, user));
      expect(openAnswers[operationId] ?? refusals, `${name} got ${status}`).toContain(status);
    }
  });

  it.each(targets.filter(({ route }) => /\{(uid|iid|domain)\}/.test(route.path)))(
    "refuses $operationId to strangers who name a team of their own",
    async (target) => {
      const { operationId, route } = target;
      for (const { name, user, ownTeam } of outsiders) {
        if (ownTeam === undefined) continue;
        const { status } = await stack.publicApi(
          route.method,
          pathOf(route, ownTeam.id),
          requestOf(target, user),
        );
        expect(emptyAnswers[operationId] ?? refusals, `${name} got ${status}`).toContain(status);
      }
    },
  );

  it("is unchanged afterwards", async () => {
    expect(await everythingOfTheTeam()).toEqual(before);
  });
});
