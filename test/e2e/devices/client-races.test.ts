import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type ApiAnswer, outcome } from "../../support/api.ts";
import {
  deviceEvents,
  deviceIdsOf,
  idOf,
  listDevices,
  newDevice,
  prekeyIds,
  registerDevice,
  removeDevice,
  updateDevice,
} from "../../support/devices.ts";
import { newPrekeys } from "../../support/prekeys.ts";
import { concurrently } from "../../support/races.ts";
import { times } from "../../support/soak.ts";
import { newUser } from "../../support/users.ts";

/** Number of requests at the same moment. */
const many = times(3, 5);

const outcomes = (answers: ApiAnswer[]) => answers.map(outcome).sort();

describe.concurrent("concurrent requests", () => {
  it("register no more than seven permanent devices", async () => {
    const user = await newUser();
    const { password } = user;
    const known: string[] = [];
    for (const _ of "123456") known.push((await registerDevice(user, { password })).body.id);
    const answers = await concurrently(many, () => registerDevice(user, { password }));
    expect(outcomes(answers)).toEqual(["201", ...Array(many - 1).fill("403 too-many-clients")]);
    const added = answers.filter(({ status }) => status === 201).map(({ body }) => body.id);
    expect((await deviceIdsOf(user)).sort()).toEqual([...known, ...added].sort());
    expect(await deviceEvents(user, 7)).toHaveLength(7);
  });

  it("register exactly one first device without a password", async () => {
    const user = await newUser();
    const answers = await concurrently(many, () => registerDevice(user));
    expect(outcomes(answers)).toEqual(["201", ...Array(many - 1).fill("403 missing-auth")]);
    expect(await listDevices(user)).toHaveLength(1);
  });

  it("leave one of several temporary devices, with an event for each that was removed", async () => {
    const user = await newUser();
    const answers = await concurrently(many, () =>
      registerDevice(user, { type: "temporary", password: user.password }),
    );
    expect(outcomes(answers)).toEqual(Array(many).fill("201"));
    const left = await deviceIdsOf(user);
    expect(left).toHaveLength(1);
    const received = await deviceEvents(user, 2 * many - 1);
    const ids = (wanted: string) =>
      // biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever arrived
      received.filter(({ type }: any) => type === wanted).map(({ client }: any) => client.id);
    const removed = ids("user.client-remove");
    expect(removed).toHaveLength(many - 1);
    expect([...removed, ...left].sort()).toEqual(ids("user.client-add").sort());
  });

  it("register the same device once", async () => {
    const user = await newUser();
    const device = newDevice({ prekeys: newPrekeys(20) });
    const answers = await concurrently(many, (index) =>
      registerDevice(user, { ...device, label: `label ${index}` }),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(await deviceIdsOf(user)).toEqual([idOf(device)]);
    expect(await prekeyIds(user, idOf(device))).toHaveLength(21);
  });

  it("remove a device once, with one event", async () => {
    const user = await newUser();
    const { password } = user;
    const { id } = (await registerDevice(user)).body;
    const answers = await concurrently(many, () => removeDevice(user, id, { password }));
    expect(outcomes(answers)).toEqual(["200", ...Array(many - 1).fill("404 client-not-found")]);
    expect(await deviceEvents(user, 2)).toHaveLength(2);
  });

  it("set exactly one of several keys for one scheme", async () => {
    const user = await newUser();
    const { id } = (await registerDevice(user)).body;
    const keys = Array.from({ length: many }, () => randomBytes(32).toString("base64"));
    const answers = await concurrently(many, (index) =>
      updateDevice(user, id, { mls_public_keys: { ed25519: keys[index] } }),
    );
    expect(outcomes(answers)).toEqual(["200", ...Array(many - 1).fill("400 mls-duplicate-public-key")]);
    const winner = answers.findIndex(({ status }) => status === 200);
    expect((await listDevices(user))[0].mls_public_keys).toEqual({ ed25519: keys[winner] });
  });

  it("leave no prekeys behind when uploads meet a removal", async () => {
    const user = await newUser();
    const { id } = (await registerDevice(user, { type: "temporary" })).body;
    const uploads = concurrently(10, (index) =>
      updateDevice(user, id, { prekeys: newPrekeys(10, 100 * index) }),
    );
    const removal = removeDevice(user, id);
    await Promise.all([uploads, removal]);
    const others = outcomes(await uploads).filter((one) => one !== "200" && one !== "404 client-not-found");
    expect(others).toEqual([]);
    expect(outcome(await removal)).toBe("200");
    expect(await prekeyIds(user, id)).toEqual([]);
  });
});
