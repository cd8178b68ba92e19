import { createHash, randomBytes } from "node:crypto";
import * as z from "zod";
import { type Clock, toSeconds } from "#shared/platform/clock.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { Table } from "#shared/platform/data/table.ts";

/** A challenge, as stored. */
const challengeItem = storedItem(
  {
    table: "domains",
    kind: "challenge",
    key: ["challenge#*", "challenge"],
    subject: { nobody: "whoever proves the domain" },
  },
  storedObject({
    challengeId: z.uuid(),
    domain: z.string(),
    tokenHash: z.string(),
    dnsVerificationToken: z.string(),
    /** Unix seconds. */
    expiresAt: z.int(),
  }),
);
export type Challenge = Stored<typeof challengeItem>;

/** A random token: 32 bytes in base64url, without padding. */
export const newDomainToken = () => randomBytes(32).toString("base64url");

/** The stored hash of a token that its holder presents again. */
export const hashDomainToken = (token: string) => createHash("sha256").update(token).digest("base64url");

const challengeKey = (challengeId: string) => ({ owner: `challenge#${challengeId}`, entry: "challenge" });

/** Challenges to prove a domain. Access pattern: by id. Nothing reads all challenges of a domain. */
export class ChallengeStore {
  readonly #table: Table<"domains">;
  readonly #clock: Clock;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "domains");
    this.#clock = context.clock;
  }

  async create(challenge: Challenge): Promise<void> {
    await this.#table.put({
      ...challengeKey(challenge.challengeId),
      ...challenge,
      purgeAtSeconds: challenge.expiresAt,
    });
  }

  /** A challenge that has not expired. */
  async get(challengeId: string): Promise<Challenge | undefined> {
    const item = await this.#table.get(challengeKey(challengeId));
    const challenge = item && challengeItem.parseOrAbsent(item);
    return challenge !== undefined && challenge.expiresAt > toSeconds(this.#clock()) ? challenge : undefined;
  }

  /** Use up a challenge; one of two concurrent uses is rejected, as `StaleReadError`. */
  consume({ challengeId }: Challenge): Write {
    return this.#table.deleteWrite(challengeKey(challengeId), {
      ConditionExpression: "attribute_exists(entry)",
    });
  }
}
