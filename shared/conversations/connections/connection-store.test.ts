import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { systemClock } from "#shared/platform/clock.ts";
import type { Config } from "#shared/platform/config.ts";
import { StaleReadError, transact, type Write } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import type { Connection, ConnectionPair, ConnectionStatus } from "./connection.ts";
import { ConnectionLimitError, ConnectionStore } from "./connection-store.ts";

const dynamo = createDynamo();
const settings = parseSettings({ setUserMaxConnections: 1 });
const config = { settings, tableName: (name: string) => `test-${name}` } as Config;
const store = new ConnectionStore({ dynamo, config, clock: systemClock });

const commit = (writes: readonly Write[]) => transact(dynamo, writes);

const row = (userId: string, peerId: string, status: ConnectionStatus, revision = 1): Connection => ({
  userId,
  peerId,
  status,
  updatedAt: 0,
  revision,
});

/** Two users of whom one has asked the other. */
async function newPair(
  userId: string = randomUUID(),
  peerId: string = randomUUID(),
): Promise<ConnectionPair> {
  const pair = { own: row(userId, peerId, "sent"), other: row(peerId, userId, "pending") };
  await commit(store.save(undefined, pair));
  return pair;
}

async function accept(pair: ConnectionPair): Promise<ConnectionPair> {
  const { userId, peerId } = pair.own;
  const next = { own: row(userId, peerId, "accepted", 2), other: row(peerId, userId, "accepted", 2) };
  await commit(store.save(pair, next));
  return next;
}

describe.concurrent("stored connections", () => {
  it("are removed on both sides, which frees the place of the other user", async () => {
    const { own, other } = await accept(await newPair());
    await commit(store.removeBoth({ own, other }));

    expect(await store.getPair(own.userId, own.peerId)).toBeUndefined();
    await newPair(own.peerId);
    await expect(newPair(own.userId)).rejects.toThrow(ConnectionLimitError);
    await commit([store.removeCounter(own.userId)]);
    await newPair(own.userId);
  });

  it("are not removed once a side was changed or removed since it was read", async () => {
    const before = await newPair();
    const after = await accept(before);

    await expect(commit(store.removeBoth(before))).rejects.toThrow(StaleReadError);
    await commit(store.removeBoth(after));
    await expect(commit(store.removeBoth(after))).rejects.toThrow(StaleReadError);
  });

  it("count towards the limit while they are sent or accepted", async () => {
    const userId = randomUUID();
    const pair = await newPair(userId);
    await expect(newPair(userId)).rejects.toThrow(ConnectionLimitError);
    await newPair(randomUUID(), userId);
    const blocked = { own: row(userId, pair.own.peerId, "blocked", 2), other: pair.other };
    await commit(store.save(pair, blocked));
    await newPair(userId);
  });
});
