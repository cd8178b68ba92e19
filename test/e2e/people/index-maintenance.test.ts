import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { createDeps, updateAll } from "#functions/people/search-indexer/handler.ts";
import { indexUpdate, userIndexUpdate } from "#shared/accounts/index-update.ts";
import type { PendingMessage } from "#shared/platform/messaging/pending-messages.ts";
import { createRuntime } from "#shared/runtime/runtime.ts";
import { outcome } from "../../support/api.ts";
import { addCrowd } from "../../support/crowds.ts";
import { withEffects } from "../../support/effects.ts";
import { eventually } from "../../support/eventually.ts";
import { injectFaults, isOfFault } from "../../support/faults.ts";
import { type OwnStack, ownStack } from "../../support/own-stack.ts";
import { idsIn, newWord, search } from "../../support/search.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { newUser } from "../../support/users.ts";

/** The search indexer of a stack, whose functions know nothing of it. */
const indexerOf = ({ prefix, clock }: OwnStack) =>
  createDeps({ ...createRuntime("test", stackConfig(prefix)), clock });

const refresh = async ({ internalApi }: OwnStack) => outcome(await internalApi("POST", "/i/index/refresh"));
const reindex = async ({ internalApi }: OwnStack) => outcome(await internalApi("POST", "/i/index/reindex"));

describe.concurrent("POST /i/index/refresh", () => {
  let stack: OwnStack;
  beforeAll(async () => {
    stack = await ownStack();
  });

  it("returns once search shows the changes before it", async () => {
    const { publicApi } = stack;
    const [user, searcher] = await Promise.all([newUser({}, stack), newUser({}, stack)]);
    for (const name of [newWord(), newWord(), newWord()]) {
      expect((await publicApi("PUT", "/self", { token: user.token, json: { name } })).status).toBe(200);
      expect(await refresh(stack)).toBe("200");
      expect(idsIn(await search(searcher, name, { publicApi }))).toEqual([user.id]);
    }
  });

  it("waits for a slow indexer", async () => {
    const { searchIndex } = indexerOf(stack);
    const [user, name] = [await newUser({}, stack), newWord()];
    const endFaults = injectFaults(({ action, body }) =>
      action === "TransactWriteItems" && body.includes(`user#${user.id}`) && body.includes(`"${name} `)
        ? "late"
        : undefined,
    );
    // Starts at once, so that the refresh has to wait.
    await withEffects(async () => {
      await stack.publicApi("PUT", "/self", { token: user.token, json: { name } });
      expect((await searchIndex.recordOf(user.id)).revision).toBe(0);
      expect(await refresh(stack)).toBe("200");
      expect((await searchIndex.recordOf(user.id)).entries).not.toEqual([]);
    }).finally(endFaults);
  });

  it("returns once search shows the changes before it, even during another refresh", async () => {
    const { publicApi } = stack;
    const searcher = await newUser({}, stack);
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const name = newWord();
        const { id, token } = await newUser({}, stack);
        await publicApi("PUT", "/self", { token, json: { name } });
        expect(await refresh(stack)).toBe("200");
        expect(idsIn(await search(searcher, name, { publicApi }))).toEqual([id]);
      }),
    );
  });

  it("returns 503 index-not-refreshed after ten seconds in which a change was not indexed, and 200 later", async () => {
    const own = await ownStack();
    const { dynamo, outbox, outboxWorker } = indexerOf(own);
    // Committed, but as if its function had died before sending it to the queue, and as if a worker had leased it.
    const { key, commitAlone } = userIndexUpdate(outbox, randomUUID());
    await commitAlone(dynamo);
    await outboxWorker.lease(key, 3600);
    const startedAt = performance.now();
    expect(await refresh(own)).toBe("503 index-not-refreshed");
    expect(performance.now() - startedAt).toBeGreaterThan(9000);
    await outboxWorker.complete(key);
    expect(await refresh(own)).toBe("200");
  }, 40_000);

  it("is not public, and neither is reindexing", async () => {
    for (const path of ["/i/index/refresh", "/i/index/reindex"]) {
      expect((await stack.publicApi("POST", path)).status).toBe(404);
    }
  });
});

