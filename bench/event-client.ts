import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { WebSocket } from "ws";
import * as z from "zod";
import { defineEvent } from "#shared/events/event.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { SocketStore } from "#shared/events/sockets/socket-store.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { createLog } from "#shared/platform/log.ts";
import { commit } from "#shared/platform/messaging/change.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { signingKeySet, toPrivateKey } from "#shared/sessions/tokens/signing-keys.ts";
import { signToken } from "#shared/sessions/tokens/token.ts";
import { stackConfig } from "../test/support/stack-config.ts";

/** About the size of an encrypted message for a few devices. */
const contentCharacters = 400;

const benchEvent = defineEvent({
  type: "bench.event",
  summary: "A benchmark sends something",
  recipients: "conversation-members",
  schema: z.object({ number: z.int(), content: z.string() }),
});

/** Publishes an event as a function of the stack does. */
export type Publish = (event: {
  number: number;
  sender: string;
  recipients: readonly string[];
}) => Promise<{ committedAt: number }>;

/** Create a publisher for a stack; the emulators' addresses must be in `process.env`. */
export function createPublisher(prefix: string): Publish {
  const config = stackConfig(prefix);
  const dynamo = createDynamo();
  const outbox = new Outbox({ config, clock: systemClock, log: createLog("bench", config.logLevel) });
  const publisher = new EventPublisher({ outbox, clock: systemClock });
  const content = "x".repeat(contentCharacters);
  return async ({ number, sender, recipients }) => {
    const audience = { group: sender, recipients: recipients.map((userId) => ({ userId })) };
    const messages = publisher.to(audience, benchEvent, { number, content });
    await commit(dynamo, { messages });
    const committedAt = performance.now();
    await Promise.all(messages.map((message) => message.send()));
    return { committedAt };
  };
}

/** Create a signer of a stack's access tokens, for users who are not registered. */
export async function createTokenSigner(prefix: string): Promise<(userId: string) => string> {
  const secretsManager = new SecretsManagerClient();
  const { SecretString = "" } = await secretsManager.send(
    new GetSecretValueCommand({ SecretId: `${prefix}-signing-keys` }),
  );
  secretsManager.destroy();
  const [key] = signingKeySet.parse(JSON.parse(SecretString)).keys;
  if (key === undefined) throw new Error("The stack has no signing key");
  const privateKey = toPrivateKey(key.jwk);
  const expiresAtSeconds = Math.floor(Date.now() / 1000) + 3600;
  return (userId) =>
    signToken(
      {
        type: "access",
        isSession: false,
        keyIndex: key.index,
        userId,
        connectionId: randomUUID(),
        expiresAtSeconds,
      },
      privateKey,
    );
}

/** Create a queue for a device, as the API does. */
export const createDeviceQueue = (prefix: string, userId: string, clientId: string): Promise<void> =>
  new SocketStore({ dynamo: createDynamo(), config: stackConfig(prefix), clock: systemClock }).createQueue(
    userId,
    clientId,
  );

/** The times (`performance.now()`) at which a socket has received events, by the number of the event. */
export interface Receiver {
  readonly receivedAt: ReadonlyMap<number, number>;
  /** Resolves when the event has arrived. */
  until(number: number): Promise<void>;
  close(): void;
}

/** Open a socket on `/await`. */
export const openReceiver = (publicUrl: string, token: string): Promise<Receiver> =>
  receive(publicUrl, "/await", token, ({ payload }) => payload);

/**
 * Open a socket on `/await` for numbered messages: the number is the blob of a message, or the end of a message to an
 * MLS group.
 */
export const openMessageReceiver = (publicUrl: string, token: string): Promise<Receiver> =>
  receive(publicUrl, "/await", token, ({ payload }) =>
    payload.flatMap(({ type, data }: { type: string; data: { data: string } | string }) => {
      if (type === "conversation.otr-message-add") return { number: Number(atob(Object(data).data)) };
      if (type !== "conversation.mls-message-add") return [];
      return { number: Buffer.from(String(data), "base64").subarray(-4).readUInt32BE() };
    }),
  );

/** Open a socket on `/events` for a device, which optionally acknowledges each event. */
export const openDevice = (
  publicUrl: string,
  token: string,
  { clientId, acknowledges }: { clientId: string; acknowledges: boolean },
): Promise<Receiver> =>
  receive(publicUrl, `/events?client=${clientId}`, token, ({ data }, send) => {
    const { delivery_tag } = data;
    if (acknowledges) send(JSON.stringify({ type: "ack", data: { delivery_tag } }));
    return data.event.payload;
  });

async function receive(
  publicUrl: string,
  path: string,
  token: string,
  // biome-ignore lint/suspicious/noExplicitAny: the form of the JSON frames is known
  payloadOf: (frame: any, send: (text: string) => void) => readonly { number: number }[],
): Promise<Receiver> {
  const socket = new WebSocket(`${publicUrl.replace(/^http/, "ws")}${path}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const receivedAt = new Map<number, number>();
  const waiting = new Map<number, () => void>();
  socket.on("message", (data) => {
    const now = performance.now();
    for (const { number } of payloadOf(JSON.parse(String(data)), (text) => socket.send(text))) {
      receivedAt.set(number, now);
      waiting.get(number)?.();
    }
  });
  await once(socket, "open");
  return {
    receivedAt,
    until(number) {
      if (receivedAt.has(number)) return Promise.resolve();
      return new Promise((resolve) => waiting.set(number, resolve));
    },
    close: () => socket.terminate(),
  };
}
