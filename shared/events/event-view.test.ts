import { describe, expect, it } from "vitest";
import { eventView } from "./event-view.ts";

describe("an event as its recipient sees it", () => {
  const event = { type: "test", from: "ada", data: { text: "", sender: "c0" } };

  it("has the fields of its overlay, with data merged", () => {
    const overlay = { from: "bob", extra: 1, data: { text: "hello" } };
    const shown = eventView(event, { overlay });
    expect(shown).toEqual({ type: "test", from: "bob", extra: 1, data: { text: "hello", sender: "c0" } });
    expect(event).toEqual({ type: "test", from: "ada", data: { text: "", sender: "c0" } });
  });

  it.each([[["a list"]], ["text"], [null]])(
    "has the data of its overlay when that is not an object: %j",
    (data) => {
      expect(eventView(event, { overlay: { data } })).toEqual({ ...event, data });
    },
  );

  it("has the data of its overlay when its own is not an object", () => {
    const overlay = { data: { text: "hello" } };
    expect(eventView({ type: "test", data: "text" }, { overlay })).toEqual({ type: "test", ...overlay });
  });

  it("keeps the recipient's own entry in the list of members", () => {
    const service = { id: "1", provider: "2" };
    const others = [
      { id: "ada", conversation_role: "admin", status: 0, service },
      { id: "bob", conversation_role: "member", status: 0 },
    ];
    const shown = eventView({ type: "test", data: { members: { others } } }, { viewerId: "ada" });
    expect(shown).toMatchObject({
      data: { members: { self: { ...others[0], otr_archived: false }, others: [others[1]] } },
    });
  });

  it.each([{}, { data: {} }, { data: { members: {} } }])(
    "is unchanged without a list of members: %j",
    (rest) => {
      expect(eventView({ type: "test", ...rest }, { viewerId: "ada" })).toEqual({ type: "test", ...rest });
    },
  );
});
