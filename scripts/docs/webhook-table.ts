import { auditEvents } from "#shared/registry/audit-events.ts";
import { webhookKinds } from "#shared/teams/webhooks/webhook-kinds.ts";

/** What webhooks can subscribe to: groups with their events. */
export function webhookTable(): string {
  const eventsIn = (group: string) =>
    Object.keys(auditEvents).filter((event) => event.startsWith(group.slice(0, -1)));
  return [
    "| group | events |",
    "| --- | --- |",
    ...webhookKinds
      .filter((kind) => kind.endsWith(".*"))
      .map(
        (group) =>
          `| \`${group}\` | ${eventsIn(group)
            .map((event) => `\`${event}\``)
            .join(", ")} |`,
      ),
  ].join("\n");
}
