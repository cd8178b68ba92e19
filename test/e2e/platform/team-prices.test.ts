import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type LocalStack, startStack } from "#lib/local/stack.ts";
import { dollarsOf, prices } from "#lib/prices.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { type Recording, startProxies, sumOf, untilQuiet } from "../../../bench/recording-proxy.ts";
import { apiAt } from "../../support/api.ts";
import { createConversation } from "../../support/conversations.ts";
import { eventually } from "../../support/eventually.ts";
import { awayFromMidnight } from "../../support/midnight.ts";
import { addDevices, recipientsOf, sendJson } from "../../support/otr-messages.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { openSocket } from "../../support/socket.ts";
import { newTeam } from "../../support/teams.ts";
import { testSettings } from "../../support/test-settings.ts";
import { logIn, type User } from "../../support/users.ts";

const prefix = "priced";
const recording: Recording = { calls: [], pending: 0, delayMilliseconds: 0 };
let stack: LocalStack;
let proxies: Awaited<ReturnType<typeof startProxies>>;

/** All calls of the functions pass proxies, which ask DynamoDB for units even where the functions do not. */
beforeAll(async () => {
  await awayFromMidnight();
  const { environment, folder } = sharedStack();
  proxies = await startProxies(environment, recording);
  Object.assign(process.env, proxies.environment);
  stack = await startStack({
    // Only what people cause counts: the sweeper belongs to nobody.
    settings: { ...testSettings, outboxResendSeconds: 3600, statistics: { sampleOneIn: 1 } },
    prefix,
    emulators: { environment: proxies.environment, folder: mkdtempSync(join(folder, `${prefix}-`)) },
    clock: systemClock,
    isPreloaded: false,
  });
});
afterAll(async () => {
  await stack.stop();
  Object.assign(process.env, sharedStack().environment);
  await proxies.stop();
});

/** Wait until nothing has been called for a second, which workers of a busy machine may take between two calls. */
async function untilIdle(): Promise<void> {
  let idleSince = performance.now();
  await eventually(async () => {
    const { length } = recording.calls;
    await untilQuiet(recording);
    if (recording.calls.length > length) idleSince = performance.now();
    expect(performance.now() - idleSince).toBeGreaterThan(1000);
  });
}

const month = () => new Date().toISOString().slice(0, 7);

it("the price of a team is within a tenth of what AWS bills for its requests and their effects", async () => {
  const publicApi = apiAt(stack.publicUrl);
  const internalApi = apiAt(stack.internalUrl);
  const apis = { publicApi, internalApi, data: { prefix, settings: testSettings, clock: systemClock } };
  const teams = await Promise.all([newTeam({}, apis), newTeam({}, apis)]);

  /** Lets members act, and returns DynamoDB's report of units for all calls meanwhile. */
  async function consume(owner: User, members: readonly User[], messages: number) {
    const [device = ""] = await addDevices(owner, 1, { prefix });
    const devices = await Promise.all(members.map((member) => addDevices(member, 1, { prefix })));
    await untilIdle();
    recording.calls.length = 0;
    const sockets = await Promise.all(members.map((member) => openSocket("/await", member, stack)));
    const { token } = owner;
    expect((await logIn(owner, { apis })).status).toBe(200);
    expect((await publicApi("POST", "/access", { cookie: owner.cookie })).status).toBe(200);
    await publicApi("GET", "/self", { token });
    await publicApi("PUT", "/self", { token, json: { name: "Ada" } });
    await publicApi("PUT", "/properties/theme", { token, json: "dark" });
    const created = await createConversation(owner, { with: members, version: 8 }, { publicApi });
    expect(created.status).toBe(201);
    const recipients = recipientsOf(
      ...members.map((member, index) => [member, devices[index] ?? []] as const),
    );
    for (let sent = 0; sent < messages; sent++)
      await sendJson({ id: created.body.id }, owner, { sender: device, recipients }, { publicApi });
    for (const member of members) await publicApi("GET", "/notifications", { token: member.token });
    for (const socket of sockets) socket.close();
    await untilIdle();
    return {
      readUnits: sumOf(recording.calls, "readUnits"),
      writeUnits: sumOf(recording.calls, "writeUnits"),
    };
  }

  const billed: Awaited<ReturnType<typeof consume>>[] = [];
  for (const [index, team] of teams.entries()) {
    const members = await Promise.all(Array.from({ length: 3 + index }, () => team.add()));
    billed.push(await consume(team.owner, members, 4 + 4 * index));
  }

  const { body } = await internalApi("GET", `/i/statistics/teams?month=${month()}`);
  for (const [index, { id }] of teams.entries()) {
    const { read_units, write_units } = body.teams.find(({ team }: { team: string }) => team === id);
    const { readUnits = 0, writeUnits = 0 } = billed[index] ?? {};
    const bill = prices.dynamodbReadUnit * readUnits + prices.dynamodbWriteUnit * writeUnits;
    const attributed = dollarsOf({ ...nothing, readUnits: read_units, writeUnits: write_units });
    expect(bill).toBeGreaterThan(0);
    expect(attributed / bill).toBeGreaterThan(0.9);
    expect(attributed / bill).toBeLessThan(1.1);
  }
});

const nothing = {
  requests: 0,
  invocations: 0,
  gigabyteSeconds: 0,
  readUnits: 0,
  writeUnits: 0,
  queuedMessages: 0,
  frames: 0,
};
