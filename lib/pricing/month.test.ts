import { describe, expect, it } from "vitest";
import { usualLoad } from "./load.ts";
import { attackHour, billOf, copiesOf, fixedBill, fixedParts, services, totalOf, upload } from "./month.ts";
import { pricedRegions, priceSources, pricesIn } from "./price-list.ts";
import { quotasOf } from "./quotas.ts";

const prices = pricesIn("eu-central-1");
const holders = ["gateway", "relay"] as const;
const nobody = { ...usualLoad, users: 0, sockets: "gateway" } as const;

describe("the list of prices", () => {
  it("has a positive price in each region, and a source", () => {
    for (const region of pricedRegions)
      for (const [name, price] of Object.entries(pricesIn(region))) {
        expect(price, name).toBeGreaterThan(0);
        const source = Object.keys(priceSources).find((prefix) => name.startsWith(prefix));
        expect(source, name).toBeDefined();
      }
  });
});

describe("the bill of a month", () => {
  it("has a price for every service that a busy installation uses", () => {
    const parts = { ...fixedParts, hasTableKey: true };
    const both = holders.map((sockets) => billOf({ ...usualLoad, sockets }, prices, parts));
    for (const service of services)
      expect(
        both.some((bill) => bill[service] > 0),
        service,
      ).toBe(true);
  });

  it("is that of the fixed parts without users", () => {
    const fixed = Object.values(fixedBill(prices, fixedParts));
    const bill = billOf(nobody, prices);
    expect(totalOf(bill)).toBeCloseTo(fixed.reduce((sum, one) => sum + one));
  });

  it("stays at 40 dollars or below without users", () => {
    expect(totalOf(billOf(nobody, prices))).toBeLessThanOrEqual(40);
  });

  it("grows in step with the users", () => {
    const variable = (users: number) =>
      totalOf(billOf({ ...nobody, users }, prices)) - totalOf(billOf(nobody, prices));
    expect(variable(500_000) / variable(50_000)).toBeCloseTo(10, 0);
  });

  it("charges messages of groups beyond 64 KB for each further part in SQS", () => {
    const sqs = (group: number) => billOf({ ...usualLoad, group, messages: 1, hours: 0 }, prices).SQS;
    const perRecipient = sqs(102) - sqs(101);
    expect(sqs(112) - sqs(109)).toBeGreaterThan(2 * 3 * perRecipient);
  });
});

describe("the price of uploads", () => {
  const million = (holder: "gateway" | "relay", bytes: number) => upload(holder, prices, 1_000_000, bytes);

  it("has no functions and no API Gateway where relays read them", () => {
    const bill = million("relay", 3_000_000);
    expect([bill.Lambda, bill["API Gateway"]]).toEqual([0, 0]);
    expect(million("gateway", 3_000_000)["API Gateway"]).toBeCloseTo(6_000_000 * prices.httpApiRequest);
  });

  it("grows with the bytes that the balancer of relays passes on", () => {
    const balancer = (bytes: number) => million("relay", bytes)["Fargate and load balancer"] ?? 0;
    expect(balancer(6_000_000) - balancer(3_000_000)).toBeCloseTo(3000 * prices.networkBalancerUnitHour);
  });
});

describe("the price of copies in a second region", () => {
  const copies = { days: 35, everyHours: 24 };

  it("is that of secrets and alarms without users", () => {
    expect(copiesOf(nobody, prices, copies)).toBeLessThan(10);
  });

  it("grows with days and backups, but only for tables", () => {
    const load = { ...usualLoad, files: 0 };
    const dollars = (days: number, everyHours: number) =>
      copiesOf(load, prices, { days, everyHours }) - copiesOf(nobody, prices, copies);
    expect(dollars(70, 24) - dollars(35, 24)).toBeCloseTo(dollars(35, 24) - dollars(0, 24));
    expect(dollars(35, 6)).toBeCloseTo(4 * dollars(35, 24));
  });

  it("is, for files, at least their price in the first region", () => {
    const filesOnly = { ...usualLoad, messages: 0 };
    expect(copiesOf(filesOnly, prices, copies)).toBeGreaterThan(0.9 * billOf(filesOnly, prices).S3);
  });
});

describe("an attack at the limit of requests", () => {
  it("costs in step with the limit", () => {
    expect(attackHour(3000, prices)).toBeCloseTo(2 * attackHour(1500, prices));
  });
});

describe("the quotas of a load", () => {
  it("include only those of the part that holds the sockets", () => {
    const named = (sockets: "gateway" | "relay") =>
      quotasOf({ ...usualLoad, sockets })
        .map(({ quota }) => quota)
        .join();
    expect(named("relay")).toContain("Fargate");
    expect(named("relay")).not.toContain("WebSocket connections");
    expect(named("gateway")).toContain("WebSocket connections");
    expect(named("gateway")).not.toContain("Fargate");
  });

  it("are exceeded with five million users, but rarely with 50,000", () => {
    const exceeded = (users: number) =>
      quotasOf({ ...usualLoad, users }).filter((one) => one.needed > one.default).length;
    expect(exceeded(50_000)).toBeLessThanOrEqual(1);
    expect(exceeded(5_000_000)).toBeGreaterThan(3);
  });
});
