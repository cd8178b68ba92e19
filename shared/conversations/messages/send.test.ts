import { describe, expect, it } from "vitest";
import type { Strategy } from "./message.ts";
import { compareDevices } from "./send.ts";

const all: Strategy = { kind: "report-all" };
const none: Strategy = { kind: "ignore-all" };
const only = (...users: string[]): Strategy => ({ kind: "report-only", users: new Set(users) });
const allBut = (...users: string[]): Strategy => ({ kind: "ignore-only", users: new Set(users) });

/** Ann sends from a1; she also has a2. Ben has b1 and b2, Cleo c1, and Dan nothing. */
const expected = new Map([
  ["ann", ["a1", "a2"]],
  ["ben", ["b1", "b2"]],
  ["cleo", ["c1"]],
  ["dan", []],
]);

/** @param addressed such as `ben b1` */
function compare(addressed: readonly string[], strategy: Strategy) {
  const recipients = new Map<string, Map<string, string>>();
  for (const [userId = "", clientId = ""] of addressed.map((one) => one.split(" "))) {
    const texts = recipients.get(userId) ?? new Map();
    recipients.set(userId, texts.set(clientId, `for ${clientId}`));
  }
  const compared = compareDevices({ sender: "a1", recipients, strategy }, { senderId: "ann", expected });
  return { ...compared, deliveries: compared.deliveries.map(({ clientId }) => clientId) };
}

const everybody = ["ann a2", "ben b1", "ben b2", "cleo c1"];
const nothing = { missing: {}, deleted: {}, redundant: {} };

describe("a message to everybody", () => {
  it.each([all, none, only("ben"), allBut("ben")])("lacks nothing: %o", (strategy) => {
    expect(compare(everybody, strategy)).toEqual({ ...nothing, deliveries: ["a2", "b1", "b2", "c1"] });
  });

  it("is delivered with the text for each device", () => {
    const recipients = new Map([["cleo", new Map([["c1", "text"]])]]);
    const { deliveries } = compareDevices(
      { sender: "a1", recipients, strategy: none },
      { senderId: "ann", expected },
    );
    expect(deliveries).toEqual([{ userId: "cleo", clientId: "c1", text: "text" }]);
  });
});

describe("a message that lacks devices", () => {
  it.each([
    ["of everybody", all, { ann: ["a2"], ben: ["b2"], cleo: ["c1"] }],
    ["of nobody", none, {}],
    ["of the named users", only("ben", "dan", "stranger"), { ben: ["b2"] }],
    ["of nobody, when nobody is named", only(), {}],
    ["of the sender, when named", only("ann"), { ann: ["a2"] }],
    ["of all but the named users", allBut("ben", "stranger"), { ann: ["a2"], cleo: ["c1"] }],
    ["of everybody, when nobody is excepted", allBut(), { ann: ["a2"], ben: ["b2"], cleo: ["c1"] }],
  ])("reports the missing ones %s", (_, strategy, missing) => {
    expect(compare(["ben b1"], strategy)).toEqual({ ...nothing, missing, deliveries: ["b1"] });
  });
});

describe("a message to devices that should not get it", () => {
  it.each([all, none, only("ben"), allBut("ben")])("reports them and reaches the others: %o", (strategy) => {
    const wrong = ["ann a1", "ann a9", "ben b9", "dan d9", "eve e1", "eve e2"];
    expect(compare([...everybody, ...wrong], strategy)).toEqual({
      missing: {},
      deleted: { ann: ["a9"], ben: ["b9"], dan: ["d9"] },
      redundant: { ann: ["a1"], eve: ["e1", "e2"] },
      deliveries: ["a2", "b1", "b2", "c1"],
    });
  });
});
