import { beforeAll, describe, expect, it } from "vitest";
import { BacklogStore, type MessageSource } from "#shared/events/backlog-store.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { type ApiAnswer, api, outcome } from "../../support/api.ts";
import { conversationData } from "../../support/conversations.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { newMlsGroupOf, newPeople } from "../../support/mls-groups.ts";
import { addDevices, type OtrMessage, recipientsOf, sendJson } from "../../support/otr-messages.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser, type User } from "../../support/users.ts";

type Sender = User & { readonly clientId: string };

/** Number of messages that are sent concurrently. */
const flood = 40;
const mostFloods = 20;

describe("a conversation with more messages than can be delivered", () => {
  let stack: OwnStack;
  beforeAll(async () => {
    stack = await stackWith({ setMessageBacklog: { afterSecs: 0, pauseSecs: 60 } }, { isClockStopped: true });
  });

  const newSender = async (): Promise<Sender> => {
    const user = await newUser({}, stack);
    const [clientId = ""] = await addDevices(user, 1, stack);
    return { ...user, clientId };
  };

  /** Create a conversation. @returns a function by which its members send to all others */
  async function newGroup(...members: Sender[]) {
    const group = await conversationData(stack).newConversation(members);
    return (sender: Sender): Promise<ApiAnswer> => {
      const others = members.filter(({ id }) => id !== sender.id);
      const recipients = recipientsOf(...others.map((other) => [other, [other.clientId]] as const));
      return sendJson(group, sender, { sender: sender.clientId, recipients }, stack);
    };
  }

  it("accepts no messages for a while, from anybody; everything else goes on, and accepted messages arrive", async () => {
    const [ada, bob, cem, dia] = await Promise.all([newSender(), newSender(), newSender(), newSender()]);
    const [flooded, ofBob, ofOthers] = await Promise.all([
      newGroup(ada, bob),
      newGroup(ada, bob, cem),
      newGroup(cem, dia),
    ]);
    const answers: ApiAnswer[] = [];
    for (let round = 0; round < mostFloods && !answers.some(({ status }) => status === 429); round++) {
      answers.push(...(await Promise.all(Array.from({ length: flood }, () => flooded(ada)))));
      await eventually(async () => expect(await arrived()).toBe(accepted()));
    }
    function accepted() {
      return answers.filter(({ status }) => status === 201).length;
    }
    async function arrived() {
      return (await storedEvents(bob.token, "conversation.otr-message-add", stack.publicApi)).length;
    }
    const refused = await flooded(ada);
    expect(outcome(refused)).toBe("429 too-many-requests");
    expect(Number(refused.headers.get("retry-after"))).toBe(60);
    expect(outcome(await flooded(bob))).toBe("429 too-many-requests");
    expect(outcome(await ofBob(ada))).toBe("429 too-many-requests");
    expect([outcome(await ofBob(bob)), outcome(await ofOthers(cem))]).toEqual(["201", "201"]);
    expect(outcome(await flooded(cem))).toBe("404 no-conversation");
    await eventually(async () => expect(await arrived()).toBe(accepted()));
    stack.advance(61);
    expect([outcome(await flooded(ada)), outcome(await flooded(bob))]).toEqual(["201", "201"]);
  });
});

describe.concurrent("while messages wait", () => {
  const backlogs = new BacklogStore({
    dynamo: createDynamo(),
    config: stackConfig("test"),
    clock: systemClock,
  });
  const mark = (...sources: MessageSource[]) => backlogs.mark(sources);

  it("an MLS group accepts commits, but no messages", async () => {
    const [ada, bob] = await newPeople(2);
    const { id: conversationId } = await newMlsGroupOf(ada, bob);
    // A mark lasts for ten seconds, which a busy machine may need.
    await eventually(async () => {
      await mark({ conversationId });
      expect(outcome(await ada.write("text"))).toBe("429 too-many-requests");
    });
    await mark({ conversationId });
    await ada.mustCommit();
  });

  it("a sender cannot send to team and contacts either", async () => {
    const { owner } = await newTeam();
    const [sender = ""] = await addDevices(owner);
    const json: OtrMessage = { sender, recipients: {} };
    const broadcast = () => api("POST", "/broadcast/otr/messages", { token: owner.token, json });
    expect(outcome(await broadcast())).toBe("201");
    await eventually(async () => {
      await mark({ userId: owner.id });
      expect(outcome(await broadcast())).toBe("429 too-many-requests");
    });
  });
});
