import type { AuditRecord } from "#shared/platform/audit/audit-record.ts";

/**
 * The data of a change for a receiver: actor, event, time and ids, but neither networks nor names of the operator's
 * staff.
 */
export function webhookBody({ actor, event, operation, target, team, time }: AuditRecord): string {
  const { principal: _, ...who } = actor;
  return JSON.stringify({
    type: event,
    timestamp: time,
    data: { operation, actor: who, target, ...(team !== undefined && { team }) },
  });
}
