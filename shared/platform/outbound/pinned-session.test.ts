import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { afterAll, describe, expect, it } from "vitest";
import { PinnedSession, type SessionOptions } from "./pinned-session.ts";
import type { Resolve } from "./public-addresses.ts";

/** Rules that are the same for all services; the services' own tests have the rest, with real answers. */

const stops: (() => void)[] = [];
afterAll(() => {
  for (const stop of stops) stop();
});

/** A server that counts connections and says nothing. */
async function startMute() {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.on("error", () => undefined);
    stops.push(() => socket.destroy());
  }).listen(0, "127.0.0.1");
  stops.push(() => server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { port, connections: () => connections };
}

const sessionTo = (port: number, options: Partial<SessionOptions> = {}) =>
  new PinnedSession(
    { baseUrl: `https://service.example.com:${port}`, fingerprints: ["any"] },
    {
      allowsPrivateAddresses: true,
      timeoutMilliseconds: 100,
      maxAnswerBytes: 1000,
      resolve: async () => [{ address: "127.0.0.1", family: 4 }],
      ...options,
    },
  );

describe("the requests of one operation", () => {
  it("go to the addresses that the first look-up found", async () => {
    const { port, connections } = await startMute();
    const names: string[] = [];
    const resolve: Resolve = async (name) => {
      names.push(name);
      // Reserved for documentation; the next look-up would find the server.
      return [{ address: names.length === 1 ? "203.0.113.1" : "127.0.0.1", family: 4 }];
    };
    const session = sessionTo(port, { resolve });
    for (const path of ["/one", "/two"]) await expect(session.send({ path })).rejects.toThrow();
    expect(names).toEqual(["service.example.com"]);
    expect(connections()).toBe(0);
  });

  it("give the look-up half of a call's time, and never more than the call has", async () => {
    const { port, connections } = await startMute();
    const limits: number[] = [];
    const resolve: Resolve = (_name, { timeoutMilliseconds }) => {
      limits.push(timeoutMilliseconds);
      return new Promise(() => undefined);
    };
    await expect(sessionTo(port, { resolve, attempts: 1 }).send({ path: "/" })).rejects.toThrow();
    expect(limits).toEqual([50]);
    expect(connections()).toBe(0);
  });

  it("are neither sent nor repeated when the name has a private address", async () => {
    const { port, connections } = await startMute();
    const failures: string[] = [];
    const session = sessionTo(port, {
      allowsPrivateAddresses: false,
      onFailure: (_request, reason) => failures.push(reason),
    });
    await expect(session.send({ path: "/" })).rejects.toThrow("service.example.com");
    expect(failures).toHaveLength(1);
    expect(connections()).toBe(0);
  });

  it("are repeated as often as the caller wants", async () => {
    const { port, connections } = await startMute();
    const send = (attempts: number) =>
      sessionTo(port, { attempts, timeoutMilliseconds: 1000 }).send({ path: "/" });
    await expect(send(1)).rejects.toThrow();
    await expect.poll(connections).toBe(1);
    await expect(send(2)).rejects.toThrow();
    await expect.poll(connections).toBe(3);
  });

  it("end when the time of the session is over", async () => {
    const { port } = await startMute();
    const session = sessionTo(port, { timeoutMilliseconds: 60_000, sessionMilliseconds: 200 });
    const startedAt = performance.now();
    await expect(session.send({ path: "/" })).rejects.toThrow();
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  });
});
