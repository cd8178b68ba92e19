import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import {
  type Answer,
  decode,
  encode,
  type Packet,
  type Question,
  streamDecode,
  streamEncode,
  TRUNCATED_RESPONSE,
} from "dns-packet";

/** A DNS server on its own port that knows only TXT records, addresses and zones. */
export interface DnsServer {
  /** Address and port. */
  readonly address: string;
  /** TXT records by name: a text, or the parts of one. */
  readonly records: Map<string, (string | string[])[]>;
  /** Addresses by name. */
  readonly addresses: Map<string, { A?: string[]; AAAA?: string[] }>;
  /** Names of zones, by their name servers. */
  readonly zones: Map<string, string[]>;
  /** Names for which it sends no answer at all. */
  readonly silent: Set<string>;
  stop(): void;
}

const [refused, noSuchName] = [5, 3];

/** Longer answers need TCP (RFC 1035 §4.2.1). */
const longestDatagram = 512;

/** Start a DNS server on loopback. */
export async function startDnsServer(): Promise<DnsServer> {
  const streams = createServer();
  await once(streams.listen(0, "127.0.0.1"), "listening");
  const { port } = streams.address() as AddressInfo;
  const socket = createSocket("udp4");
  socket.bind(port, "127.0.0.1");
  await once(socket, "listening");
  const server: DnsServer = {
    address: `127.0.0.1:${port}`,
    records: new Map(),
    addresses: new Map(),
    zones: new Map(),
    silent: new Set(),
    stop: () => {
      socket.close();
      streams.close();
    },
  };
  socket.on("message", (message, { address, port }) => {
    const answer = answerTo(server, decode(message));
    if (answer === undefined) return;
    const bytes = encode(answer);
    const truncated = { ...answer, flags: (answer.flags ?? 0) | TRUNCATED_RESPONSE, answers: [] };
    socket.send(bytes.length > longestDatagram ? encode(truncated) : bytes, port, address);
  });
  streams.on("connection", (connection) => {
    let received = Buffer.alloc(0);
    connection.on("error", () => connection.destroy());
    connection.on("data", (data) => {
      received = Buffer.concat([received, data]);
      while (received.length > 2 && received.length >= 2 + received.readUInt16BE(0)) {
        const answer = answerTo(server, streamDecode(received) as Packet);
        received = received.subarray(2 + received.readUInt16BE(0));
        if (answer !== undefined) connection.write(streamEncode(answer));
      }
    });
  });
  return server;
}

/** @returns undefined for a question that it leaves unanswered */
function answerTo(server: DnsServer, { id, questions }: Packet): Packet | undefined {
  const [question] = questions ?? [];
  if (question === undefined || server.silent.has(question.name)) return undefined;
  const answers = answersTo(server, question);
  const { records, addresses, zones } = server;
  const isKnown = [records, addresses, zones].some((known) => known.has(question.name));
  const code = answers === undefined ? refused : isKnown ? 0 : noSuchName;
  // Recursion was desired (256) and is available (128); the lowest four bits are the response code.
  return { type: "response", id, flags: 256 | 128 | code, questions: [question], answers: answers ?? [] };
}

function answersTo({ addresses, records, zones }: DnsServer, { name, type }: Question): Answer[] | undefined {
  switch (type) {
    case "TXT":
      return (records.get(name) ?? []).map((data) => ({ type, name, ttl: 0, data }));
    case "A":
    case "AAAA":
      return (addresses.get(name)?.[type] ?? []).map((data) => ({ type, name, ttl: 0, data }));
    case "NS":
      return (zones.get(name) ?? []).map((data) => ({ type, name, ttl: 0, data }));
    default:
      return undefined;
  }
}
