import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { connectUsers } from "../../support/connections.ts";
import { createConversation } from "../../support/conversations.ts";
import { eventually } from "../../support/eventually.ts";
import { addDevices, recipientsOf, sendJson, textFor } from "../../support/otr-messages.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { openSocket } from "../../support/socket.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newUser, type User } from "../../support/users.ts";

interface Line {
  readonly service: string;
  readonly message: string;
  readonly requestId?: string;
  readonly requestIds?: readonly string[];
  readonly [detail: string]: unknown;
}

const lines: Line[] = [];
/** Lines that functions have logged about a request, in order. */
const linesAbout = (requestId: string) =>
  lines.filter((line) => line.requestId === requestId || line.requestIds?.includes(requestId));

let stack: OwnStack;
let sender: User;
let recipient: User;
beforeAll(async () => {
  const write = process.stdout.write.bind(process.stdout);
  vi.spyOn(process.stdout, "write").mockImplementation(((text: string, ...rest: []) => {
    if (!String(text).startsWith('{"level"')) return write(text, ...rest);
    lines.push(JSON.parse(text));
    return true;
  }) as typeof process.stdout.write);
  stack = await stackWith({}, { logLevel: "DEBUG" });
  [sender, recipient] = await Promise.all([newUser({}, stack), newUser({}, stack)]);
  await connectUsers(sender, recipient, stack);
});
afterAll(() => {
  vi.restoreAllMocks();
});

it("a message is followed from its request through fan-out and delivery to the socket, by one id", async () => {
  const [device = ""] = await addDevices(sender, 1, stack);
  const [other = ""] = await addDevices(recipient, 1, stack);
  const { body: conversation } = await createConversation(sender, { with: [recipient] }, stack);
  const socket = await openSocket("/await", { token: recipient.token, query: { client: other } }, stack);
  const json = { sender: device, recipients: recipientsOf([recipient, [other]]) };
  const sent = await sendJson(conversation, sender, json, stack);
  expect(sent.status).toBe(201);
  const isOfMessage = (frame: { payload?: { data?: { text?: string } }[] }) =>
    frame.payload?.[0]?.data?.text === textFor(other);
  const { id: notificationId } = await socket.next(isOfMessage);

  const requestId = sent.headers.get("x-request-id") ?? expect.fail("The answer has no id");
  await eventually(async () => {
    expect(linesAbout(requestId)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ service: "conversations", message: "request", status: 201 }),
        expect.objectContaining({ service: "fan-out", message: "events-handed-on" }),
        expect.objectContaining({
          service: "delivery",
          message: "event-posted",
          userId: recipient.id,
          notificationId,
          outcome: "posted",
        }),
        expect.objectContaining({ service: "delivery", message: "events-delivered" }),
      ]),
    );
  });
});

it("lines about other requests do not have the id", async () => {
  const answers = await Promise.all(
    ["/self", "/properties"].map((path) => stack.publicApi("GET", path, { token: recipient.token })),
  );
  for (const { headers } of answers) {
    const about = linesAbout(headers.get("x-request-id") ?? "");
    expect(about.map(({ message }) => message)).toEqual(["request"]);
  }
});
