import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { localDomain } from "../../support/connections.ts";
import { conversationData } from "../../support/conversations.ts";
import { eventSource, storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { type AwsCall, injectFaults } from "../../support/faults.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam, type Team } from "../../support/teams.ts";

/** For thousands of notifications, however busy the machine is. */
const patiently = { timeoutSeconds: 120 };

let stack: OwnStack;
let data: ReturnType<typeof conversationData>;
beforeAll(async () => {
  stack = await stackWith({ outboxResendSeconds: 1 });
  data = conversationData(stack);
});

/** Create a group of a team with users from outside it. */
async function newGroup(
  team: Team,
  size: number,
  { newConversation } = data,
): Promise<{ id: string; guestIds: string[] }> {
  const guests = Array.from({ length: size }, () => ({ id: randomUUID() }));
  const { id } = await newConversation([team.owner, ...guests], {
    team,
    accessRoles: ["team_member", "non_team_member", "guest"],
  });
  return { id, guestIds: guests.map((guest) => guest.id).toSorted() };
}

/** Whether a call changes a conversation, or enqueues a job for it. */
const isWrite = ({ service, action, body }: AwsCall, cid: string) =>
  service === "dynamodb" && ["TransactWriteItems", "PutItem"].includes(action) && body.includes(cid);
/** Whether a call removes members from a conversation. */
const isStep = (called: AwsCall, cid: string) => isWrite(called, cid) && called.body.includes("member-leave");

const setRoles = (team: Team, cid: string, access_role: string[], { publicApi } = stack) =>
  publicApi("PUT", `/v3/conversations/${localDomain}/${cid}/access`, {
    token: team.owner.token,
    json: { access: ["invite"], access_role },
  });

const memberIdsOf = async (cid: string, { store } = data) =>
  (await store.getPopulated(cid))?.members.map(({ userId }) => userId);

// biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever arrived
const eventsOf = (team: Team): Promise<any[]> =>
  storedEvents(team.owner.token, /^conversation\./, stack.publicApi);

describe("members who may no longer be in a large conversation", () => {
  it("are all removed, each with an event after that of the access, even if a worker dies half-way", async () => {
    const team = await newTeam({}, stack);
    const { id, guestIds } = await newGroup(team, 45);
    let steps = 0;
    const end = injectFaults(({ service, action, body }) => {
      const isStep =
        service === "dynamodb" && action === "TransactWriteItems" && body.includes("member-leave");
      if (!isStep) return undefined;
      return ++steps === 3 ? "dies-before" : steps === 4 ? "dies-after" : undefined;
    });
    const { body: update } = await setRoles(team, id, ["team_member"]);
    await eventually(async () => expect(await memberIdsOf(id)).toEqual([team.owner.id]));
    end();
    expect(steps).toBeGreaterThan(2);

    await eventually(async () => {
      const [first, ...others] = await eventsOf(team);
      expect(first).toEqual(update);
      expect(others.flatMap((event) => event.data.user_ids).toSorted()).toEqual(guestIds);
      for (const { type, data: left, from } of others) {
        expect([type, left.reason, from]).toEqual(["conversation.member-leave", "removed", team.owner.id]);
      }
      const times = others.map(({ time }) => time);
      expect(times).toEqual(times.toSorted());
    }, patiently);
    expect(await data.store.get(id)).toMatchObject({ memberCount: 1 });
    expect(await data.store.listOfUser(guestIds[0] ?? "", { limit: 1 })).toEqual([]);
  });

  it("stay when they are admitted again before they are removed", async () => {
    const team = await newTeam({}, stack);
    const { id } = await newGroup(team, 25);
    let steps = 0;
    const end = injectFaults((called) => (isStep(called, id) && ++steps > 1 ? "dies-before" : undefined));
    await setRoles(team, id, ["team_member"]);
    await eventually(() => expect(steps).toBeGreaterThan(1));
    expect((await setRoles(team, id, ["team_member", "non_team_member", "guest"])).status).toBe(200);
    end();
    await eventually(async () => expect(await eventSource(stack).countInOutbox()).toBe(0), patiently);
    expect(await memberIdsOf(id)).toHaveLength(6);
  });

  it("are removed by further messages when one runs out of time", async () => {
    // Without sweeps: when the time is up, the lease is over as well, and a sweep would have the order carried out twice.
    const unswept = await stackWith({ outboxResendSeconds: 600 });
    const ofUnswept = conversationData(unswept);
    const team = await newTeam({}, unswept);
    const { id } = await newGroup(team, 45, ofUnswept);
    let steps = 0;
    let orders = 0;
    const end = injectFaults((called) => {
      if (isStep(called, id) && ++steps === 2) unswept.advance(100);
      const isOrder = isWrite(called, id) && called.body.includes('"conversation-jobs#');
      if (isOrder && called.isFirstAttempt) orders++;
      return undefined;
    });
    await setRoles(team, id, ["team_member"], unswept);
    await eventually(async () => expect(await memberIdsOf(id, ofUnswept)).toEqual([team.owner.id]));
    end();
    expect(orders).toBe(2);
  });
});
