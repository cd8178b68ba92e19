import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { storedObject } from "#shared/platform/data/stored-item.ts";
import { acceptedItemChanges } from "./accepted-item-changes.ts";
import { itemChanges } from "./compare-items.ts";
import { type ItemSnapshots, shapeOf, snapshotItems } from "./item-kinds.ts";

const folder = join(import.meta.dirname, "../../releases");
const present = await snapshotItems();

it.each(readdirSync(folder))("items and code of version %s are compatible with this version", (version) => {
  const released: ItemSnapshots = JSON.parse(readFileSync(join(folder, version, "items.json"), "utf8"));
  const changes = itemChanges(released, present);
  // If this fails, each sentence advises what to do.
  expect(
    changes.filter(
      (change) => !Object.keys(acceptedItemChanges).some((one) => change.startsWith(`${one}. `)),
    ),
  ).toEqual([]);
});

describe("the comparison of two releases", () => {
  const released = {
    name: z.string(),
    status: z.enum(["active", "suspended"]),
    note: z.string().optional(),
    cookies: z.record(z.string(), storedObject({ id: z.int() })),
    redirect: z.discriminatedUnion("kind", [storedObject({ kind: z.literal("none") })]),
  };
  const snapshotOf = (shape: z.ZodRawShape, key = ["user#*", "account"]): ItemSnapshots => ({
    "accounts/account": { key, shape: shapeOf(storedObject(shape)) },
  });
  const changesTo = (shape: z.ZodRawShape) =>
    itemChanges(snapshotOf(released), snapshotOf({ ...released, ...shape })).map(
      (text) => text.split(". ")[0],
    );

  it("allows new optional fields and new kinds", () => {
    expect(changesTo({ since: z.int().optional() })).toEqual([]);
    const after = { ...snapshotOf(released), "accounts/block": { key: ["*"], shape: {} } };
    expect(itemChanges(snapshotOf(released), after)).toEqual([]);
  });

  it("finds an optional field that has another name", () => {
    const { note, ...others } = released;
    const renamed = itemChanges(snapshotOf(released), snapshotOf({ ...others, remark: note }));
    expect(renamed.map((text) => text.split(". ")[0])).toEqual(["accounts/account.note is gone"]);
  });

  it("allows further alternatives of a key, but none to disappear", () => {
    const keyChanges = (before: string[], after: string[]) =>
      itemChanges(snapshotOf(released, before), snapshotOf(released, after)).length;
    expect(keyChanges(["email#*|phone#*", "claim"], ["email#*|phone#*|handle#*", "claim"])).toBe(0);
    expect(keyChanges(["email#*|phone#*", "claim"], ["email#*|handle#*", "claim"])).toBe(1);
    expect(keyChanges(["email#*", "claim"], ["email#*"])).toBe(1);
  });

  it.each<[z.ZodRawShape, string]>([
    [{ since: z.int() }, "accounts/account.since is required"],
    [{ note: z.string() }, "accounts/account.note is required"],
    [{ name: z.string().optional() }, "accounts/account.name is no longer required"],
    [{ name: z.int() }, "accounts/account.name is integer instead of string"],
    [{ name: z.uuid() }, "accounts/account.name must be a uuid"],
    [{ name: z.string().max(5) }, "accounts/account.name has the maxLength 5 instead of Infinity"],
    [{ status: z.enum(["active"]) }, 'accounts/account.status may no longer be "suspended"'],
    [{ status: z.enum(["active", "suspended", "gone"]) }, 'accounts/account.status may be "gone"'],
    [
      { cookies: z.record(z.string(), storedObject({ id: z.int(), label: z.string() })) },
      "accounts/account.cookies.*.label is required",
    ],
    [
      {
        redirect: z.discriminatedUnion("kind", [
          storedObject({ kind: z.literal("none") }),
          storedObject({ kind: z.literal("sso") }),
        ]),
      },
      'accounts/account.redirect may be kind "sso"',
    ],
  ])("finds %#: %s", (shape, finding) => {
    expect(changesTo(shape)).toEqual([finding]);
  });

  it("finds a field, a kind or a key that is gone, and advises what to do", () => {
    const { name: _, ...others } = released;
    expect(itemChanges(snapshotOf(released), snapshotOf(others))).toEqual([
      "accounts/account.name is no longer required. The version before needs it: keep it required, and write it, for one more release.",
    ]);
    expect(itemChanges(snapshotOf(released), {})[0]).toContain(
      "accounts/account is gone. Items that are stored",
    );
    expect(itemChanges(snapshotOf(released), snapshotOf(released, ["user#*", "profile"]))).toHaveLength(1);
  });
});
