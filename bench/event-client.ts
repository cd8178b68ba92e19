import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { WebSocket } from "ws";
import * as z from "zod";
import { signingKeySet, toPrivateKey } from "#shared/auth/signing-keys.ts";
import { signToken } from "#shared/auth/token.ts";
import { systemClock } from "#shared/clock.ts";
import type { Config } from "#shared/config.ts";
import { createDocumentClient } from "#shared/data/client.ts";
import { transact } from "#shared/data/conditions.ts";
import { defineEvent } from "#shared/events/event.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { createLog } from "#shared/log.ts";
import { Outbox } from "#shared/messaging/outbox.ts";
import { queues } from "#shared/messaging/queues.ts";
import { parseSettings } from "#shared/settings.ts";

/** About the size of an encrypted message for a few devices. */
const contentCharacters = 400;

const benchEvent = defineEvent({
  type: "bench.event",
  recipients: "conversation-members",
  schema: z.object({ number: z.int(), content: z.string() }),
});

/** Publishes events as a function of the stack does. */
export type Publish = (event: {
  number: number;
  sender: string;
  recipients: readonly string[];
}) => Promise<{ committedAt: number }>;

/** The emulators' addresses must be in `process.env`. */
export function createPublisher(prefix: string): Publish {
  const config: Config = {
    settings: parseSettings({}),
    publicUrl: "",
    logLevel: "CRITICAL",
    docsAssets: "",
    socketsEndpoint: "",
    tableName: (name) => `${prefix}-${name}`,
    queueUrl: (name) =>
      `${process.env.AWS_ENDPOINT_URL_SQS}/000000000000/${prefix}-${name}${queues[name].isFifo ? ".fifo" : ""}`,
    secretId: (name) => `${prefix}-${name}`,
  };
  const client = createDocumentClient();
  const outbox = new Outbox(config, systemClock, createLog("bench", config.logLevel));
  const publisher = new EventPublisher(outbox, systemClock);
  const content = "x".repeat(contentCharacters);
  return async ({ number, sender, recipients }) => {
    const messages = publisher.stage(
      benchEvent,
      { number, content },
      { sender, recipients: recipients.map((userId) => ({ userId })) },
    );
    const writes = messages.map(({ write }) => write);
    await transact(client, writes);
    const committedAt = performance.now();
    await Promise.all(messages.map((message) => message.send()));
    return { committedAt };
  };
}

/** Signs access tokens of a stack, for users that nobody has registered. */
export async function createTokenSigner(prefix: string): Promise<(userId: string) => string> {
  const client = new SecretsManagerClient();
  const { SecretString = "" } = await client.send(
    new GetSecretValueCommand({ SecretId: `${prefix}-signing-keys` }),
  );
  client.destroy();
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

/** When a socket on `/await` has got which event, by `performance.now()`. */
export interface Receiver {
  readonly receivedAt: ReadonlyMap<number, number>;
  /** Resolves when the event has come. */
  until(number: number): Promise<void>;
  close(): void;
}

export async function openReceiver(publicUrl: string, token: string): Promise<Receiver> {
  const socket = new WebSocket(`${publicUrl.replace(/^http/, "ws")}/await`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const receivedAt = new Map<number, number>();
  const waiting = new Map<number, () => void>();
  socket.on("message", (data) => {
    const now = performance.now();
    for (const { number } of JSON.parse(String(data)).payload) {
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
