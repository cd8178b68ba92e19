import { once } from "node:events";
import { APIClient } from "@wireapp/api-client";
import { ClientType } from "@wireapp/api-client/lib/client/index.js";
import { WebSocketClient } from "@wireapp/api-client/lib/tcp/index.js";
import { describe, expect, it } from "vitest";
import { localDomain } from "../../support/connections.ts";
import { lastPrekey, newPrekeys } from "../../support/prekeys.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { newUser } from "../../support/users.ts";

/** The public client library of the interface, as apps use it: of versions that it and the service have in common. */

const newestVersion = 6;

/** A library client of a new user, with a device and an open socket. */
async function newClient() {
  const user = await newUser();
  const { publicUrl } = sharedStack();
  const client = new APIClient({
    urls: { name: "local", rest: publicUrl, ws: publicUrl.replace("http", "ws") },
  });
  await client.useVersion(0, newestVersion);
  await client.login({ email: user.email, password: user.password, clientType: ClientType.PERMANENT });
  const device = await client.api.client.postClient({
    type: "permanent",
    class: "desktop",
    cookie: "label",
    password: user.password,
    lastkey: lastPrekey(),
    prekeys: newPrekeys(2),
  } as never);
  const events: Event[] = [];
  client.transport.ws.on(WebSocketClient.TOPIC.ON_MESSAGE, ({ payload = [] }) => {
    events.push(...(payload as unknown as Event[]));
    client.emit("event");
  });
  const opened = once(client.transport.ws, WebSocketClient.TOPIC.ON_STATE_CHANGE);
  client.context = { ...client.context, clientId: device.id } as typeof client.context;
  client.connect();
  await opened;
  const next = async (type: string): Promise<Event> => {
    for (;;) {
      const index = events.findIndex((event) => event.type === type);
      if (index >= 0) return events.splice(index, 1)[0] as Event;
      await once(client, "event");
    }
  };
  return { client, api: client.api, id: user.id, deviceId: device.id, next };
}

interface Event {
  readonly type: string;
  readonly conversation: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever arrived
  readonly data: any;
}

const uuidBytes = (id: string) => Buffer.from(id.replaceAll("-", ""), "hex");
const clientNumber = (deviceId: string) => ({ client: String(BigInt(`0x${deviceId}`)) });

describe("the public client library", () => {
  it("connects two users, who talk in a group until one of them leaves", async () => {
    // One after the other: the library keeps one cookie for all of its clients.
    const ada = await newClient();
    const ben = await newClient();
    const idOf = ({ id }: { id: string }) => ({ domain: localDomain, id });
    await ada.api.connection.postConnection(idOf(ben));
    await ben.next("user.connection");
    await ben.api.connection.putConnection(idOf(ada), { status: "accepted" } as never);
    await ada.next("conversation.member-join");

    const group = await ada.api.conversation.postConversation({
      name: "Engines",
      qualified_users: [idOf(ben)],
      receipt_mode: null,
    } as never);
    expect(await ben.next("conversation.create")).toMatchObject({ data: { name: "Engines" } });
    const { found } = await ben.api.conversation.getConversationList();
    expect(found?.map(({ id }) => id)).toContain(group.id);

    const send = (text: string, recipients: (typeof ben)[]) =>
      ada.api.conversation.postOTRMessage(group.id, localDomain, {
        sender: clientNumber(ada.deviceId),
        recipients: [
          {
            domain: localDomain,
            entries: recipients.map(({ id, deviceId }) => ({
              user: { uuid: uuidBytes(id) },
              clients: [{ client: clientNumber(deviceId), text: Buffer.from(text) }],
            })),
          },
        ],
        nativePush: true,
        reportAll: {},
      } as never);
    const missing = { [localDomain]: { [ben.id]: [ben.deviceId] } };
    await expect(send("secret", [])).rejects.toMatchObject({ response: { status: 412, data: { missing } } });
    expect(await send("secret", [ben])).toMatchObject({ missing: {} });
    expect(await ben.next("conversation.otr-message-add")).toMatchObject({
      conversation: group.id,
      data: { sender: ada.deviceId, recipient: ben.deviceId, text: btoa("secret") },
    });

    await ben.api.conversation.deleteMember(group.qualified_id, idOf(ben));
    expect(await ada.next("conversation.member-leave")).toMatchObject({
      conversation: group.id,
      data: { reason: "left", user_ids: [ben.id] },
    });
    for (const { client } of [ada, ben]) client.disconnect();
  });
});
