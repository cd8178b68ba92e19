import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { newGroupId, parseGroupId } from "#shared/conversations/group-id.ts";
import { allItemKinds, nameOf } from "../releases/item-kinds.ts";
import { tablePlans } from "../table-plans.ts";
import { carriedKinds, type Item, itemRules, keptKinds } from "./item-rules.ts";
import { checkTime, parseTableNames } from "./restore.ts";
import { replacementsOf, targetName } from "./restored-tables.ts";

const at = new Date("2026-11-26T12:00:00.500Z");

const isDecided = (kind: string) => [...Object.keys(itemRules), ...carriedKinds, ...keptKinds].includes(kind);

describe("the rules of a restore", () => {
  it("name kinds of items that exist, in tables that are restored", async () => {
    const known = new Set((await allItemKinds()).map(nameOf));
    for (const kind of [...Object.keys(itemRules), ...carriedKinds]) {
      expect(known).toContain(kind);
      expect(tablePlans[kind.split("/")[0] as keyof typeof tablePlans]).toBe("restored");
    }
  });

  it("cover every kind of items in tables that are restored, each once", async () => {
    const restored = (await allItemKinds()).filter(({ table }) => tablePlans[table] === "restored");
    const undecided = restored.map(nameOf).filter((kind) => !isDecided(kind));
    expect(undecided).toEqual([]);
    for (const kind of keptKinds) {
      expect(restored.map(nameOf)).toContain(kind);
      expect([...Object.keys(itemRules), ...carriedKinds]).not.toContain(kind);
    }
  });

  it("restore no invitation that was revoked since, and none at all if the live tables cannot be trusted", () => {
    for (const kind of ["teams/invitation", "teams/invitation-counts", "teams/invited-address"]) {
      expect(carriedKinds).toContain(kind);
      expect(itemRules[kind]?.apply({ owner: "team#1" }, undefined, false)).toBeUndefined();
    }
  });

  it("drop all single-use items and all cookies if the live tables cannot be trusted", () => {
    const apply = (kind: string, item: object) => itemRules[kind]?.apply({ ...item }, undefined, false);
    for (const kind of ["clients/prekeys", "oauth/refresh-token", "provisioning/scim-token", "clients/nonce"])
      expect(apply(kind, { owner: "somebody" })).toBeUndefined();
    expect(apply("accounts/sessions", { cookies: { 1: {} } })).toEqual({ cookies: {} });
    expect(apply("accounts/account", { passwordHash: "old" })).toEqual({ passwordHash: "old" });
    expect(apply("clients/devices", { devices: { a: {} } })).toEqual({ devices: { a: {} } });
  });

  describe("about MLS groups", () => {
    const groupId = newGroupId({ conversationId: randomUUID(), type: "regular", domain: "example.com" });
    const then = { protocol: "mls", name: "Plans", group: { groupId, epoch: 7, cipherSuite: 1 } };
    const apply = (kind: string, live: object | undefined, isLiveTrusted: boolean) =>
      itemRules[`conversations/${kind}`]?.apply(then, live as Item | undefined, isLiveTrusted);
    const generationOf = (item: Item | undefined) => {
      const { group } = item as { group: { groupId: string; epoch: number } };
      expect(group).toEqual({ groupId: expect.any(String), epoch: 0 });
      return parseGroupId(Buffer.from(group.groupId, "base64"))?.generation;
    };

    it("keep the current epoch, which is that of the devices", () => {
      const group = { groupId, epoch: 9, cipherSuite: 1 };
      expect(apply("conversation", { name: "Damaged", group }, true)).toEqual({ ...then, group });
    });

    it("create an empty one, with an id that no device can know, if the current one is gone or cannot be trusted", () => {
      const lives = [undefined, { group: then.group, isDeleted: true }];
      for (const live of lives) expect(generationOf(apply("conversation", live, true))).toBeGreaterThan(1000);
      for (const kind of ["conversation", "subconversation"])
        expect(generationOf(apply(kind, undefined, false))).toBeGreaterThan(1000);
      for (const kind of ["mls-group", "mls-group-info", "mls-leaves", "mls-departure", "mls-proposal"])
        expect(apply(kind, undefined, false)).toBeUndefined();
    });

    it("give those of unknown subconversations ids that no device can know", () => {
      const count = { subconversations: 2, firstGeneration: 7 };
      const apply = itemRules["conversations/subconversation-count"]?.apply;
      expect(apply?.(count, undefined, false)).toEqual({ ...count, firstGeneration: 65_543 });
      expect(apply?.({}, undefined, false)).toEqual({ firstGeneration: 65_536 });
    });

    it("do not change conversations without one", () => {
      const proteus = { protocol: "proteus", name: "Plans" };
      expect(itemRules["conversations/conversation"]?.apply(proteus, undefined, false)).toEqual(proteus);
    });
  });

  it("take suspension and password from the current account, and a deletion completely", () => {
    const account = itemRules["accounts/account"];
    const then = { name: "Ada", status: "active", passwordHash: "old", sessionEpoch: 1 };
    const today = { name: "Eve", status: "suspended", passwordHash: "new", sessionEpoch: 2 };
    expect(account?.apply(then, today, true)).toEqual({ ...today, name: "Ada" });
    expect(account?.apply(then, { status: "active", sessionEpoch: 2 }, true)).toEqual({
      name: "Ada",
      status: "active",
      sessionEpoch: 2,
    });
    const tombstone = { status: "deleted", name: "default" };
    expect(account?.apply(then, tombstone, true)).toBe(tombstone);
    expect(itemRules["accounts/claim"]?.apply(then, tombstone, true)).toBeUndefined();
  });
});

describe("names of restored tables", () => {
  it("are the same for the same time, fit into 255 characters, and replace the time of an earlier restore", () => {
    expect(targetName("parley-prod-accounts", at)).toBe("parley-prod-accounts-at-20261126T120000Z");
    expect(targetName("parley-prod-accounts-at-20250101T000000Z", at)).toBe(
      targetName("parley-prod-accounts", at),
    );
    expect(targetName("x".repeat(255), at)).toHaveLength(255);
  });

  it("are refused for tables that do not exist, or that the stage lacks", () => {
    expect(() => parseTableNames(["acounts"])).toThrow("There is no table acounts");
    expect(() => replacementsOf(new Map(), at, ["accounts"])).toThrow("The stage has no table accounts");
  });

  it("are refused for tables in use, which must not be changed while functions use them", () => {
    const inUse = new Map([["accounts", targetName("parley-prod-accounts", at)] as const]);
    expect(() => replacementsOf(inUse, at, ["accounts"])).toThrow(
      "The stage uses the tables of that time already: accounts",
    );
    expect(replacementsOf(inUse, new Date(+at + 1000), ["accounts"])).toHaveLength(1);
  });

  it("are refused for tables that are never restored", () => {
    expect(() => parseTableNames(["switches"])).toThrow("switches is never restored");
  });
});

describe("the time of a restore", () => {
  it("must be a complete time in UTC, in the past", () => {
    expect(checkTime("2026-11-26T12:00:00Z", Date.parse("2026-11-26T12:00:01Z"))).toEqual(
      new Date("2026-11-26T12:00:00Z"),
    );
    for (const text of ["yesterday", "2026-11-26", "2026-11-26T12:00:00", "2026-13-26T12:00:00Z", "1"])
      expect(() => checkTime(text, Date.parse("2027-01-01"))).toThrow("The time must be");
    expect(() => checkTime("2026-11-26T12:00:01Z", Date.parse("2026-11-26T12:00:00Z"))).toThrow(
      "The time must be",
    );
  });
});
