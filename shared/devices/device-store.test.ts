import { randomUUID } from "node:crypto";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { expect, it } from "vitest";
import type { Config } from "#shared/platform/config.ts";
import { transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { type Device, findDevice, noDevices } from "./device.ts";
import { DeviceStore } from "./device-store.ts";

const dynamo = createDynamo();
const config = { tableName: (name) => `test-${name}` } as Config;

/** A store, and the commands that it has sent. */
function newStore() {
  const sent: string[] = [];
  const recording = {
    send: (command: never) => {
      sent.push((command as object).constructor.name);
      return dynamo.send(command);
    },
  } as unknown as DynamoDBDocumentClient;
  return { store: new DeviceStore({ dynamo: recording, config, clock: Date.now }), sent };
}

const week = 604_800_000;
const device = (clientId: string): Device => ({
  clientId,
  type: "permanent",
  capabilities: [],
  mlsPublicKeys: {},
  registeredAt: 1,
});

async function newOwner({ store }: ReturnType<typeof newStore>) {
  const userId = randomUUID();
  await transact(dynamo, [store.put(noDevices(userId), { a: device("a"), b: device("b") })]);
  const activeAt = async (clientId: string) => findDevice(await store.get(userId), clientId)?.lastActiveAt;
  return { userId, activeAt };
}

it("the store of devices records activity once a week, as the end of that week", async () => {
  const recorder = newStore();
  const { userId, activeAt } = await newOwner(recorder);
  const note = (now: number) => recorder.store.recordActivity(userId, "a", now);
  await note(10 * week + 1);
  expect([await activeAt("a"), await activeAt("b")]).toEqual([11 * week, undefined]);

  recorder.sent.length = 0;
  await note(10 * week + 2);
  await note(11 * week);
  await note(week);
  expect(recorder.sent).toEqual(["GetCommand", "GetCommand", "GetCommand"]);
  await note(11 * week + 1);
  expect(await activeAt("a")).toBe(12 * week);
});

it("the store of devices records no activity of a missing or concurrently removed device", async () => {
  const recorder = newStore();
  const { userId } = await newOwner(recorder);
  for (const clientId of ["c", "__proto__", "constructor"]) {
    await recorder.store.recordActivity(userId, clientId, week + 1);
    await recorder.store.recordActivity(randomUUID(), clientId, week + 1);
  }
  expect(recorder.sent).not.toContain("UpdateCommand");

  const known = await recorder.store.get(userId);
  const late = new DeviceStore({
    dynamo: {
      send: async (command: never) => {
        const result = await dynamo.send(command);
        if ((command as object).constructor.name === "GetCommand")
          await transact(dynamo, [recorder.store.put(known, {})]);
        return result;
      },
    } as unknown as DynamoDBDocumentClient,
    config,
    clock: Date.now,
  });
  await late.recordActivity(userId, "a", week + 1);
  expect((await recorder.store.get(userId)).devices).toEqual({});
});
