import { describe, expect, it } from "vitest";
import { parseSettings } from "#shared/registry/settings.ts";
import { allItemKinds, kindOf } from "../releases/item-kinds.ts";
import { addressNames } from "./find-items.ts";
import { type Item, isNamedIn, isOf } from "./person.ts";
import { withoutSecrets } from "./without-secrets.ts";

await allItemKinds();
const userId = "8f5a29f4-04ca-4a53-a4ff-49cc2ae8a09d";
const names = new Set([userId, "ada@example.com", "+4917212345678", "ada"]);
const isHers = (table: Parameters<typeof kindOf>[0], item: Item) => {
  const kind = kindOf(table, item);
  return kind !== undefined && isOf(kind, item, names);
};

it("an item belongs to the person whom its partition key names", () => {
  expect(isHers("accounts", { pk: `user#${userId}`, sk: "account" })).toBe(true);
  expect(isHers("accounts", { pk: "email#ada@example.com", sk: "password-checks#192.0.2.1" })).toBe(true);
  expect(isHers("clients", { owner: `device#${userId}#1`, entry: "last" })).toBe(true);
  expect(isHers("clients", { owner: "device#other#1", entry: "last" })).toBe(false);
  expect(isHers("connections", { owner: "user#other", entry: `peer#${userId}` })).toBe(false);
});

it("an item belongs to the person whom its attributes name: alone, within a list or object, or after a prefix", () => {
  expect(isHers("oauth", { owner: "code#hash", entry: "code", userId })).toBe(true);
  expect(isHers("oauth", { owner: "code#hash", entry: "code", userId: "other" })).toBe(false);
  expect(isHers("sockets", { owner: "endpoint#1", entry: "users", userIds: ["other", userId] })).toBe(true);
  expect(isHers("sockets", { owner: "endpoint#1", entry: "users", userIds: new Set([userId]) })).toBe(true);
  expect(isHers("teams", { owner: "team#1", entry: `admin#${userId}` })).toBe(true);
  const activations = [{ email: "ada@example.com" }];
  expect(isHers("codes", { codeKey: "activation#hash", activations })).toBe(true);
  expect(isHers("mail-suppressions", { address: "ada@example.com" })).toBe(true);
});

it("a name is found anywhere in an item", () => {
  expect(isNamedIn({ list: [{ text: `from ${userId}` }] }, names)).toBe(true);
  expect(isNamedIn({ set: new Set([userId]) }, names)).toBe(true);
  expect(isNamedIn({ bytes: Buffer.from(`${userId}:device`) }, names)).toBe(true);
  expect(isNamedIn({ [userId]: 1 }, names)).toBe(true);
  expect(isNamedIn({ text: `0${userId.toUpperCase()}@parley.example` }, names)).toBe(true);
  expect(isNamedIn({ text: "Ada <ada@example.com>, +4917212345678" }, names)).toBe(true);
  expect(isNamedIn({ bytes: Buffer.from("\u000fada@example.com.") }, names)).toBe(true);
  expect(isNamedIn({ phone: "tel:+4917212345678" }, names)).toBe(true);
  expect(isNamedIn({ owner: "handle#ada" }, names)).toBe(true);
  expect(isNamedIn({ text: "adamant" }, names)).toBe(false);
  expect(isNamedIn({ text: "somebody else" }, names)).toBe(false);
});

it("secret attributes are left out at any depth, and so are secret ids of entries", () => {
  const item = { a: 1, list: [{ hash: "x", b: 2 }], byId: { secret: { c: 3 } }, bytes: Buffer.from("ab") };
  const subject = { user: "partition", secrets: ["hash", "byId{}"] } as const;
  expect(withoutSecrets(item, subject)).toEqual({ a: 1, list: [{ b: 2 }], byId: [{ c: 3 }], bytes: "YWI=" });
});

describe("names that only the operator knows", () => {
  it.each([
    ["Ada@Example.com", "ada@example.com"],
    ["+491701234567", "+491701234567"],
    ["@AdaL", "adal"],
  ])("%s is looked for as %s", (given, sought) => {
    expect(addressNames([given], parseSettings({}))).toContain(sought);
  });
});
