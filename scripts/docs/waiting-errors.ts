import type { ErrorRow } from "#shared/registry/errors/define-errors.ts";

/** The errors whose answers tell when to call again. */
export function waitingErrors(catalogue: Readonly<Record<string, ErrorRow>>): string {
  const rows = Object.values(catalogue)
    .filter(({ hasRetryAfter }) => hasRetryAfter)
    .map(({ status, label, message }) => `| ${status} | \`${label}\` | ${message} |`);
  return ["| status | label | message |", "| --- | --- | --- |", ...rows.sort()].join("\n");
}
