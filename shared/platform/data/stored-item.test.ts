import { inspect, isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { StoredItem, storedObject } from "./stored-item.ts";
import { inPlaceOf, isSameContent, withUnknownFields } from "./unknown-fields.ts";
import { UnreadableItemError, unreadableItems } from "./unreadable-item.ts";

const userItem = new StoredItem(
  { table: "accounts", kind: "user", key: ["user#*", "user"], subject: { user: "partition" } },
  storedObject({
    name: z.string(),
    devices: z.record(z.string(), storedObject({ label: z.string().optional() })),
    assets: z.array(storedObject({ key: z.string() })),
    note: z.string().optional(),
  }),
);
const known = { name: "Ada", devices: { a: { label: "Phone" } }, assets: [{ key: "1" }] };
const stored = {
  pk: "user#1",
  sk: "user",
  purgeAtSeconds: 1,
  writeId: "w",
  name: "Ada",
  mood: "good",
  devices: { a: { label: "Phone", colour: "red" } },
  assets: [{ key: "1", width: 3 }],
};
const withoutBookkeeping = {
  name: "Ada",
  mood: "good",
  devices: { a: { label: "Phone", colour: "red" } },
  assets: [{ key: "1", width: 3 }],
};

describe("what a version does not know of an item", () => {
  it("is kept when the item is changed and stored again, also in nested objects", () => {
    const { note: _, ...user } = userItem.parse(stored);
    const changed = { ...user, name: "Bea", devices: { ...user.devices, b: {} } };
    expect(withUnknownFields(changed)).toMatchObject({
      ...withoutBookkeeping,
      name: "Bea",
      devices: { a: { label: "Phone", colour: "red" }, b: {} },
    });
    const renewed = inPlaceOf(user, { name: "Cid", devices: {}, assets: [] });
    expect(withUnknownFields(renewed)).toMatchObject({ name: "Cid", mood: "good" });
  });

  it("is invisible elsewhere: neither in JSON nor among the names of fields", () => {
    const user = userItem.parse(stored);
    expect(JSON.parse(JSON.stringify(user))).toStrictEqual(known);
    expect(Object.keys(user)).toEqual(Object.keys(known));
    expect(z.looseObject({}).parse(user)).not.toHaveProperty("mood");
  });

  it("makes no difference where contents are compared", () => {
    const user = userItem.parse(stored);
    expect([isDeepStrictEqual(user, known), isSameContent(user, known)]).toEqual([false, true]);
    expect(isSameContent({ ...user, name: "Bea" }, known)).toBe(false);
  });

  it("does not include keys and times of expiry, which every write sets itself", () => {
    const { pk, sk, purgeAtSeconds, writeId, ...contents } = stored;
    expect(userItem.parse({ pk, sk, purgeAtSeconds, writeId, ...known })).toStrictEqual(known);
    expect(Object.keys(withUnknownFields(userItem.parse(stored)))).toEqual(
      expect.arrayContaining(Object.keys(contents)),
    );
    expect(withUnknownFields(userItem.parse(stored))).not.toHaveProperty("pk");
  });

  it("costs no copy where there is none", () => {
    expect(withUnknownFields(known)).toBe(known);
    const bytes = { leaves: new Uint8Array([1]), names: new Set(["a"]) };
    expect(withUnknownFields(bytes)).toBe(bytes);
  });
});

describe("an item that cannot be read", () => {
  const broken = { ...stored, name: 7, devices: { "192.0.2.1": { label: 1 } } };

  it("is a separate error, which names the kind and attributes, but no personal data", () => {
    const error = (() => {
      try {
        return userItem.parse(broken);
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toBeInstanceOf(UnreadableItemError);
    expect(error).toMatchObject({ table: "accounts", kind: "user", fields: ["name", "devices"] });
    expect(inspect(error)).not.toMatch(/192\.0\.2\.1|user#1|Phone/);
  });

  it("counts as absent where the caller wants that, and is reported nevertheless", () => {
    const reported: unknown[] = [];
    const note = (error: unknown) => reported.push(error);
    unreadableItems.subscribe(note);
    expect(userItem.parseOrAbsent(broken)).toBeUndefined();
    unreadableItems.unsubscribe(note);
    expect(reported).toEqual([expect.any(UnreadableItemError)]);
  });
});
