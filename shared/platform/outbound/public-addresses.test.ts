import { describe, expect, it } from "vitest";
import { ForbiddenAddressError, isPublicAddress, resolveHost } from "./public-addresses.ts";

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
