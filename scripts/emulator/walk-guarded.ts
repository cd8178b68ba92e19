import { randomUUID } from "node:crypto";
import { LambdaClient, paginateListFunctions } from "@aws-sdk/client-lambda";
import { SetupError } from "#lib/local/setup-error.ts";
import { stackPrefix } from "#lib/releases/deployed-stacks.ts";
import { bundledContext } from "#lib/stacks/bundled-stacks.ts";
import type { Stage } from "#lib/stage.ts";
import { credentials, emulatedApp, runNode } from "./cdk.ts";
import { moreMegabytes } from "./deployment-faults.ts";
import type { Emulator } from "./start-emulator.ts";
import { step } from "./walk-steps.ts";

/** A function that the canary needs, and that neither the first nor the last wave updates. */
const broken = { name: "search", wave: 2 };

/**
 * Deploy changes of all functions to an existing stage with `npm run deploy:guarded`: one that works, and one after
 * which the search of the canary fails, so that all functions must be rolled back. Each step prints its duration.
 */
export async function walkGuarded({ endpoint, region }: Emulator, { name }: Stage): Promise<void> {
  const lambda = new LambdaClient({ endpoint, region, credentials });
  const script = (file: string, ...parameters: string[]) =>
    runNode([`scripts/${file}`, ...parameters], process.env);
  const options = ["--context", `${bundledContext}=yes`, "--require-approval", "never"];
  const deployGuarded = (...changes: string[]) =>
    script("deploy-guarded.ts", name, "--app", emulatedApp(...changes), ...options);
  const canary = async (command: string, ...parameters: string[]) => {
    const { code, output } = await script("canary.ts", command, "--stage", name, ...parameters);
    if (code !== 0) throw new SetupError(`npm run canary -- ${command} failed:\n${output}`);
  };

  const sizes = () => megabytesOf(lambda, stackPrefix(name));

  const before = await sizes();
  await step("the canary gets an account, and acts like a person", async () => {
    const [email, contactEmail] = [randomUUID(), randomUUID()].map((local) => `${local}@example.com`);
    await canary("create", `--email=${email}`, `--contact-email=${contactEmail}`, "--replace");
    await canary("run");
  });
  await step("a guarded deployment changes all functions, in three waves", async () => {
    const { code, output } = await deployGuarded("--change");
    if (code !== 0 || !output.includes("Wave 3 of 3")) throw new Error(`It ended with ${code}:\n${output}`);
    const after = await sizes();
    const others = [...before].filter(([one, megabytes]) => after.get(one) !== megabytes + moreMegabytes);
    if (before.size === 0 || others.length > 0)
      throw new Error(
        `Of ${before.size} functions it has not changed ${others.map(([one]) => one).join(", ")}`,
      );
  });
  await step("a deployment that fails the canary is rolled back, together with an earlier wave", async () => {
    const changed = await sizes();
    const { code, output } = await deployGuarded("--break", broken.name);
    if (code !== 1 || !output.includes("All functions are deployed again") || output.includes("Wave 3"))
      throw new Error(`It ended with ${code}:\n${output}`);
    if (!output.includes(`Wave ${broken.wave} of 3`))
      throw new Error(`It did not reach that wave:\n${output}`);
    const after = await sizes();
    const others = [...changed].filter(([one, megabytes]) => after.get(one) !== megabytes);
    if (others.length > 0) throw new Error(`Not as before: ${others.map(([one]) => one).join(", ")}`);
    await canary("run");
  });
}

/** Memory of all functions of a stage, by their names. */
async function megabytesOf(client: LambdaClient, prefix: string): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  for await (const { Functions = [] } of paginateListFunctions({ client }, {}))
    for (const { FunctionName = "", MemorySize = 0 } of Functions)
      if (FunctionName.startsWith(prefix)) sizes.set(FunctionName, MemorySize);
  return sizes;
}
