import {
  type CloudFormationClient,
  DescribeStacksCommand,
  UpdateTerminationProtectionCommand,
} from "@aws-sdk/client-cloudformation";
import { isNotDeployed } from "./deployed-stacks.ts";

/** A stack of a stage, and its region. */
export interface PlannedStack {
  readonly name: string;
  readonly region: string | undefined;
}

/** States of a stack whose creation has not succeeded, and those in which the CDK deletes it before it tries again. */
const incompleteStates = /^(REVIEW_IN_PROGRESS|CREATE_FAILED|CREATE_IN_PROGRESS|ROLLBACK_\w+)$/;
const failedStates = /^ROLLBACK_(COMPLETE|FAILED)$/;

/**
 * Find the stacks that have not been created yet, and end the termination protection of those whose creation has
 * failed: CloudFormation can only delete them.
 *
 * @param say gets a sentence for each of the latter
 * @returns their names
 */
export async function prepareFirstDeployment(
  stacks: readonly PlannedStack[],
  clientIn: (region: string | undefined) => Pick<CloudFormationClient, "send">,
  say: (line: string) => void,
): Promise<string[]> {
  const incomplete: string[] = [];
  for (const { name: StackName, region } of stacks) {
    const cloudFormation = clientIn(region);
    const found = await cloudFormation
      .send(new DescribeStacksCommand({ StackName }))
      .then(({ Stacks = [] }) => Stacks[0])
      .catch((error: unknown) => {
        if (isNotDeployed(error)) return undefined;
        throw error;
      });
    const { StackStatus: status = "", EnableTerminationProtection: isProtected } = found ?? {};
    if (found !== undefined && !incompleteStates.test(status)) continue;
    incomplete.push(StackName);
    if (!isProtected || !failedStates.test(status)) continue;
    say(`${StackName} is ${status}: its creation failed, and it is deleted and created again.`);
    await cloudFormation.send(
      new UpdateTerminationProtectionCommand({ StackName, EnableTerminationProtection: false }),
    );
  }
  return incomplete;
}
