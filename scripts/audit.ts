// Looks up all dependencies, except those for development, in the registry's list of vulnerabilities, and fails for one
// that is high or critical. If the registry has no such list or cannot be reached, it reports that and succeeds: npm
// run audit
import { spawnSync } from "node:child_process";
import { auditOutcomeOf } from "./dependencies/audit-outcome.ts";

const { stdout, error } = spawnSync(
  "npm",
  [
    "audit",
    "--omit=dev",
    "--json",
    "--fetch-retries=1",
    "--fetch-retry-mintimeout=1000",
    "--fetch-timeout=20000",
  ],
  { encoding: "utf8", shell: process.platform === "win32", maxBuffer: 64 * 2 ** 20 },
);
if (error !== undefined) throw error;

const found = auditOutcomeOf(stdout);
switch (found.outcome) {
  case "passed":
    console.log(`Audit passed: nothing high or critical, ${found.minor} below.`);
    break;
  case "vulnerable":
    console.error(["Audit failed:", ...found.findings].join("\n"));
    process.exitCode = 1;
    break;
  case "skipped":
    console.log(`Audit skipped: ${found.reason}.`);
    break;
  case "failed":
    console.error(`Audit failed: ${found.reason}`);
    process.exitCode = 1;
}
