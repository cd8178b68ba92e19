// Holds many sockets as clients do, each pinging every 20 seconds, in a process of its own, so that its CPU time and
// memory are not those of what it measures. Forked by measure-sockets.ts: takes `ClientsCommand`s and answers each with a
// `ClientsReport`.
import pLimit from "p-limit";
import { WebSocket } from "ws";

export type ClientsCommand =
  | {
      readonly command: "open";
      readonly url: string;
      readonly tokens: readonly string[];
      /** Handshakes that are under way at the same time. */
      readonly concurrency: number;
    }
  /** Close this many sockets and open them again. */
  | { readonly command: "reconnect"; readonly count: number; readonly concurrency: number }
  | { readonly command: "report" };

export interface ClientsReport {
  readonly open: number;
  /** Handshakes that failed, and sockets that closed without a command. */
  readonly errors: number;
  readonly pongs: number;
  /** Latencies of events received since the last report. */
  readonly eventMilliseconds: readonly number[];
}

const pingMilliseconds = 20_000;
/** Local addresses to connect from: each has its own ports. */
const sourceAddresses = 4;

interface Client {
  readonly token: string;
  readonly localAddress: string;
  webSocket: WebSocket | undefined;
  isClosing: boolean;
}

const clients: Client[] = [];
let url = "";
let errors = 0;
let pongs = 0;
let eventMilliseconds: number[] = [];

function connect(client: Client): Promise<void> {
  return new Promise((resolve) => {
    const webSocket = new WebSocket(url, {
      headers: { authorization: `Bearer ${client.token}` },
      localAddress: client.localAddress,
      perMessageDeflate: false,
    });
    let timer: NodeJS.Timeout | undefined;
    webSocket.on("open", () => {
      client.webSocket = webSocket;
      const firstPing = Math.random() * pingMilliseconds;
      timer = setTimeout(() => {
        webSocket.send("ping");
        timer = setInterval(() => webSocket.send("ping"), pingMilliseconds);
      }, firstPing);
      resolve();
    });
    webSocket.on("message", (data) => {
      const text = String(data);
      if (text === "pong") pongs++;
      else eventMilliseconds.push(Date.now() - JSON.parse(text).payload[0].sentAt);
    });
    webSocket.on("error", () => {});
    webSocket.on("close", () => {
      clearTimeout(timer);
      if (!client.isClosing) errors++;
      resolve();
    });
  });
}

async function reconnect(client: Client): Promise<void> {
  client.isClosing = true;
  const { webSocket } = client;
  await new Promise((resolve) => {
    webSocket?.on("close", resolve);
    webSocket?.close();
  });
  client.isClosing = false;
  await connect(client);
}

process.on("message", async (message: ClientsCommand) => {
  if (message.command === "open") {
    url = message.url;
    const limit = pLimit(message.concurrency);
    const added = message.tokens.map((token, index): Client => {
      const localAddress = `127.0.0.${2 + (index % sourceAddresses)}`;
      return { token, localAddress, webSocket: undefined, isClosing: false };
    });
    clients.push(...added);
    await Promise.all(added.map((client) => limit(() => connect(client))));
  } else if (message.command === "reconnect") {
    const limit = pLimit(message.concurrency);
    await Promise.all(clients.slice(0, message.count).map((client) => limit(() => reconnect(client))));
  }
  const report: ClientsReport = {
    open: clients.filter(({ webSocket }) => webSocket?.readyState === WebSocket.OPEN).length,
    errors,
    pongs,
    eventMilliseconds,
  };
  eventMilliseconds = [];
  process.send?.(report);
});

process.on("disconnect", () => process.exit());
