import { beforeAll, describe, expect, it } from "vitest";
import { connectUsers } from "../../support/connections.ts";
import { conversationData, createConversation } from "../../support/conversations.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { newMlsClient } from "../../support/mls.ts";
import { addDevices, recipientsOf, sendJson } from "../../support/otr-messages.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser } from "../../support/users.ts";

// Helpers that list events check their times; here, all events happen in one millisecond.
describe.concurrent("the events of a conversation in one millisecond", () => {
  let stack: OwnStack;
  beforeAll(async () => {
    stack = await stackWith({}, { isClockStopped: true });
  });

  it("have later and later times when they are messages", async () => {
    const [ada, bob] = await Promise.all([newUser({}, stack), newUser({}, stack)]);
    const [[sender = ""], [reader = ""]] = await Promise.all([
      addDevices(ada, 1, stack),
      addDevices(bob, 1, stack),
    ]);
    const group = await conversationData(stack).newConversation([ada, bob]);
    const message = { sender, recipients: recipientsOf([bob, [reader]]) };
    for (let count = 0; count < 3; count++)
      expect((await sendJson(group, ada, message, stack)).status).toBe(201);
    await eventually(async () => {
      const events = await storedEvents(bob.token, "conversation.otr-message-add", stack.publicApi);
      expect(events).toHaveLength(3);
    });
  });

  it("have later and later times when they are broadcasts", async () => {
    const team = await newTeam({}, stack);
    const mate = await team.add();
    const [[sender = ""], [reader = ""]] = await Promise.all([
      addDevices(team.owner, 1, stack),
      addDevices(mate, 1, stack),
    ]);
    const { token } = team.owner;
    const json = { sender, recipients: recipientsOf([mate, [reader]]) };
    for (let count = 0; count < 3; count++) {
      const sent = await stack.publicApi("POST", "/v9/broadcast/otr/messages", { token, json });
      expect(sent.status).toBe(201);
    }
    await eventually(async () => {
      const events = await storedEvents(mate.token, "conversation.otr-message-add", stack.publicApi);
      expect(events).toHaveLength(3);
    });
  });

  it("have later and later times when they follow from commits, and from leaving", async () => {
    const users = await Promise.all([newUser({}, stack), newUser({}, stack), newUser({}, stack)]);
    const [ada, bob, cleo] = await Promise.all(
      users.map((user) =>
        newMlsClient(user, { packages: 2, publicApi: stack.publicApi, prefix: stack.prefix }),
      ),
    );
    if (ada === undefined || bob === undefined || cleo === undefined) throw new Error("No devices");
    await Promise.all([bob, cleo].map(({ user }) => connectUsers(ada.user, user, stack)));
    const { body } = await createConversation(ada.user, { protocol: "mls" }, stack);
    await ada.create(body.group_id);
    await ada.add(bob.user, cleo.user);
    const { domain, id } = body.qualified_conversation ?? body.qualified_id;
    const path = `/v9/conversations/${domain}/${id}/members/${domain}/${bob.user.id}`;
    expect((await stack.publicApi("DELETE", path, { token: bob.user.token })).status).toBe(200);
    await eventually(async () =>
      expect(await cleo.eventsOf(id)).toEqual([
        "conversation.member-join",
        "conversation.mls-welcome",
        "conversation.member-leave",
        "conversation.mls-message-add",
      ]),
    );
  });
});
