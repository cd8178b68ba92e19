import { Aws, CfnOutput, Stack } from "aws-cdk-lib";
import { referenceElsewhere } from "../cross-stack-references.ts";
import { socketStage } from "../socket-paths.ts";
import type { SocketApi } from "./socket-api.ts";

/** Lets a function post to sockets of API Gateway. */
export type SocketAccess = Pick<SocketApi, "connectionsUrl" | "connectionsArn" | "connectionsFinding">;

/** The same for another stack. */
export function socketAccessElsewhere({ api }: SocketApi): SocketAccess {
  const output = new CfnOutput(Stack.of(api), "socket-api-id", { value: api.apiId });
  const { value: id, finding } = referenceElsewhere(output);
  const connections = `${socketStage}/*/@connections/*`;
  return {
    connectionsUrl: `https://${id}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}/${socketStage}`,
    connectionsArn: `arn:${Aws.PARTITION}:execute-api:${Aws.REGION}:${Aws.ACCOUNT_ID}:${id}/${connections}`,
    connectionsFinding: `arn:<AWS::Partition>:execute-api:<AWS::Region>:<AWS::AccountId>:${finding}/${connections}`,
  };
}
