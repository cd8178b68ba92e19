import {
  CloudFormationClient,
  CreateStackCommand,
  DescribeStacksCommand,
} from "@aws-sdk/client-cloudformation";
import { CloudAssembly } from "aws-cdk-lib/cx-api";
import type { Credentials } from "#lib/signed-fetch.ts";
import { checkKept, differences, listMade, type MadeStack } from "./kept-properties.ts";
import { skippedTypes } from "./stack-rewrites.ts";
import type { Emulator } from "./start-emulator.ts";

/**
 * Create each stack of an assembly whose stacks refer to each other by exports, and print the resources that the
 * emulator accepts.
 *
 * @throws Error when a stack fails, or when the emulator accepts more or less than its description says
 */
export async function makeStacks(
  assembly: string,
  emulator: Emulator,
  credentials: Credentials,
): Promise<void> {
  const { endpoint, region } = emulator;
  const cloudFormation = new CloudFormationClient({ endpoint, region, credentials, maxAttempts: 1 });
  const stacks: MadeStack[] = [];
  const problems: string[] = [];
  for (const { stackName, template } of new CloudAssembly(assembly).stacks) {
    const start = Date.now();
    try {
      await create(stackName, JSON.stringify(template), cloudFormation);
      const stack = await listMade(stackName, template, cloudFormation);
      stacks.push(stack);
      const { length } = Object.keys(template.Resources);
      console.log(
        `ok    ${stackName}: ${stack.made.length} of ${length} resources (${Date.now() - start} ms)`,
      );
    } catch (error) {
      problems.push(`The stack ${stackName} is not accepted: ${(error as Error).message}`);
    }
  }
  const missing = stacks.flatMap((stack) => stack.missing.map(({ Type }) => Type));
  const made = stacks.flatMap((stack) => stack.made.map(({ resource }) => resource.Type));
  problems.push(...differences([...made, ...missing], missing, skippedTypes));
  problems.push(...(await checkKept("templates", stacks, emulator, credentials)));
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

/** @throws Error unless the stack is complete */
async function create(
  StackName: string,
  TemplateBody: string,
  cloudFormation: CloudFormationClient,
): Promise<void> {
  const Capabilities = ["CAPABILITY_NAMED_IAM" as const];
  await cloudFormation.send(new CreateStackCommand({ StackName, TemplateBody, Capabilities }));
  const { Stacks = [] } = await cloudFormation.send(new DescribeStacksCommand({ StackName }));
  const [{ StackStatus, StackStatusReason } = {}] = Stacks;
  if (StackStatus !== "CREATE_COMPLETE") throw new Error(`${StackStatus} ${StackStatusReason ?? ""}`);
}
