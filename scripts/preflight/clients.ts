import { ACMClient } from "@aws-sdk/client-acm";
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SESv2Client } from "@aws-sdk/client-sesv2";
import { SNSClient } from "@aws-sdk/client-sns";
import { SSMClient } from "@aws-sdk/client-ssm";
import { STSClient } from "@aws-sdk/client-sts";

export interface ClientOptions {
  readonly region?: string;
  /** Address used instead of AWS. */
  readonly endpoint?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

export type Clients = ReturnType<typeof createClients>;

/** Clients of all services that are checked; ACM and SSM by region. Calls have short timeouts and are repeated once. */
export function createClients(given: ClientOptions) {
  const options = {
    ...given,
    maxAttempts: 2,
    requestHandler: { connectionTimeout: 3000, requestTimeout: 5000, throwOnRequestTimeout: true },
  };
  return {
    acmIn: (region: string) => new ACMClient({ ...options, region }),
    ssmIn: (region: string) => new SSMClient({ ...options, region }),
    cloudFormation: new CloudFormationClient(options),
    lambda: new LambdaClient(options),
    secretsManager: new SecretsManagerClient(options),
    ses: new SESv2Client(options),
    sns: new SNSClient(options),
    sts: new STSClient(options),
  };
}
