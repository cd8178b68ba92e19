import { setTimeout as delay } from "node:timers/promises";
import { GetQueueAttributesCommand, SQSClient } from "@aws-sdk/client-sqs";
import { interceptAwsCalls } from "#lib/local/aws-calls.ts";
import type { Emulators } from "#lib/local/emulators/emulators.ts";
import { passesOf } from "#lib/local/lineage.ts";
import { runningFunction } from "#lib/local/running-function.ts";
import { startStack } from "#lib/local/stack.ts";
import { SearchIndexStore } from "#shared/accounts/search/search-index-store.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { PendingMessages } from "#shared/platform/messaging/pending-messages.ts";
import type { QueueName } from "#shared/registry/queues.ts";
import { TeamStore } from "#shared/teams/team-store.ts";
import { apiAt } from "../test/support/api.ts";
import { addCrowd, addPeople } from "../test/support/crowds.ts";
import { waitPatiently } from "../test/support/patient-calls.ts";
import { stackConfig } from "../test/support/stack-config.ts";
import { newTeam } from "../test/support/teams.ts";
import { testSettings } from "../test/support/test-settings.ts";
import { receiverAuthority, startReceiver } from "../test/support/webhooks.ts";
import type { SoakResult } from "./soak-fuzz-mls.ts";
import { type Row, round } from "./table.ts";

/** The amount of work. */
export interface ChainSizes {
  /** Members of the team, including its owner. */
  readonly members: number;
  /** All users, including the members of the team. */
  readonly users: number;
  readonly deliveries: number;
}

const prefix = "chains";
/** Longer than a receiver may take to count as quick. */
const slowMilliseconds = 1100;
/** Chains up to this length pass even if a manifest does not allow loops. */
const mostPassesUnsaid = 16;
const pauseMilliseconds = 1000;

/**
 * Start work that takes long chains of messages, each begun by one request: the index of a large team, the index of all
 * users, many deliveries to a slow receiver, and the deletion of the large team. Lambda ends chains that are longer
 * than 16; as there, their remaining messages would end up in dead-letter queues.
 */
