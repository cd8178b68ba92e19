import { describe, expect, it } from "vitest";
import { bucketLimitsOf, limitOf, namesOf, networkBucket, networkOf, networksAround } from "./network.ts";

describe("the network of an address", () => {
  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["2001:db8:0:a::1", "2001:db8:0:a::/64"],
    ["2001:DB8::1", "2001:db8:0:0::/64"],
    ["unknown", "unknown"],
  ])("of %s is %s", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  it.each([
    ["2001:db8:0:a::1", ["2001:db8:0:a::/64", "2001:db8:0::/48"]],
    ["2001:db8:0:b::1", ["2001:db8:0:b::/64", "2001:db8:0::/48"]],
    ["2001:db8:1:a::1", ["2001:db8:1:a::/64", "2001:db8:1::/48"]],
    ["192.0.2.1", ["192.0.2.1"]],
    ["unknown", ["unknown"]],
  ])("is counted together with its neighbours: %s", (address, networks) => {
    expect(networksAround(networkOf(address))).toEqual(networks);
  });

  it("has eight times the limits if it is a /48", () => {
    const [network = "", site = ""] = networksAround(networkOf("2001:db8::1"));
    expect([limitOf(network, 3), limitOf(site, 3)]).toEqual([3, 24]);
    const limits = { burst: 5, refillSeconds: 60 };
    expect(bucketLimitsOf(network, limits)).toEqual(limits);
    expect(bucketLimitsOf(site, limits)).toEqual({ burst: 40, refillSeconds: 7.5 });
    expect(bucketLimitsOf(site, { burst: 5, refillSeconds: 0 }).refillSeconds).toBe(0);
  });
});

it("a network has a bucket of its own for each thing that is counted", () => {
  expect(namesOf("some-bucket").map(({ name }) => name)).toEqual(["some-bucket"]);
  expect(namesOf(networkBucket("codes", "192.0.2.1")).map(({ name }) => name)).toEqual(["codes#192.0.2.1"]);
  expect(namesOf(networkBucket("codes", "2001:db8::1")).map(({ name }) => name)).toEqual([
    "codes#2001:db8:0:0::/64",
    "codes#2001:db8:0::/48",
  ]);
});
