import { randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { injectFaults, withLostAnswers } from "../../../test/support/faults.ts";
import type { Config } from "../config.ts";
import { createDynamo } from "../data/dynamo.ts";
import { RateLimiter } from "./rate-limiter.ts";
import { RateLimitedError } from "./token-bucket.ts";

const config = { tableName: (name) => `test-${name}` } as Config;
const dynamo = createDynamo();
const limits = { burst: 30, refillSeconds: 60 };

/** A limiter whose clock shows this second. */
const limiterAt = (seconds: number) => new RateLimiter({ dynamo, config, clock: () => seconds * 1000 });

describe("the rate limiter", () => {
  it("gives 80 concurrent requests as many tokens as the bucket holds, and refuses the others", async () => {
    const bucket = randomUUID();
    const limiter = limiterAt(1000);
    const results = await Promise.allSettled(Array.from({ length: 80 }, () => limiter.take(bucket, limits)));
    const refusals = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    expect(refusals).toHaveLength(50);
    for (const refusal of refusals) {
      expect(refusal).toBeInstanceOf(RateLimitedError);
      expect(refusal).toMatchObject({ retryAfterSeconds: 60 });
    }
  });

  it("refills a token at a time, up to a full bucket", async () => {
    const bucket = randomUUID();
    const small = { burst: 2, refillSeconds: 60 };
    const take = (seconds: number) => limiterAt(seconds).take(bucket, small);
    await take(1000);
    await take(1000);
    await expect(take(1059)).rejects.toThrow(RateLimitedError);
    await take(1060);
    await expect(take(1060)).rejects.toMatchObject({ retryAfterSeconds: 60 });
    await take(5000);
    await take(5000);
    await expect(take(5000)).rejects.toThrow(RateLimitedError);
  });

  it("gives all tokens to concurrent requests whose clocks differ by milliseconds", async () => {
    const bucket = randomUUID();
    const take = (seconds: number) => limiterAt(seconds).take(bucket, { burst: 3, refillSeconds: 60 });
    await take(1000);
    await take(999.998);
    await take(999.9);
    await expect(take(1000.1)).rejects.toThrow(RateLimitedError);
  });

  it("takes a token from each of several buckets, or from none", async () => {
    const [full, small] = [randomUUID(), randomUUID()];
    const limiter = limiterAt(1000);
    const takeBoth = () =>
      limiter.takeAll([
        [full, { burst: 3, refillSeconds: 60 }],
        [small, { burst: 1, refillSeconds: 60 }],
      ]);
    await takeBoth();
    for (let attempt = 0; attempt < 5; attempt++) await expect(takeBoth()).rejects.toThrow(RateLimitedError);
    const takeFull = () => limiter.take(full, { burst: 3, refillSeconds: 60 });
    await takeFull();
    await takeFull();
    await expect(takeFull()).rejects.toThrow(RateLimitedError);
  });

  it("refuses with the same error when it cannot give tokens back", async () => {
    const [full, empty] = [randomUUID(), randomUUID()];
    const limiter = limiterAt(1000);
    await limiter.take(empty, { burst: 1, refillSeconds: 60 });
    onTestFinished(injectFaults(({ body }) => (body.includes("tat - :interval") ? "denied" : undefined)));
    const takeBoth = limiter.takeAll([
      [full, limits],
      [empty, { burst: 1, refillSeconds: 60 }],
    ]);
    await expect(takeBoth).rejects.toThrow(RateLimitedError);
  });

  it("takes one token even if DynamoDB's answers are lost", async () => {
    const bucket = randomUUID();
    const take = () => limiterAt(1000).take(bucket, { burst: 3, refillSeconds: 60 });
    await withLostAnswers(take);
    await withLostAnswers(take);
    await take();
    await expect(take()).rejects.toMatchObject({ retryAfterSeconds: 60 });
  });
});
