import type { Stage } from "#lib/stage.ts";
import { awsFailure } from "../aws-failure.ts";
import { type ClientOptions, createClients } from "../preflight/clients.ts";
import { Deployed } from "./deployed.ts";
import { measurements } from "./measurements.ts";

/**
 * Measure a deployed stage, and print a report in Markdown, with a reason for each value that cannot be measured.
 * Changes nothing.
 *
 * @returns whether everything was measured
 */
export async function measure(
  stage: Stage,
  print: (text: string) => void,
  options: Omit<ClientOptions, "region"> = {},
): Promise<boolean> {
  const region = stage.region ?? process.env.AWS_REGION ?? "us-east-1";
  const clients = createClients({ ...options, region });
  // Without credentials, each measurement would fail for the same reason.
  await clients.sts.config.credentials();
  const deployed = new Deployed(stage, clients, region, options.endpoint);
  print(`# Measurements of ${stage.name} in ${region}, ${new Date().toISOString()}`);
  let isComplete = true;
  for (const { name, risk, needs, run } of measurements) {
    print(`\n## ${name}\n\n${risk}\n`);
    try {
      for (const line of await run(deployed)) print(`- ${line}`);
    } catch (error) {
      isComplete = false;
      print(`- not measured: ${awsFailure(error)} (needs ${needs})`);
    }
  }
  return isComplete;
}