export async function followChains(emulators: Emulators, sizes: ChainSizes): Promise<SoakResult> {
  waitPatiently();
  const { members, users, deliveries } = sizes;
  const problems: string[] = [];
  const { cert } = await receiverAuthority();
  const settings = {
    ...testSettings,
    webhooks: { allowsPrivateAddresses: true, authorities: [cert], settleSeconds: 1 },
  };
  const stack = await startStack({
    settings,
    prefix,
    emulators,
    // Its message is delivered again, or is in a dead-letter queue later.
    onFunctionError: (error) => void problems.push(String(error)),
  });
  const receiver = await startReceiver();
  const { longest, stop: stopWatching } = watchChains();
  const [publicApi, internalApi] = [apiAt(stack.publicUrl), apiAt(stack.internalUrl)];
  const context = { dynamo: createDynamo(), config: stackConfig(prefix), clock: systemClock };
  const pending = new PendingMessages(context);
  const teams = new TeamStore(context);
  const searchIndex = new SearchIndexStore(context);
  const rows: Row[] = [];

  /**
   * Start a chain, and wait for its end. A message that was given up may also have ended it.
   * @param fewestPasses of the worker in a chain; fewer would prove nothing
   */
  async function follow(
    task: string,
    worker: string,
    begin: () => Promise<unknown>,
    left: () => Promise<number>,
    fewestPasses = mostPassesUnsaid + 1,
  ): Promise<void> {
    longest.clear();
    const startedAt = performance.now();
    await begin();
    while ((await left()) > 0 && (await deadLetters(stack.queueUrls)).length === 0)
      await delay(pauseMilliseconds);
    const passes = longest.get(worker) ?? 0;
    if (passes < fewestPasses)
      problems.push(`${task}: ${worker} was called ${passes} times in a row, which proves nothing`);
    const row = { task, worker, passes, seconds: round((performance.now() - startedAt) / 1000) };
    rows.push(row);
    console.log(`${task}: ${row.seconds} s`);
  }
  const expect = async (sent: ReturnType<typeof internalApi>, status: number) => {
    const answer = await sent;
    if (answer.status !== status) throw new Error(`Answered with ${JSON.stringify(answer)}`);
    return answer.body;
  };
  const notIndexed = async () => {
    let count = 0;
    for await (const _ of pending.of("search-index")) count++;
    return count;
  };

  try {
    const apis = { publicApi, internalApi, data: { prefix, settings, clock: systemClock } };
    const team = await newTeam({}, apis);
    const [oldest = ""] = await addPeople(users - members, prefix);
    await addCrowd(team, { size: members - 1 }, prefix);
    console.log(`${users} users exist`);

    const feature = `/i/teams/${team.id}/features/searchVisibilityInbound`;
    await follow(
      `index of a team of ${members}`,
      "search-indexer",
      () => expect(internalApi("PUT", feature, { json: { status: "enabled" } }), 200),
      notIndexed,
    );
    const { found } = await expect(
      publicApi("GET", `/teams/${team.id}/search`, { token: team.owner.token }),
      200,
    );
    if (found !== members) problems.push(`The index has ${found} members of the team`);

    await follow(
      `index of all ${users} users`,
      "search-indexer",
      () => expect(internalApi("POST", "/i/index/reindex"), 202),
      notIndexed,
    );
    // The pass over all users begins with the newest.
    if ((await searchIndex.recordOf(oldest)).revision === 0) problems.push("The index lacks users");

    receiver.answer((response) => setTimeout(() => response.writeHead(204).end(), slowMilliseconds));
    await follow(
      `${deliveries} slow deliveries`,
      "slow-webhook-delivery",
      async () => {
        const json = { url: receiver.url, kinds: ["team.changed"] };
        await expect(internalApi("POST", `/i/webhooks?team=${team.id}`, { json }), 201);
        for (let number = 1; number <= deliveries; number++)
          await expect(
            internalApi("PUT", `/teams/${team.id}`, {
              headers: { "z-user": team.owner.id },
              json: { name: `Team ${number}` },
            }),
            200,
          );
      },
      async () => deliveries - new Set(receiver.ids()).size,
    );

    await follow(
      `end of a team of ${members}`,
      "team-jobs",
      () => expect(internalApi("DELETE", `/i/teams/${team.id}?force=true`), 202),
      async () => ((await teams.get(team.id))?.status !== "deleted" ? 1 : 0),
      // The number of messages depends on the time that the work takes: each runs for as long as a function may.
      1,
    );
    problems.push(...(await deadLetters(stack.queueUrls)));
  } finally {
    stopWatching();
    receiver.stop();
    context.dynamo.destroy();
    await stack.stop();
  }
  return { rows, problems };
}

/** Note the number of calls of each function in one chain. */
function watchChains() {
  const longest = new Map<string, number>();
  const stop = interceptAwsCalls((_, send) => {
    const running = runningFunction.getStore();
    if (running !== undefined) {
      const { name } = running.manifest;
      longest.set(name, Math.max(longest.get(name) ?? 0, passesOf(name, running.traceHeader)));
    }
    return send();
  });
  return { longest, stop };
}

/** Descriptions of messages that workers gave up. */
async function deadLetters(queueUrls: Readonly<Record<QueueName, string>>): Promise<string[]> {
  const sqs = new SQSClient({});
  const counts = Object.entries(queueUrls).map(async ([name, url]) => {
    const QueueUrl = url.replace(/(\.fifo)?$/, "-dead-letters$1");
    const { Attributes: { ApproximateNumberOfMessages: count = "" } = {} } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["ApproximateNumberOfMessages"] }),
    );
    return count === "0" ? [] : [`${count} dead letters of the queue ${name}`];
  });
  const problems = (await Promise.all(counts)).flat();
  sqs.destroy();
  return problems;
}
