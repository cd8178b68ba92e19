import { auditEvents } from "#shared/registry/audit-events.ts";

const events = Object.keys(auditEvents);
const groupOf = (event: string) => `${event.slice(0, event.indexOf("."))}.*`;

/** Everything that a webhook can subscribe to: each event of the audit trail, and each group of them. */
export const webhookKinds = [...new Set(events.map(groupOf)), ...events] as readonly string[];

/** Names of the events that some kinds include. */
export const eventsOf = (kinds: readonly string[]): string[] =>
  events.filter((event) => kinds.includes(event) || kinds.includes(groupOf(event)));