describe("POST /i/index/reindex", () => {
  /** More users than one message brings up to date, none of them in the index. */
  const size = 200;
  let stack: OwnStack;
  let team: Team;
  let members: string[];
  beforeAll(async () => {
    stack = await ownStack({}, { expectsError: isOfFault });
    team = await newTeam({}, stack);
    members = await addCrowd(team, { size }, stack.prefix);
  });
  const found = async () => (await stack.publicApi("GET", `/teams/${team.id}/search`, team.owner)).body.found;
  const recordsOf = (deps: ReturnType<typeof indexerOf>, userIds: readonly string[]) =>
    Promise.all(userIds.map((userId) => deps.searchIndex.recordOf(userId)));
  const passesIn = async (deps: ReturnType<typeof indexerOf>) => {
    const messages: PendingMessage[] = [];
    for await (const message of deps.pendingMessages.of("search-index")) messages.push(message);
    return messages.map(({ payload }) => indexUpdate.parse(payload)).filter((one) => "scope" in one);
  };

  it("goes on with one message, however often its messages are delivered", async () => {
    const deps = indexerOf(stack);
    await updateAll(deps, { scope: "everybody", orderedAt: stack.clock() });
    const [next, ...others] = await passesIn(deps);
    expect(others).toEqual([]);
    if (next === undefined) throw new Error("The pass has ended");
    await Promise.all([updateAll(deps, next), updateAll(deps, next), updateAll(deps, next)]);
    // The one that was handled is still there, because nobody has completed it.
    expect(await passesIn(deps)).toHaveLength(2);
    await updateAll(deps, next);
    expect(await passesIn(deps)).toHaveLength(2);
    const indexed = (await recordsOf(deps, members)).filter(({ revision }) => revision > 0);
    expect(indexed.length).toBeGreaterThanOrEqual(179);
  });

  it("updates all users even if its function dies after a step", async () => {
    const deps = indexerOf(stack);
    let steps = 0;
    const endFaults = injectFaults(({ action, body }) =>
      action === "TransactWriteItems" &&
      body.includes("everybody") &&
      body.includes(stack.prefix) &&
      ++steps === 2
        ? "dies-after"
        : undefined,
    );
    const before = (await recordsOf(deps, members)).map(({ revision }) => revision);
    await withEffects(async () => {
      expect(await reindex(stack)).toBe("202");
      await eventually(() => expect(steps).toBeGreaterThanOrEqual(2));
      // After a minute, the sweeper sends what the dead function did not.
      stack.advance(60);
      await stack.invoke("outbox-sweeper", {});
      expect(await refresh(stack)).toBe("200");
    }).finally(endFaults);
    const after = (await recordsOf(deps, members)).map(({ revision }) => revision);
    expect(after.every((revision, index) => revision > (before[index] ?? 0))).toBe(true);
    expect(await passesIn(deps)).toEqual([]);
  });

  it("brings all users up to date, makes a refresh wait, and ends earlier passes", async () => {
    const deps = indexerOf(stack);
    expect(await reindex(stack)).toBe("202");
    expect(await refresh(stack)).toBe("200");
    expect(await found()).toBe(size + 1);
    expect((await recordsOf(deps, members)).filter(({ revision }) => revision === 0)).toEqual([]);
    expect(await passesIn(deps)).toEqual([]);
    const before = (await recordsOf(deps, members)).map(({ revision }) => revision);
    expect(await Promise.all([reindex(stack), reindex(stack)])).toEqual(["202", "202"]);
    expect(await refresh(stack)).toBe("200");
    const after = (await recordsOf(deps, members)).map(({ revision }) => revision);
    expect(after.every((revision, index) => revision > (before[index] ?? 0))).toBe(true);
  });
});
