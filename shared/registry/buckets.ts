import type { TableName } from "./tables.ts";

/** The owners of a bucket's objects: an item names the owner of each, or the reason why they belong to nobody. */
type BucketSubject = { readonly items: `${TableName}/${string}` } | { readonly nobody: string };

/** One S3 bucket: how long it keeps objects, by the prefix of their names; others stay until deleted. */
export interface BucketSpec {
  readonly subject: BucketSubject;
  readonly daysByPrefix: Readonly<Record<string, number>>;
  /** Name prefixes of objects that are large and seldom read. */
  readonly seldomRead: readonly string[];
  /** Whether nobody can change or delete objects for `auditRetentionDays`; web pages cannot read them, either. */
  readonly isLocked?: true;
}

interface RetentionSpec {
  /** Its number in the keys of assets. */
  readonly number: number;
  /** Absent: an asset stays until deleted. */
  readonly days?: number;
}

/** How long uploaded files are kept. */
export const retentions = {
  eternal: { number: 1 },
  persistent: { number: 2 },
  volatile: { number: 3, days: 28 },
  "eternal-infrequent_access": { number: 4 },
  expiring: { number: 5, days: 365 },
} as const satisfies Record<string, RetentionSpec>;

export type Retention = keyof typeof retentions;

export const retentionSpec = (retention: Retention): RetentionSpec => retentions[retention];

/** Name prefix of all objects with a retention. */
export const prefixOf = (retention: Retention) => `v3/${retention}/`;

/** Every bucket. CDK, the local runner and the functions' grants read this registry. */
export const buckets = {
  /** Files that users upload. */
  assets: {
    subject: { items: "assets/asset" },
    daysByPrefix: {
      [prefixOf("volatile")]: retentions.volatile.days,
      [prefixOf("expiring")]: retentions.expiring.days,
    },
    seldomRead: [prefixOf("eternal-infrequent_access")],
  },
  /** Files of the audit trail. */
  audit: {
    subject: { nobody: "who has done what, by ids, which stays known until its retention ends" },
    daysByPrefix: {},
    seldomRead: [],
    isLocked: true,
  },
} as const satisfies Record<string, BucketSpec>;

export type BucketName = keyof typeof buckets;
