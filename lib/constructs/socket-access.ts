import { Aws, CfnOutput, Fn, Stack } from "aws-cdk-lib";
import { socketStage } from "../socket-paths.ts";
import type { SocketApi } from "./socket-api.ts";

/** By what functions post to sockets of API Gateway. */
export type SocketAccess = Pick<SocketApi, "connectionsUrl" | "connectionsArn" | "connectionsFinding">;

/** The same for another stack. The CDK would write the same references, but too late for its finding to be known. */
export function socketAccessElsewhere({ api }: SocketApi): SocketAccess {
  const stack = Stack.of(api);
  const { logicalId } = new CfnOutput(stack, "socket-api-id", { value: api.apiId });
  const id = Fn.getStackOutput(stack.stackName, stack.resolve(logicalId));
  const connections = `${socketStage}/*/@connections/*`;
  const finding = JSON.stringify(stack.resolve(id));
  return {
    connectionsUrl: `https://${id}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}/${socketStage}`,
    connectionsArn: `arn:${Aws.PARTITION}:execute-api:${Aws.REGION}:${Aws.ACCOUNT_ID}:${id}/${connections}`,
    connectionsFinding: `arn:<AWS::Partition>:execute-api:<AWS::Region>:<AWS::AccountId>:${finding}/${connections}`,
  };
}
