import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { GuestLinkStore } from "#shared/conversations/guest-link-store.ts";
import { transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { itemsMentioning } from "../../support/all-items.ts";
import { api, outcome } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { conversationData, newConversation, newConversations } from "../../support/conversations.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { injectFaults } from "../../support/faults.ts";
import { type OwnStack, ownStack } from "../../support/own-stack.ts";
import { openSocket } from "../../support/socket.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { newUser, type User } from "../../support/users.ts";

type Caller = Pick<User, "token">;
type Id = { readonly id: string };

const list = (team: Id, { token }: Caller) => api("GET", `/teams/${team.id}/conversations`, { token });
const get = (team: Id, { id }: Id, { token }: Caller) =>
  api("GET", `/teams/${team.id}/conversations/${id}`, { token });
const remove = (team: Id, { id }: Id, { token }: Caller, publicApi = api) =>
  publicApi("DELETE", `/teams/${team.id}/conversations/${id}`, { token });

const viewOf = ({ id }: Id) => ({ conversation: id, managed: false });

describe.concurrent("GET /teams/{tid}/conversations", () => {
  it("lists all conversations of the team to every member, including those that the member is not in", async () => {
    const [team, other] = await Promise.all([newTeam(), newTeam()]);
    const [member, partner] = await Promise.all([team.add(), team.add("partner")]);
    expect(await list(team, partner)).toMatchObject({ status: 200, body: { conversations: [] } });
    const groups = await Promise.all([
      newConversation([team.owner], { team }),
      newConversation([member, partner], { team }),
      newConversation([], { team }),
    ]);
    await Promise.all([newConversation([member]), newConversation([other.owner, member], { team: other })]);
    const conversations = groups.toSorted((one, another) => (one.id < another.id ? -1 : 1)).map(viewOf);
    for (const user of [team.owner, member, partner]) {
      expect((await list(team, user)).body).toEqual({ conversations });
    }
  });

  it("is refused to everybody else", async () => {
    const [team, other, person] = await Promise.all([newTeam(), newTeam(), newUser()]);
    await newConversation([person], { team });
    for (const user of [other.owner, person]) {
      expect(outcome(await list(team, user))).toBe("403 no-team-member");
      expect(outcome(await list({ id: randomUUID() }, user))).toBe("403 no-team-member");
    }
    expect(outcome(await list({ id: "team" }, person))).toBe("400 bad-request");
  });

  it("lists hundreds of conversations", async () => {
    const team = await newTeam();
    const ids = await newConversations(500, [], { team });
    const { body } = await list(team, team.owner);
    expect(body.conversations.map(({ conversation }: { conversation: string }) => conversation)).toEqual(ids);
  });
});

describe.concurrent("GET /teams/{tid}/conversations/{cid}", () => {
  it("returns only conversations of the team", async () => {
    const [team, other, person] = await Promise.all([newTeam(), newTeam(), newUser()]);
    const [member, partner] = await Promise.all([team.add(), team.add("partner")]);
    const [ofTeam, ofOther, ofNobody] = await Promise.all([
      newConversation([team.owner, person], { team }),
      newConversation([other.owner, member], { team: other }),
      newConversation([team.owner, member]),
    ]);
    for (const user of [team.owner, member, partner]) {
      expect(await get(team, ofTeam, user)).toMatchObject({ status: 200, body: viewOf(ofTeam) });
    }
    for (const conversation of [ofOther, ofNobody, { id: randomUUID() }]) {
      expect(outcome(await get(team, conversation, member))).toBe("404 no-conversation");
    }
    for (const conversation of [ofTeam, ofOther, { id: randomUUID() }]) {
      expect(outcome(await get(team, conversation, person))).toBe("403 no-team-member");
    }
    expect(outcome(await get(other, ofTeam, other.owner))).toBe("404 no-conversation");
    expect(outcome(await get(team, { id: "group" }, member))).toBe("400 bad-request");
  });
});

describe.concurrent("DELETE /teams/{tid}/conversations/{cid}", () => {
  it("deletes a conversation for all of its members, who are told, and for nobody else", async () => {
    const [team, guest] = await Promise.all([newTeam(), newUser()]);
    const [admin, member, bystander] = await Promise.all([team.add(), team.add(), team.add()]);
    const members = [admin, member, guest];
    const conversation = await newConversation(members, { team, roles: { [member.id]: "member" } });
    const { token } = admin;
    const socket = await openSocket("/await", { token });
    expect(outcome(await remove(team, conversation, admin))).toBe("200");

    for (const user of members) {
      const path = `/conversations/${conversation.id}/roles`;
      expect(outcome(await api("GET", path, { token: user.token }))).toBe("404 no-conversation");
      await eventually(async () =>
        expect(await storedEvents(user.token, "conversation.delete")).toEqual([
          {
            type: "conversation.delete",
            conversation: conversation.id,
            qualified_conversation: { domain: localDomain, id: conversation.id },
            from: admin.id,
            qualified_from: { domain: localDomain, id: admin.id },
            time: expect.stringMatching(/\.\d{3}Z$/),
            team: team.id,
            via: "user",
            data: null,
          },
        ]),
      );
    }
    expect(outcome(await get(team, conversation, admin))).toBe("404 no-conversation");
    expect((await list(team, admin)).body).toEqual({ conversations: [] });
    expect(outcome(await remove(team, conversation, admin))).toBe("404 no-conversation");
    expect(await storedEvents(bystander.token, "conversation.delete")).toEqual([]);
    expect(socket.frames.length).toBeLessThanOrEqual(1);
  });

  it("invalidates the guest link", async () => {
    const [team, guest] = await Promise.all([newTeam(), newUser()]);
    const conversation = await newConversation([team.owner], { team, access: ["invite", "code"] });
    const { token } = team.owner;
    const created = await api("POST", `/v9/conversations/${conversation.id}/code`, { token, json: {} });
    const { key, code } = created.body.data;
    const check = async () =>
      outcome(await api("POST", "/conversations/code-check", { json: { key, code } }));
    expect(await check()).toBe("200");
    expect(outcome(await remove(team, conversation, team.owner))).toBe("200");
    expect(await check()).toBe("404 no-conversation-code");
    const join = { token: guest.token, json: { key, code } };
    expect(outcome(await api("POST", "/v9/conversations/join", join))).toBe("404 no-conversation-code");
  });

  it("checks, in this order, the owning team, the role, the caller, the kind and the caller's team", async () => {
    const [team, other, guest] = await Promise.all([newTeam(), newTeam(), newUser()]);
    const [member, teamMate] = await Promise.all([team.add(), team.add()]);
    const roles = { [member.id]: "member" } as const;
    const members = [guest, member, team.owner];
    const [group, ofNobody, oneToOne] = await Promise.all([
      newConversation(members, { team, roles }),
      newConversation(members, { roles }),
      newConversation(members, { team, roles, type: "one-to-one", groupType: undefined }),
    ]);
    const answers = async (of: Id, conversation: Id, user: Caller) =>
      outcome(await remove(of, conversation, user));

    expect(await answers(team, { id: randomUUID() }, team.owner)).toBe("404 no-conversation");
    expect(await answers(team, ofNobody, guest)).toBe("404 no-conversation");
    expect(await answers(other, group, guest)).toBe("404 no-conversation");
    expect(await answers(other, group, other.owner)).toBe("404 no-conversation");
    expect(await answers(team, group, other.owner)).toBe("404 no-conversation");

    expect(await answers(team, group, member)).toBe("403 action-denied");
    expect(await answers(team, oneToOne, member)).toBe("403 action-denied");
    expect(await answers(team, oneToOne, other.owner)).toBe("404 no-conversation");
    expect(await answers(team, oneToOne, team.owner)).toBe("403 invalid-op");
    expect(await answers(team, group, teamMate)).toBe("404 no-conversation");
    expect(await answers(team, group, guest)).toBe("403 no-team-member");
    expect(await answers(team, group, team.owner)).toBe("200");
  });

  it("is allowed for admins of the team who are plain members of a channel", async () => {
    const team = await newTeam();
    const [admin, member, creator] = await Promise.all([team.add("admin"), team.add(), team.add()]);
    const channel = await newConversation([creator, admin, member], {
      team,
      roles: { [admin.id]: "member", [member.id]: "member" },
      groupType: "channel",
      protocol: "mls",
    });
    expect(outcome(await remove(team, channel, member))).toBe("403 action-denied");
    expect(outcome(await remove(team, channel, team.owner))).toBe("404 no-conversation");
    expect(outcome(await remove(team, channel, admin))).toBe("200");
  });

  it("lets one of several concurrent deletions win", async () => {
    const team = await newTeam();
    const admins = await Promise.all(Array.from({ length: 5 }, () => team.add()));
    const conversation = await newConversation(admins, { team });
    const outcomes = await Promise.all(
      admins.map(async (admin) => outcome(await remove(team, conversation, admin))),
    );
    expect(outcomes.sort()).toEqual(["200", ...Array(4).fill("404 no-conversation")]);
    await eventually(async () =>
      expect(await storedEvents(admins[0]?.token ?? "", "conversation.delete")).toHaveLength(1),
    );
  });
});

describe("the job that follows a deletion", () => {
  let stack: OwnStack;
  let team: Team;

  beforeAll(async () => {
    stack = await ownStack();
    team = await newTeam({}, stack);
  });

  const newGroup = async (size: number) => {
    const members = await Promise.all(Array.from({ length: size }, () => team.add()));
    return conversationData(stack).newConversation([team.owner, ...members], { team });
  };

  const newGuestLink = ({ id }: Id) => {
    const context = { dynamo: createDynamo(), config: stackConfig(stack.prefix), clock: stack.clock };
    const link = { conversationId: id, linkId: randomUUID(), expiresAt: stack.clock() + 60_000 };
    return transact(context.dynamo, [new GuestLinkStore(context).create(link)]);
  };

  /** Items of the tables that belong to conversations. */
  const remains = async ({ id }: Id) =>
    (await itemsMentioning(id, stack.prefix, ["conversations"])).conversations ?? [];

  it("erases everything that is stored of the conversation", async () => {
    const [group, other] = await Promise.all([newGroup(3), newGroup(1)]);
    await newGuestLink(group);
    expect(await remains(group)).toHaveLength(1 + 2 * 4 + 1 + 1);
    expect(outcome(await remove(team, group, team.owner, stack.publicApi))).toBe("200");
    await eventually(async () => expect(await remains(group)).toEqual([]));
    expect(await remains(other)).toHaveLength(1 + 2 * 2 + 1);
  });

  it("ends after its worker was killed at any of its writes", async () => {
    const deaths = ["dies-before", "dies-after"] as const;
    const plans = await Promise.all(
      [1, 2, 3, 4].flatMap((write) =>
        deaths.map(async (fault) => ({ write, fault, group: await newGroup(2), written: 0 })),
      ),
    );
    const end = injectFaults(({ service, action, body }) => {
      if (service !== "dynamodb" || !["BatchWriteItem", "DeleteItem"].includes(action)) return undefined;
      const plan = plans.find(({ group }) => body.includes(group.id));
      return plan && ++plan.written === plan.write ? plan.fault : undefined;
    });
    for (const { group } of plans) {
      expect(outcome(await remove(team, group, team.owner, stack.publicApi))).toBe("200");
    }
    await eventually(async () => {
      for (const { group, write, written } of plans) {
        expect(written).toBeGreaterThan(write);
        expect(await remains(group)).toEqual([]);
      }
    });
    end();
  });

  it("is done even if the queue's message is lost", async () => {
    const group = await newGroup(1);
    const end = injectFaults(({ service, action, body }) =>
      service === "sqs" && action === "SendMessage" && body.includes("conversation-jobs")
        ? "ignored"
        : undefined,
    );
    expect(outcome(await remove(team, group, team.owner, stack.publicApi))).toBe("200");
    end();
    stack.advance(120);
    await eventually(async () => expect(await remains(group)).toEqual([]));
  });
});
