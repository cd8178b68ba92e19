import type { Stage } from "#lib/stage.ts";
import { awsFailure } from "../aws-failure.ts";
import { accountChecks } from "./account-checks.ts";
import { apiChecks } from "./api-checks.ts";
import { backupChecks } from "./backup-checks.ts";
import { type ClientOptions, createClients } from "./clients.ts";
import { type Check, type Finding, missing } from "./finding.ts";
import { mailChecks } from "./mail-checks.ts";
import { nameChecks } from "./name-checks.ts";
import { secretChecks } from "./secret-checks.ts";

export interface PreflightOptions extends Omit<ClientOptions, "region"> {
  /** DNS servers used instead of the system's. */
  readonly dnsServers?: readonly string[];
  /** Time that one check may take, with all of its calls. */
  readonly checkMilliseconds?: number;
}

/**
 * Check everything outside the project that a stage needs, and print a line for each: `ok`, `missing` with the action
 * or the request to AWS, `warning`, or `later` for resources that only a deployment creates. Changes nothing.
 *
 * @returns whether nothing is missing
 */
export async function preflight(
  stage: Stage,
  print: (line: string) => void,
  { checkMilliseconds = 20_000, dnsServers, ...options }: PreflightOptions = {},
): Promise<boolean> {
  const region = stage.region ?? process.env.AWS_REGION ?? "us-east-1";
  const clients = createClients({ ...options, region });
  try {
    await clients.sts.config.credentials();
  } catch (error) {
    print(`missing credentials: ${awsFailure(error)}`);
    return false;
  }
  const checks = [
    ...accountChecks(stage, region, clients),
    ...apiChecks(stage, region, clients, options.endpoint),
    ...backupChecks(stage, region, clients, options.endpoint),
    ...nameChecks(stage, region, clients, dnsServers),
    ...mailChecks(stage, clients),
    ...secretChecks(stage, clients),
  ];
  const findings = await Promise.all(checks.map((check) => outcomeOf(check, checkMilliseconds)));
  for (const [index, { name }] of checks.entries()) {
    const finding = findings[index];
    if (finding === undefined) continue;
    print(`${finding.state.padEnd(8)}${name}: ${finding.found}`);
    if ("request" in finding) print(`        → ${finding.request}`);
  }
  return findings.every(({ state }) => state !== "missing");
}

/** A check that fails is reported in its line, because missing permissions are a finding, too. */
async function outcomeOf(check: Check, milliseconds: number): Promise<Finding> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Finding>((resolve) => {
    timer = setTimeout(
      () => resolve(missing("AWS has not answered in time", "try again; check the way to AWS")),
      milliseconds,
    );
  });
  try {
    return await Promise.race([check.run(), late]);
  } catch (error) {
    return missing(`not known. ${awsFailure(error)}`, `allow ${check.needs}, or look yourself`);
  } finally {
    clearTimeout(timer);
  }
}
