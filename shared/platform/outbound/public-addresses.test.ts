import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DnsServer, startDnsServer } from "../../../test/support/dns-server.ts";
import { ForbiddenAddressError, isPublicAddress, resolveByDns, resolveHost } from "./public-addresses.ts";

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

describe("an address", () => {
  it.each(["8.8.8.8", "1.1.1.1", "172.32.0.1", "2606:4700:4700::1111"])("is public: %s", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.0.2.1",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "64:ff9b::a9fe:a9fe",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "ff02::1",
    "",
    "hold.example.com",
  ])("is not public: %s", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

it("a host whose addresses are all public is resolved to them", async () => {
  const addresses = [
    { address: "8.8.8.8", family: 4 },
    { address: "2606:4700:4700::1111", family: 6 },
  ];
  const resolve = async () => addresses;
  expect(
    await resolveHost("hold.example.com", { allowsPrivate: false, timeoutMilliseconds: 1000, resolve }),
  ).toStrictEqual(addresses);
  addresses.push({ address: "10.0.0.1", family: 4 });
  const resolving = resolveHost("hold.example.com", {
    allowsPrivate: false,
    timeoutMilliseconds: 1000,
    resolve,
  });
  await expect(resolving).rejects.toBeInstanceOf(ForbiddenAddressError);
});
