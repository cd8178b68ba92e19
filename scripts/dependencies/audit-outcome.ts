/** The outcome of an audit of the dependencies. */
export type AuditOutcome =
  | { readonly outcome: "passed"; readonly minor: number }
  | { readonly outcome: "vulnerable"; readonly findings: readonly string[] }
  | { readonly outcome: "skipped" | "failed"; readonly reason: string };

interface Vulnerability {
  readonly name: string;
  readonly severity: string;
  readonly via: readonly (string | { readonly title: string; readonly url: string })[];
}

interface AuditReport {
  readonly vulnerabilities?: Readonly<Record<string, Vulnerability>>;
  /** Fields of an answer of the registry that is no list. */
  readonly statusCode?: number;
  readonly message?: string | undefined;
  readonly error?: { readonly code?: string; readonly summary?: string };
}

const seriousSeverities: ReadonlySet<string> = new Set(["high", "critical"]);

/** Answers of a registry without such a list. */
const notOffered: ReadonlySet<number> = new Set([404, 405, 410, 501]);

/**
 * Read the output of `npm audit --json`.
 * @param text its standard output
 */
export function auditOutcomeOf(text: string): AuditOutcome {
  const report = parseReport(text);
  if (report === undefined)
    return { outcome: "failed", reason: `npm printed no report: ${text.slice(0, 200)}` };
  const { vulnerabilities, statusCode, message, error } = report;
  if (vulnerabilities !== undefined) return weigh(Object.values(vulnerabilities));
  // An error with a code is about the project's own files, such as a missing lock file.
  if (error?.code !== undefined)
    return { outcome: "failed", reason: `${error.code}: ${error.summary ?? "npm audit failed"}` };
  if (statusCode !== undefined && notOffered.has(statusCode))
    return { outcome: "skipped", reason: "the registry offers no audit" };
  return { outcome: "skipped", reason: `the registry gave no list: ${message}` };
}

/** @returns undefined unless it says something */
function parseReport(text: string): AuditReport | undefined {
  try {
    const report = JSON.parse(text);
    return report?.vulnerabilities || report?.message || report?.error ? report : undefined;
  } catch {
    return undefined;
  }
}

function weigh(vulnerabilities: readonly Vulnerability[]): AuditOutcome {
  const serious = vulnerabilities.filter(({ severity }) => seriousSeverities.has(severity));
  if (serious.length === 0) return { outcome: "passed", minor: vulnerabilities.length };
  return { outcome: "vulnerable", findings: serious.map(describe) };
}

function describe({ name, severity, via }: Vulnerability): string {
  const causes = via.map((cause) => (typeof cause === "string" ? cause : `${cause.title} (${cause.url})`));
  return `${severity}: ${name}: ${causes.join(", ")}`;
}
