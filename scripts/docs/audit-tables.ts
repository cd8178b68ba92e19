import { auditEvents, auditedRefusals } from "#shared/registry/audit-events.ts";

/** The events of the audit trail, and the refusals that it counts. */
export const auditTables = (): string =>
  [
    ...Object.entries(auditEvents).map(([event, meaning]) => `- \`${event}\`: ${meaning}`),
    "",
    `Attempts that were refused with one of these errors are recorded, too: ${[...auditedRefusals].map((name) => `\`${name}\``).join(", ")}.`,
  ].join("\n");
