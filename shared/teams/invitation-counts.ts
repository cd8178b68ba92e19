import * as z from "zod";
import { type Stored, storedItem } from "#shared/platform/data/stored-item.ts";

const daySeconds = 86_400;
const prefix = "day";

/** The day (UTC) of a time, counted from the epoch. */
const dayOf = (seconds: number) => Math.floor(seconds / daySeconds);
const attributeOf = (day: number) => `${prefix}${day}`;

/** Numbers of a team's invitations by the day on which they expire, and their sum. */
export const countsItem = storedItem(
  {
    table: "teams",
    kind: "invitation-counts",
    key: ["team#*", "invitation-counts"],
    subject: { team: "partition" },
  },
  z
    .looseObject({ pendingCount: z.int(), purgeAtSeconds: z.int() })
    .transform(({ pendingCount, purgeAtSeconds, ...others }) => ({
      pendingCount,
      purgeAtSeconds,
      byDay: Object.entries(others).flatMap(([name, count]) =>
        name.startsWith(prefix) ? [{ day: Number(name.slice(prefix.length)), count: Number(count) }] : [],
      ),
    })),
);
export type InvitationCounts = Stored<typeof countsItem>;

interface Expiring {
  readonly expiresAt: number;
}

/**
 * Describes the update that counts added and removed invitations, and drops those of past days. Its condition keeps the
 * sum within the limit, and requires that the counts of past days are still as read.
 */
export function countUpdate(
  counts: InvitationCounts | undefined,
  { added, removed }: { added: readonly Expiring[]; removed: readonly Expiring[] },
  { limit, nowSeconds }: { limit: number; nowSeconds: number },
) {
  const passed = counts?.byDay.filter(({ day }) => day < dayOf(nowSeconds)) ?? [];
  const passedCount = passed.reduce((sum, { count }) => sum + count, 0);
  const changes = changesByDay(added, removed);
  const room = limit + passedCount + removed.length - added.length;
  const purgeAtSeconds = Math.max(
    counts?.purgeAtSeconds ?? 0,
    ...added.map(({ expiresAt }) => (dayOf(expiresAt) + 1) * daySeconds),
  );
  const adds = changes.map(({ day }) => `${attributeOf(day)} :change${day}`);
  const removes = passed.map(({ day }) => attributeOf(day));
  const conditions = [
    ...passed.map(({ day }) => `${attributeOf(day)} = :count${day}`),
    ...changes.flatMap(({ day, change }) => (change < 0 ? [`${attributeOf(day)} >= :least${day}`] : [])),
    ...(added.length > 0 ? ["(attribute_not_exists(pendingCount) OR pendingCount <= :room)"] : []),
  ];
  return {
    room,
    UpdateExpression: [
      "SET purgeAtSeconds = :purge",
      `ADD ${["pendingCount :sum", ...adds].join(", ")}`,
      ...(removes.length > 0 ? [`REMOVE ${removes.join(", ")}`] : []),
    ].join(" "),
    ConditionExpression: conditions.join(" AND "),
    ExpressionAttributeValues: {
      ":purge": purgeAtSeconds,
      ":sum": added.length - removed.length - passedCount,
      ...(added.length > 0 && { ":room": room }),
      ...Object.fromEntries([
        ...passed.map(({ day, count }) => [`:count${day}`, count]),
        ...changes.map(({ day, change }) => [`:change${day}`, change]),
        ...changes.flatMap(({ day, change }) => (change < 0 ? [[`:least${day}`, -change]] : [])),
      ]),
    },
  };
}

function changesByDay(added: readonly Expiring[], removed: readonly Expiring[]) {
  const changes = [
    ...added.map(({ expiresAt }) => ({ day: dayOf(expiresAt), change: 1 })),
    ...removed.map(({ expiresAt }) => ({ day: dayOf(expiresAt), change: -1 })),
  ];
  return [...Map.groupBy(changes, ({ day }) => day)]
    .map(([day, group]) => ({ day, change: group.reduce((sum, { change }) => sum + change, 0) }))
    .filter(({ change }) => change !== 0);
}
