import { randomUUID } from "node:crypto";
import { prefixOf, type Retention, retentionSpec, retentions } from "#shared/registry/buckets.ts";

/** The parts of an asset's key. */
export interface AssetKey {
  /** In lower case. */
  readonly text: string;
  readonly retention: Retention;
  /** Name of the object that holds the bytes. */
  readonly objectName: string;
}

const retentionOf = new Map(
  Object.entries(retentions).map(([name, { number }]) => [String(number), name as Retention]),
);

const pattern = /^3-([1-5])-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Reads `3-<number of the retention>-<uuid>`. @returns undefined for anything else */
export function parseAssetKey(text: string): AssetKey | undefined {
  const lowerCased = text.toLowerCase();
  const [, number = "", uuid] = pattern.exec(lowerCased) ?? [];
  const retention = retentionOf.get(number);
  if (retention === undefined) return undefined;
  return { text: lowerCased, retention, objectName: `${prefixOf(retention)}${uuid}` };
}

/** Creates a key that nobody can guess. */
export function newAssetKey(retention: Retention): AssetKey {
  const uuid = randomUUID();
  const text = `3-${retentionSpec(retention).number}-${uuid}`;
  return { text, retention, objectName: `${prefixOf(retention)}${uuid}` };
}

const dayMilliseconds = 86_400_000;

/** When an asset expires, in Unix milliseconds; undefined for an unlimited retention. */
export function expiryOf(retention: Retention, createdAt: number): number | undefined {
  const { days } = retentionSpec(retention);
  return days === undefined ? undefined : createdAt + days * dayMilliseconds;
}
