import type { AuditRecord } from "#shared/platform/audit/audit-record.ts";

/** What a receiver gets of a change: who, what, when and ids; neither networks nor names of the operator's people. */
export function webhookBody({ actor, event, operation, target, team, time }: AuditRecord): string {
  const { principal: _, ...who } = actor;
  return JSON.stringify({
    type: event,
    timestamp: time,
    data: { operation, actor: who, target, ...(team !== undefined && { team }) },
  });
}
