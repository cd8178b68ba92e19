import { randomInt, randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { hourOf } from "#shared/platform/audit/audit-record.ts";
import { AuditStore } from "#shared/platform/audit/audit-store.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { messageIdOf } from "#shared/teams/webhooks/webhook.ts";
import { eventually } from "../../support/eventually.ts";
import { isOfFault, startFaults, storeFaults } from "../../support/faults.ts";
import { dieDuring, dieRepeatedly } from "../../support/kills/kills.ts";
import { type OwnStack, ownStack } from "../../support/own-stack.ts";
import { concurrently } from "../../support/races.ts";
import { isSoak, times } from "../../support/soak.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { type Receiver, receiverAuthority, startReceiver } from "../../support/webhooks.ts";

const hours = (from: number, to: number) =>
  Array.from({ length: Math.floor(to / 3_600_000) - Math.floor(from / 3_600_000) + 1 }, (_, index) =>
    hourOf(from + index * 3_600_000),
  );

/** Places of all changes of a team since a time, in the order of the audit trail. */
async function recorded({ prefix, clock }: OwnStack, { id }: Team, since: number): Promise<string[]> {
  const audit = new AuditStore({ dynamo: createDynamo(), clock, config: stackConfig(prefix) });
  const places: string[] = [];
  const range = { after: new Date(since).toISOString(), before: new Date(clock() + 60_000).toISOString() };
  for (const hour of hours(since, clock())) {
    for await (const { place, record } of audit.changesOf(`team-${id}`, hour, range))
      if (record.event === "team.changed") places.push(place);
  }
  return places;
}

/** Ids in the order in which each arrived first. */
const firsts = (receiver: Receiver) => [...new Set(receiver.ids())];

/** Let the next scheduled run come now, and leave it the time that it needs. */
async function passMinute(stack: OwnStack): Promise<void> {
  stack.advance(60);
  await stack.invoke("webhook-collector", {}).catch(() => undefined);
  await delay(500);
}

/** Number of events; 10,000 take an hour. */
const total = Number(process.env.WEBHOOK_EVENTS ?? times(8, 300));
const teamCount = times(2, 4);

it("a webhook delivers each event at least once, in order, and none that did not happen, whatever fails or dies", {
  timeout: 180_000 + total * 1000,
}, async () => {
  const authorities = [(await receiverAuthority()).cert];
  const webhooks = { allowsPrivateAddresses: true, authorities, settleSeconds: 10 };
  const stack = await ownStack({ webhooks, outboxResendSeconds: 1 }, { expectsError: isOfFault });
  const teams = await concurrently(teamCount, () => newTeam({}, stack));
  const since = stack.clock();
  // The last webhook is the operator's, which gets what all teams get.
  const owners = [...teams.map(({ id }) => `?team=${id}`), ""];
  const receivers = await Promise.all(owners.map(() => startReceiver()));
  onTestFinished(() => {
    for (const receiver of receivers) receiver.stop();
  });
  const paths = await Promise.all(
    owners.map(async (owner, index) => {
      const json = { url: receivers[index]?.url, kinds: ["team.changed"] };
      const { body } = await stack.internalApi("POST", `/i/webhooks${owner}`, { json });
      return `/i/webhooks/${body.id}${owner}`;
    }),
  );
  // A failure, or no answer, follows this many answers.
  const answersBetweenFailures = times(7, 200);
  let answers = 0;
  for (const receiver of receivers)
    receiver.answer((response) => {
      answers++;
      if (answers % answersBetweenFailures > 0) response.writeHead(204).end();
      else if (answers % (2 * answersBetweenFailures) === 0) response.writeHead(500).end();
      else response.socket?.destroy();
    });

  const faults = startFaults([{ mentions: "-accounts", faults: [] }, ...storeFaults]);
  onTestFinished(faults.end);
  const rename = ({ id, owner }: Team) =>
    stack
      .internalApi("PUT", `/teams/${id}`, {
        headers: { "z-user": owner.id },
        json: { name: `Team ${randomUUID()}` },
      })
      .catch(() => undefined);
  let expected: string[][] = [];
  async function deliverAll() {
    for (let count = 0; count < total; count += 2 * teams.length)
      await Promise.all([...teams, ...teams].map(rename));
    const ofTeams = await Promise.all(teams.map((team) => recorded(stack, team, since)));
    expected = [...ofTeams, ofTeams.flat().toSorted()].map((places) => places.map(messageIdOf));
    expect(expected.at(-1)?.length).toBeGreaterThan(total * 0.7);
    await eventually(
      async () => {
        // Nobody waits for the pauses after failures.
        for (const [index, path] of paths.entries()) {
          const { body } = await stack.internalApi("GET", path);
          if (body.failing_since === undefined) continue;
          await stack.internalApi("PATCH", path, { json: { url: receivers[index]?.url } });
        }
        if (isSoak) await delay(200);
        else await passMinute(stack);
        expect(receivers.map((one) => firsts(one).length)).toEqual(expected.map((ids) => ids.length));
      },
      { timeoutSeconds: 120 + total },
    );
  }
  // Some processes die between the answer of a receiver and the note of it.
  const afterAnswer = { action: "TransactWriteItems", mentions: "settledUpTo" };
  let kills = 1;
  if (isSoak) {
    const nextDeath = () => (randomInt(3) === 0 ? afterAnswer : { action: "none" });
    ({ kills } = await dieRepeatedly(stack, nextDeath, deliverAll, { longestLifeMilliseconds: 8000 }));
  } else await dieDuring(stack, afterAnswer, deliverAll);
  faults.end();
  for (const [index, receiver] of receivers.entries()) expect(firsts(receiver)).toEqual(expected[index]);
  const attempts = receivers.flatMap((receiver) => receiver.ids()).length;
  if (process.env.WEBHOOK_EVENTS !== undefined)
    console.log(`${expected.flat().length} events, ${attempts} attempts, ${kills} kills`);
  expect(kills).toBeGreaterThan(0);
});
