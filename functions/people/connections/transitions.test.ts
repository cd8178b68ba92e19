import { describe, expect, it } from "vitest";
import { type ConnectionStatus, connectionStatus } from "#shared/conversations/connections/connection.ts";
import { type Decision, decideRequest, decideUpdate, firstRequest, type Sides } from "./transitions.ts";

/** The rules of connections, row by row; the first matching row applies. */

const all = connectionStatus.options;
const held = "missing-legalhold-consent";
const exceptHeld = all.filter((status) => status !== held);

interface Row {
  readonly own: readonly ConnectionStatus[];
  readonly other: readonly ConnectionStatus[];
  /** Absent for a connection request. */
  readonly to?: readonly ConnectionStatus[];
  readonly result: string;
}

const requests: Row[] = [
  { own: [held], other: all, result: "refused" },
  { own: all, other: [held], result: "refused" },
  { own: ["accepted"], other: ["accepted", "blocked"], result: "unchanged" },
  { own: ["sent"], other: ["blocked"], result: "unchanged" },
  { own: ["blocked"], other: all, result: "refused" },
  { own: all, other: ["blocked"], result: "sent, blocked, silently" },
  { own: all, other: ["sent", "accepted"], result: "accepted, accepted" },
  { own: all, other: ["pending", "ignored", "cancelled"], result: "sent, pending" },
];

const updates: Row[] = [
  { own: [held], other: all, to: all, result: "refused" },
  { own: all, other: [held], to: all, result: "refused" },
  ...exceptHeld.map((status) => ({ own: [status], other: all, to: [status], result: "unchanged" })),
  {
    own: ["pending", "ignored"],
    other: ["accepted", "pending", "ignored", "sent", "cancelled"],
    to: ["accepted"],
    result: "accepted, accepted",
  },
  { own: ["pending", "ignored"], other: ["blocked"], to: ["accepted"], result: "accepted, blocked" },
  { own: ["pending"], other: all, to: ["ignored"], result: "ignored, as it is" },
  {
    own: ["pending", "ignored", "accepted", "sent"],
    other: all,
    to: ["blocked"],
    result: "blocked, as it is",
  },
  {
    own: ["blocked"],
    other: ["accepted", "blocked"],
    to: ["accepted", "sent"],
    result: "accepted, as it is",
  },
  { own: ["blocked"], other: ["sent"], to: ["accepted", "sent"], result: "accepted, accepted" },
  {
    own: ["blocked"],
    other: ["pending", "ignored", "cancelled"],
    to: ["accepted", "sent"],
    result: "sent, as it is",
  },
  { own: ["sent"], other: ["sent", "accepted"], to: ["accepted"], result: "accepted, accepted" },
  { own: ["sent"], other: ["pending", "ignored"], to: ["cancelled"], result: "cancelled, cancelled" },
  { own: ["sent"], other: ["blocked", "cancelled"], to: ["cancelled"], result: "cancelled, as it is" },
  { own: ["cancelled"], other: all, to: ["blocked"], result: "blocked, as it is" },
  { own: all, other: all, to: all, result: "refused" },
];

const pairs: Sides[] = all.flatMap((own) => all.map((other) => ({ own, other })));

function expected(rows: Row[], { own, other }: Sides, to?: ConnectionStatus): string | undefined {
  const row = rows.find(
    (candidate) =>
      candidate.own.includes(own) &&
      candidate.other.includes(other) &&
      (to === undefined || candidate.to?.includes(to)),
  );
  return row?.result.replace("as it is", other);
}

const inWords = (decision: Decision) =>
  typeof decision === "string"
    ? decision
    : [decision.own, decision.other, ...(decision.isSilent ? ["silently"] : [])].join(", ");

const nameOf = ({ own, other }: Sides) => `own ${own}, other ${other}`;

describe("a connection request between users who already have a connection", () => {
  it.each(pairs.map((sides) => ({ sides, name: nameOf(sides) })))(
    "follows the specification for $name",
    ({ sides }) => {
      expect(inWords(decideRequest(sides))).toBe(expected(requests, sides));
    },
  );
});

describe.each(all)("an update to %s", (to) => {
  it.each(pairs.map((sides) => ({ sides, name: nameOf(sides) })))(
    "follows the specification for $name",
    ({ sides }) => {
      expect(inWords(decideUpdate(sides, to))).toBe(expected(updates, sides, to));
    },
  );
});

describe("any sequence of actions by two users", () => {
  const swapped = ({ own, other }: Sides): Sides => ({ own: other, other: own });
  const isChange = (decision: Decision) => typeof decision !== "string";
  const successors = (sides: Sides): Sides[] =>
    [decideRequest(sides), ...all.map((to) => decideUpdate(sides, to))].filter(isChange);

  const reached = new Map<string, Sides>();
  const waiting: Sides[] = [firstRequest, swapped(firstRequest)];
  for (let sides = waiting.pop(); sides !== undefined; sides = waiting.pop()) {
    if (reached.has(nameOf(sides))) continue;
    reached.set(nameOf(sides), sides);
    waiting.push(...successors(sides), ...successors(swapped(sides)).map(swapped));
  }
  const reachable = [...reached.values()];

  it("leads only to connected, waiting, blocked or cancelled pairs", () => {
    expect([...reached.keys()].sort()).toEqual(
      [
        ["accepted", "accepted"],
        ["accepted", "blocked"],
        ["blocked", "blocked"],
        ["blocked", "cancelled"],
        ["blocked", "ignored"],
        ["blocked", "pending"],
        ["blocked", "sent"],
        ["cancelled", "cancelled"],
        ["cancelled", "sent"],
        ["ignored", "sent"],
        ["pending", "sent"],
      ]
        .flatMap(([own, other]) => [`own ${own}, other ${other}`, `own ${other}, other ${own}`])
        .filter((name, index, names) => names.indexOf(name) === index)
        .sort(),
    );
  });

  it("never changes whether the other side counts towards the connection limit", () => {
    const isCounted = (status: ConnectionStatus) => status === "accepted" || status === "sent";
    for (const sides of reachable) {
      for (const next of successors(sides)) expect(isCounted(next.other)).toBe(isCounted(sides.other));
    }
  });

  it("connects no user who has neither requested nor accepted it", () => {
    for (const sides of reachable) {
      for (const next of successors(sides)) {
        if (next.other === "accepted") expect(["accepted", "sent"]).toContain(sides.other);
      }
    }
  });
});
