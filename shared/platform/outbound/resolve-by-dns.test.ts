import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DnsServer, startDnsServer } from "../../../test/support/dns-server.ts";
import { resolveByDns } from "./resolve-by-dns.ts";

let dns: DnsServer;
beforeAll(async () => {
  dns = await startDnsServer();
});
afterAll(() => dns.stop());

const resolve = (hostname: string, timeoutMilliseconds = 2000) =>
  resolveByDns(hostname, { timeoutMilliseconds, servers: [dns.address] });

/** Look-ups by the system's resolver, each of which uses a thread. */
const threadsInUse = () => process.getActiveResourcesInfo().filter((name) => name === "GetAddrInfoReqWrap");

describe("a host name", () => {
  it("has the addresses of both families", async () => {
    dns.addresses.set("both.example.com", { A: ["192.0.2.1", "192.0.2.2"], AAAA: ["2001:db8::1"] });
    const found = await resolve("both.example.com");
    expect(found.map(({ address }) => address).toSorted()).toEqual(["192.0.2.1", "192.0.2.2", "2001:db8::1"]);
    expect(found.map(({ family }) => family)).toEqual([4, 4, 6]);
  });

  it.each(["A", "AAAA"] as const)("may have only %s records", async (type) => {
    const [name, address] = [`${type.toLowerCase()}.example.com`, type === "A" ? "192.0.2.1" : "2001:db8::1"];
    dns.addresses.set(name, { [type]: [address] });
    expect(await resolve(name)).toEqual([{ address, family: type === "A" ? 4 : 6 }]);
  });

  it.each(["localhost", "LOCALHOST", "some.localhost", "localhost."])(
    "needs no name server if it is local: %s",
    async (name) => {
      dns.silent.add(name);
      expect((await resolve(name)).map(({ address }) => address)).toContain("127.0.0.1");
    },
  );

  it("without addresses is an error", async () => {
    dns.addresses.set("empty.example.com", {});
    await expect(resolve("unknown.example.com")).rejects.toMatchObject({ code: "ENOTFOUND" });
    await expect(resolve("empty.example.com")).rejects.toMatchObject({ code: "ENODATA" });
  });

  it("is given up in time if its name server never answers, and never blocks a thread", async () => {
    dns.silent.add("silent.example.com");
    const startedAt = performance.now();
    const resolving = resolve("silent.example.com", 300);
    const before = threadsInUse();
    await expect(resolving).rejects.toMatchObject({ code: expect.stringMatching(/^(ETIMEOUT|ECANCELLED)$/) });
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    expect([...before, ...threadsInUse()]).toEqual([]);
  });
});
