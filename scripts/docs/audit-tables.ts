import { eventOf } from "#shared/platform/http/route.ts";
import type { Family, Worker } from "#shared/platform/manifest.ts";
import { type AuditEvent, auditEvents, auditedRefusals } from "#shared/registry/audit-events.ts";

/** The events of the audit trail with their operations, the refusals, and the operations that are not recorded. */
export function auditTables(families: readonly Family[], workers: readonly Worker[]): string {
  const rows = families
    .flatMap(({ routes }) => Object.entries(routes))
    .filter(([, { formOf }]) => formOf === undefined);
  const operationsOf = (event: string) =>
    rows.flatMap(([id, { audit }]) => {
      if (audit === undefined || eventOf(audit) !== event) return [];
      return typeof audit === "object" && "when" in audit ? [`\`${id}\` (if ${audit.when})`] : [`\`${id}\``];
    });
  const reasons = Map.groupBy(
    rows.flatMap(([id, { audit }]) =>
      typeof audit === "object" && "none" in audit ? [{ id, reason: audit.none }] : [],
    ),
    ({ reason }) => reason,
  );
  return [
    "| event | meaning | operations |",
    "| --- | --- | --- |",
    ...(Object.keys(auditEvents) as AuditEvent[]).map(
      (event) => `| \`${event}\` | ${auditEvents[event]} | ${shortened(operationsOf(event))} |`,
    ),
    "",
    `Attempts at these that were refused with one of the following errors are recorded, too: ${[...auditedRefusals].map((name) => `\`${name}\``).join(", ")}.`,
    "",
    "| not recorded, because | operations |",
    "| --- | --- |",
    ...[...reasons].map(
      ([reason, those]) => `| ${reason} | ${those.map(({ id }) => `\`${id}\``).join(", ")} |`,
    ),
    "",
    "| worker | records nothing, because |",
    "| --- | --- |",
    ...workers.map(({ name, audit }) => `| \`${name}\` | ${audit.none} |`),
  ].join("\n");
}

/** Features have many operations that differ only by the feature. */
const shortened = (ids: readonly string[]) =>
  ids.length <= 12
    ? ids.join(", ")
    : `${ids.slice(0, 4).join(", ")} and ${ids.length - 4} others of the kind`;
