import { beforeAll, describe, expect, it } from "vitest";
import type { Route } from "#shared/platform/http/route.ts";
import { itemsMentioning } from "../../support/all-items.ts";
import { localDomain } from "../../support/connections.ts";
import { operations } from "../../support/contract.ts";
import { conversationData } from "../../support/conversations.ts";
import { protobufRequest, sampleProtobuf } from "../../support/otr-messages.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { sampleOf, samplePath, sampleQuery } from "../../support/sample.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { newUser, type User } from "../../support/users.ts";

/**
 * Every operation whose path names a conversation, called by users who are not in it. New families are included
 * automatically. No answer may be a success, and afterwards everything about the conversation must be unchanged.
 */

/** Operations that the access of the conversations opens to everybody who knows their ids. */
const isOpen = (operationId: string) => operationId === "join-conversation-by-id-unqualified";

const targets = Object.entries(operations)
  .filter(([id, { auth, path }]) => auth === "user" && path.includes("{cid}") && !isOpen(id))
  // Any member of the team may know its conversations.
  .filter(([operationId]) => operationId !== "get-team-conversation")
  .map(([operationId, route]) => ({ operationId, route }));

/** Operations that answer strangers as for an unknown conversation, without an error. */
const tellsNothing = /^get-conversation-self/;

/** Operations that tell everybody in the team whether a conversation is the team's. */
const tellsTeam = new Set(["get-team-conversation"]);

/** Bodies that are valid, where the smallest one that fits the schema is not. */
const validBodies: Readonly<Record<string, unknown>> = {
  "update-other-member": { conversation_role: "svc_admin" },
  "update-other-member-unqualified": { conversation_role: "svc_admin" },
  "update-conversation-self": { otr_archived: true },
  "update-conversation-self-v0": { otr_archived: true },
};

/** Without other tests' items, so that everything about the conversations can be found. */
let stack: OwnStack;
let conversations: readonly {
  name: string;
  id: string;
  team: Team;
  memberId: string;
  belongsToTeam?: boolean;
}[];
let strangers: readonly { name: string; user: User; isInTeam?: boolean }[];
let before: unknown;

beforeAll(async () => {
  stack = await stackWith({ channels: { defaults: { status: "enabled", lockStatus: "unlocked" } } });
  const [team, otherTeam, founder, person] = await Promise.all([
    newTeam({}, stack),
    newTeam({}, stack),
    newUser({}, stack),
    newUser({}, stack),
  ]);
  const [teamMate, member] = await Promise.all([team.add(), team.add()]);
  const { newConversation } = conversationData(stack);
  const access = ["invite", "code", "link"] as const;
  const open = { access: [...access] };
  const [group, ofTeam] = await Promise.all([
    newConversation([founder], open),
    newConversation([member], { ...open, team }),
  ]);
  conversations = [
    { name: "a group", ...group, team, memberId: founder.id },
    { name: "a group of a team", ...ofTeam, team, memberId: member.id, belongsToTeam: true },
  ];
  strangers = [
    { name: "a person", user: person },
    { name: "the owner of another team", user: otherTeam.owner },
    { name: "a team mate", user: teamMate, isInTeam: true },
    { name: "the owner of the team", user: team.owner, isInTeam: true },
  ];
  before = await everything();
});

/** Everything that names the conversations, except messages under way. */
const everything = () =>
  Promise.all(
    conversations.map(async ({ id }) => {
      const { outbox: _, ...items } = await itemsMentioning(id, stack.prefix);
      return items;
    }),
  );

function pathOf(route: Route, { id, team, memberId }: (typeof conversations)[number]): string {
  const names = { cid: id, tid: team.id, uid: memberId, domain: localDomain, user_domain: localDomain };
  const path = Object.entries(names).reduce(
    (filled, [parameter, name]) => filled.replace(`{${parameter}}`, name),
    route.path,
  );
  const named = route.until ?? route.since;
  const version = named === undefined ? "" : `/v${named}`;
  return version + samplePath({ ...route, path }) + sampleQuery(route);
}

function requestOf({ operationId, route }: (typeof targets)[number], { token }: User) {
  const { body, bodyFormat, method, protobuf } = route;
  if (body === undefined || method === "GET" || method === "HEAD") return { token };
  if (bodyFormat === "protobuf")
    return { token, ...protobufRequest(sampleProtobuf[protobuf?.message.name ?? ""]) };
  return { token, json: validBodies[operationId] ?? sampleOf(body) };
}

describe("a conversation that strangers attack", () => {
  it("has operations for them to try, and data to lose", () => {
    expect(targets.length).toBeGreaterThan(0);
    expect(before).toEqual(conversations.map(() => ({ conversations: expect.any(Array) })));
  });

  it.each(targets)("refuses $operationId to strangers", async (target) => {
    const { operationId, route } = target;
    for (const conversation of conversations) {
      const path = pathOf(route, conversation);
      for (const { name, user, isInTeam } of strangers) {
        const { status, body } = await stack.publicApi(route.method, path, requestOf(target, user));
        if (tellsNothing.test(operationId)) expect({ status, body }).toEqual({ status: 200, body: null });
        else if (tellsTeam.has(operationId) && conversation.belongsToTeam && isInTeam)
          expect(status).toBe(200);
        else expect([403, 404], `${name} at ${conversation.name} got ${status}`).toContain(status);
      }
    }
  });

  it("is unchanged afterwards", async () => {
    expect(await everything()).toEqual(before);
  });
});
