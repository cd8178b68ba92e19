import { channel } from "node:diagnostics_channel";
import { expect, it, vi } from "vitest";
import type { Log } from "../log.ts";
import { countUnreadableItems } from "./count-unreadable-items.ts";
import { UnreadableItemError } from "./unreadable-item.ts";

it("logs and counts an item that cannot be read, once, however many functions share the process", () => {
  const reports = channel("test.unreadable-items");
  const [log, other] = [newLog(), newLog()];
  countUnreadableItems(log, reports);
  countUnreadableItems(other, reports);
  reports.publish(new UnreadableItemError({ table: "codes", kind: "code" }, ["nonce"]));

  const details = { table: "codes", kind: "code", fields: ["nonce"] };
  expect(vi.mocked(log.error).mock.calls).toEqual([["unreadable-item", details]]);
  expect(vi.mocked(log.metric).mock.calls).toMatchObject([[{ UnreadableItems: 1, store: "all" }]]);
  expect(vi.mocked(other.error).mock.calls).toEqual([]);
});

const newLog = () => ({ error: vi.fn(), metric: vi.fn() }) as unknown as Log;
