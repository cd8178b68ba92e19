import { expect, it } from "vitest";
import { eventsOf, webhookKinds } from "./webhook.ts";

it("a group stands for all its events, once", () => {
  const events = eventsOf(["webhook.*", "webhook.created", "team.created"]);
  expect(events).toEqual([
    "team.created",
    "webhook.created",
    "webhook.changed",
    "webhook.secret-rotated",
    "webhook.redelivered",
    "webhook.deleted",
  ]);
});

it("all events fit into one filter of the audit trail, because DynamoDB takes 100 operands of IN", () => {
  expect(eventsOf(webhookKinds).length).toBeLessThanOrEqual(100);
});

it("every kind stands for something", () => {
  for (const kind of webhookKinds) expect(eventsOf([kind])).not.toEqual([]);
  expect(eventsOf(["team.unknown"])).toEqual([]);
});
