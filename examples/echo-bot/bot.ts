import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Identity } from "./certificate.ts";
import { sendToAll } from "./parley.ts";
import { newPrekeys } from "./prekeys.ts";

/** The record of a bot: its device, and the token that authenticates it. A real service stores it. */
interface Bot {
  readonly client: string;
  readonly token: string;
}

interface Options {
  /** Address of Parley. */
  readonly baseUrl: string;
  /** Bearer token in Parley's calls. */
  readonly authToken: string;
  readonly identity: Identity;
  readonly port: number;
}

const longestBody = 5 * 1024 * 1024;

/** A running server of bots. */
export interface BotServer {
  readonly port: number;
  stop(): void;
}

/** Serve bots that echo every message. */
export async function serveBots({ baseUrl, authToken, identity, port }: Options): Promise<BotServer> {
  const bots = new Map<string, Bot>();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.headers.authorization !== `Bearer ${authToken}`) return end(response, 401);
    const body = JSON.parse(await readText(request));
    const [, kind, botId, call] = request.url?.split("/") ?? [];
    if (request.method !== "POST" || kind !== "bots") return end(response, 404);
    if (botId === undefined) {
      // Somebody adds a bot to a conversation. The answer 409 would refuse that.
      bots.set(body.id, { client: body.client, token: body.token });
      return end(response, 201, newPrekeys(20));
    }
    const bot = bots.get(botId);
    // From then on, Parley forgets the bot, too.
    if (bot === undefined || call !== "messages") return end(response, 410);
    // Answer first: slow work must not delay the bot's next event.
    end(response, 200);
    if (body.type === "conversation.otr-message-add")
      await sendToAll(baseUrl, { ...bot, bytes: body.data.text });
    if (body.type === "conversation.member-leave" && body.data.user_ids.includes(botId)) bots.delete(botId);
  }

  const server = createServer(
    { key: identity.privateKey, cert: identity.certificate },
    (request, response) => {
      answer(request, response).catch((error) => {
        console.error(error);
        if (!response.headersSent) end(response, 500);
      });
    },
  );
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function end(response: ServerResponse, status: number, body?: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body ?? {}));
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > longestBody) throw new Error("The body is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
