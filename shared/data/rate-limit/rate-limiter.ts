import { type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import ipaddr from "ipaddr.js";
import { type Clock, toSeconds } from "../../clock.ts";
import type { Config } from "../../config.ts";
import { onConditionFailed, retryStale, StaleReadError } from "../conditions.ts";
import { type BucketLimits, type BucketTat, takeToken } from "../token-bucket.ts";

/** Token buckets shared by all function instances. Access pattern: by bucket name. */
export class RateLimiter {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #clock: Clock;

  constructor(client: DynamoDBDocumentClient, config: Config, clock: Clock) {
    this.#client = client;
    this.#tableName = config.tableName("rate-limits");
    this.#clock = clock;
  }

  /** One write while the bucket is full. @throws ApiError `too-many-requests` when it is empty */
  async take(bucket: string, limits: BucketLimits): Promise<void> {
    if (limits.refillSeconds === 0) return;
    let tat: BucketTat;
    await retryStale(async () => {
      const now = this.#clock();
      const next = takeToken(tat, limits, now) ?? now;
      const update = new UpdateCommand({
        TableName: this.#tableName,
        Key: { bucket },
        UpdateExpression: "SET tat = :next, purgeAtSeconds = :purge",
        ConditionExpression: tat === undefined ? "attribute_not_exists(tat) OR tat <= :now" : "tat = :tat",
        ExpressionAttributeValues: {
          ":next": next,
          ":purge": toSeconds(next) + 1,
          ...(tat === undefined ? { ":now": now } : { ":tat": tat }),
        },
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      });
      await onConditionFailed(this.#client.send(update), (existing) => {
        tat = existing?.tat as BucketTat;
        throw new StaleReadError(bucket);
      });
    });
  }
}

/** Bucket name of a caller's network: an IPv4 address, or the /64 of an IPv6 one. */
export function networkBucket(scope: string, address: string): string {
  const parsed = ipaddr.isValid(address) ? ipaddr.process(address) : undefined;
  const network =
    parsed instanceof ipaddr.IPv6
      ? `${parsed.parts
          .slice(0, 4)
          .map((part) => part.toString(16))
          .join(":")}::/64`
      : address;
  return `${scope}#${network}`;
}
