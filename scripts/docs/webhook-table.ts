import { auditEvents } from "#shared/registry/audit-events.ts";
import { webhookKinds } from "#shared/teams/webhooks/webhook-kinds.ts";

/** What webhooks can subscribe to: groups with their events. */
export function webhookTable(): string {
  const groups = webhookKinds.filter((kind) => kind.endsWith(".*"));
  const eventsIn = (group: string) =>
    Object.entries(auditEvents).filter(([event]) => event.startsWith(group.slice(0, -1)));
  return [
    "| group | event | meaning |",
    "| --- | --- | --- |",
    ...groups.flatMap((group) =>
      eventsIn(group).map(
        ([event, meaning], index) => `| ${index === 0 ? `\`${group}\`` : ""} | \`${event}\` | ${meaning} |`,
      ),
    ),
  ].join("\n");
}
