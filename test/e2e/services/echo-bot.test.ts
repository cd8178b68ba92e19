import { fork } from "node:child_process";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { addBot } from "../../support/bots.ts";
import { createConversation } from "../../support/conversations.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { addDevices, sendJson } from "../../support/otr-messages.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { newUser } from "../../support/users.ts";

/** The output of the program about the service that it has registered. */
async function registrationIn(output: Readable | null) {
  for await (const line of createInterface({ input: output ?? Readable.from([]) })) {
    if (line.startsWith("{")) return JSON.parse(line);
  }
  throw new Error("The program has ended");
}

it("the example bot registers itself and sends back what it receives", async ({ onTestFinished }) => {
  const { publicUrl, internalUrl } = sharedStack();
  const program = new URL("../../../examples/echo-bot/main.ts", import.meta.url);
  const child = fork(program, ["--url", publicUrl, "--internal", internalUrl], {
    silent: true,
    execArgv: [],
  });
  onTestFinished(() => void child.kill());
  const { provider, service } = await registrationIn(child.stdout);

  const ann = await newUser();
  const [a1 = ""] = await addDevices(ann);
  const group = await createConversation(ann, {
    with: [],
    access_role: ["non_team_member", "guest", "service"],
  });
  const { status, body: bot } = await addBot(
    ann,
    { id: group.body.qualified_id.id },
    { id: service, provider },
  );
  expect(status).toBe(201);
  const hello = Buffer.from("hello").toString("base64");
  const message = { sender: a1, recipients: { [bot.id]: { [bot.client]: hello } } };
  expect((await sendJson({ id: group.body.qualified_id.id }, ann, message)).status).toBe(201);

  const [answer] = await eventually(async () => {
    const events = await storedEvents(ann.token, "conversation.otr-message-add");
    expect(events).toHaveLength(1);
    return events;
  });
  expect(answer).toMatchObject({ from: bot.id, data: { sender: bot.client, recipient: a1, text: hello } });
});
