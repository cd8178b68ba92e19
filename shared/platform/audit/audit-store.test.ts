import { randomInt, randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { Table } from "#shared/platform/data/table.ts";
import { stackConfig } from "../../../test/support/stack-config.ts";
import { hourOf, partOf } from "./audit-record.ts";
import { AuditStore } from "./audit-store.ts";

const context = { dynamo: createDynamo(), config: stackConfig("test"), clock: Date.now };
const store = new AuditStore(context);
const table = new Table(context, "audit");
const minute = 60_000;
const toTime = (milliseconds: number) => new Date(milliseconds).toISOString();
const isNever = () => false;

/** An hour that no other test uses, with chains of very different lengths, in which attempts were refused as well. */
async function filledHour(lengths = [0, 1, 3, 15, 16, 17, 40, 200, 600], number = 18) {
  const start = Date.UTC(2031 + randomInt(900), 0, 1, randomInt(8000));
  const chains = Array.from({ length: number }, (_, index) => ({
    chain: `team-${randomUUID()}`,
    length: lengths[index % lengths.length] ?? 0,
  }));
  const common = { operation: "update-team", actor: { kind: "user" }, target: {} };
  const places: { place: string; event: string }[] = [];
  const items = chains.flatMap(({ chain, length }) => {
    const part = partOf(hourOf(start), chain);
    const changes = Array.from({ length }, () => {
      const time = toTime(start + randomInt(60) * minute + randomInt(3));
      const place = `${time}#${randomUUID()}`;
      const event = randomInt(3) === 0 ? "team.changed" : "device.added";
      places.push({ place, event });
      return { part, entry: `${chain}#${place}`, time, event, ...common };
    });
    const refused = Array.from({ length: length % 5 }, () => {
      const time = toTime(start + randomInt(60) * minute);
      const entry = `${chain}#refused#${randomUUID().replaceAll("-", "").slice(0, 22)}`;
      return { part, entry, time, event: "team.changed", ...common, error: "access-denied", count: 2 };
    });
    return [...changes, ...refused];
  });
  await table.putMany(items);
  places.sort((one, other) => (one.place < other.place ? -1 : 1));
  return { start, hour: hourOf(start), places };
}

it.each([
  ["of any length", undefined, undefined],
  ["that are short and many", [1, 2, 9], 300],
])(
  "a search finds the oldest changes of chains %s within any range, and says whether it found all",
  async (...[, lengths, number]) => {
    const { start, hour, places } = await filledHour(lengths, number);
    for (let count = 0; count < 10; count++) {
      const from = start + randomInt(55) * minute;
      const nearest = places.find(({ place }) => place >= toTime(from))?.place ?? toTime(from);
      const after = randomInt(2) === 0 ? toTime(from) : nearest;
      const before = toTime(from + randomInt(1, 60) * minute);
      const limit = [1, 7, 100, 5000][randomInt(4)] ?? 1;
      const inRange = places.filter(({ place }) => place > after && place < before);
      const wanted = inRange.filter(({ event }) => event === "team.changed").map(({ place }) => place);
      const sought = { events: ["team.changed"], limit, isTimeUp: isNever };
      const result = await store.oldestOfAll(hour, { after, before }, sought);
      const isComplete = wanted.length <= limit;
      expect(result?.found.map(({ place }) => place)).toEqual(wanted.slice(0, limit));
      expect(result?.isComplete).toBe(isComplete);
      if (isComplete && wanted.length < limit) expect(result?.read).toBe(inRange.length);
    }
  },
);

it("a search returns nothing rather than a part when time is up", async () => {
  const { start, hour } = await filledHour();
  const range = { after: toTime(start), before: toTime(start + 60 * minute) };
  let calls = 0;
  const sought = { events: ["team.changed"], limit: 10, isTimeUp: () => calls++ > 20 };
  expect(await store.oldestOfAll(hour, range, sought)).toBeUndefined();
});
