import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { isSameContent, withUnknownFields } from "#shared/platform/data/unknown-fields.ts";
import type { TableName } from "#shared/registry/tables.ts";
import { mapObjects } from "../../test/support/stored-shapes.ts";
import { allItemKinds, type ItemSnapshots, kindOf, nameOf } from "./item-kinds.ts";
import { fromSample, type StoredSample } from "./item-samples.ts";

const folder = join(import.meta.dirname, "../../releases");
const kinds = await allItemKinds();

/** Kinds without samples: one is too large, one is written by an update and removed again. */
const unrecorded = new Set(["outbox/part", "provisioning/default-provider"]);

const withMarks = (name: string, value: unknown): unknown =>
  mapObjects(schemaOf(name), value, (object) => ({ ...object, unknownToThisVersion: "kept" }));
const schemaOf = (name: string) => {
  const kind = kinds.find((one) => nameOf(one) === name);
  if (kind === undefined) throw new Error(`Nobody declares ${name}`);
  return kind.schema;
};

/** The item that this version stores again: as it was read, except for attributes that stores write in another form. */
function rewritten(item: StoredSample, parsed: unknown): StoredSample {
  const stored = Object.entries(withUnknownFields(parsed as StoredSample));
  return {
    ...item,
    ...Object.fromEntries(stored.filter(([name, value]) => isSameContent(value, item[name]))),
  };
}

/** Reads items with the code of a release. */
const readerOf = (snapshots: ItemSnapshots, name: string) =>
  z.fromJSONSchema(
    JSON.parse(JSON.stringify(snapshots[name]?.shape ?? false), (key, value) =>
      key === "type" && (value === "set" || value === "bytes") ? undefined : value,
    ),
  );

describe.each(readdirSync(folder))("items stored by version %s", (version) => {
  const snapshots: ItemSnapshots = JSON.parse(readFileSync(join(folder, version, "items.json"), "utf8"));
  const samples = readdirSync(join(folder, version, "items")).flatMap((file) => {
    const table = file.replace(".json", "") as TableName;
    const ofTable: Record<string, StoredSample[]> = JSON.parse(
      readFileSync(join(folder, version, "items", file), "utf8"),
      fromSample,
    );
    return Object.entries(ofTable).flatMap(([kind, items]) => items.map((item) => ({ table, kind, item })));
  });

  it("include every kind that tests can leave behind", () => {
    const kept = new Set(samples.map(({ table, kind }) => `${table}/${kind}`));
    expect(Object.keys(snapshots).filter((name) => !kept.has(name) && !unrecorded.has(name))).toEqual([]);
  });

  it("belong to the kind under which they are filed", () => {
    const strangers = samples.filter(({ table, kind, item }) => kindOf(table, item)?.kind !== kind);
    expect(strangers).toEqual([]);
  });

  it.each([...new Set(samples.map(({ table, kind }) => `${table}/${kind}`))])(
    "can be read, stored again without a loss, and read by both versions: %s",
    (name) => {
      const kind = kinds.find((one) => nameOf(one) === name);
      const reader = readerOf(snapshots, name);
      for (const { item } of samples.filter((sample) => `${sample.table}/${sample.kind}` === name)) {
        const newer = withMarks(name, item) as StoredSample;
        const parsed = kind?.parse(newer);
        const again = rewritten(newer, parsed);
        expect(again).toStrictEqual(newer);
        expect(isSameContent(kind?.parse(again), kind?.parse(item))).toBe(true);
        expect(reader.safeParse(again).error).toBeUndefined();
      }
    },
  );
});
