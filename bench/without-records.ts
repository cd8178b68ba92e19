import { AuditRecorder } from "#shared/platform/audit/audited.ts";

/** Let functions of this process change what they change without a record of the audit trail while a task runs. */
export async function withoutRecords<Result>(task: () => Promise<Result>): Promise<Result> {
  const { run } = AuditRecorder.prototype;
  AuditRecorder.prototype.run = (_request, change) => change();
  try {
    return await task();
  } finally {
    AuditRecorder.prototype.run = run;
  }
}
