import { DescribeSecretCommand } from "@aws-sdk/client-secrets-manager";
import { deployedSecret, isNotDeployed, NoSecretError } from "#lib/releases/deployed-stacks.ts";
import type { Stage } from "#lib/stage.ts";
import { type SecretName, secrets } from "#shared/registry/secrets.ts";
import { readCanaryAccount } from "../canary/target.ts";
import type { Clients } from "./clients.ts";
import { type Check, type Finding, later, missing, ok } from "./finding.ts";

/** Checks of secrets that functions read, and of values that only the operator can put into them. */
export const secretChecks = (stage: Stage, clients: Clients): Check[] => [
  allSecrets(stage, clients),
  ...(stage.canary ? [canary(stage, clients)] : []),
];

const allSecrets = ({ name }: Stage, clients: Clients): Check => ({
  name: "secrets",
  needs: "cloudformation:DescribeStackResources and secretsmanager:DescribeSecret",
  run: () =>
    ifDeployed(async () => {
      const names = Object.keys(secrets) as SecretName[];
      const lacking: string[] = [];
      for (const one of names) if (!(await exists(name, one, clients))) lacking.push(one);
      if (lacking.length === 0) return ok(`all ${names.length} are there`);
      return missing(
        `${lacking.join(", ")}: not there, or to be deleted`,
        "deploy; for one that was deleted: aws secretsmanager restore-secret --secret-id <ARN>",
      );
    }),
});

async function exists(stage: string, name: SecretName, { cloudFormation, secretsManager }: Clients) {
  const SecretId = await deployedSecret(cloudFormation, stage, name).catch((error: Error) => {
    if (error instanceof NoSecretError) return undefined;
    throw error;
  });
  if (SecretId === undefined) return false;
  try {
    const { DeletedDate } = await secretsManager.send(new DescribeSecretCommand({ SecretId }));
    return DeletedDate === undefined;
  } catch (error) {
    if ((error as Error).name === "ResourceNotFoundException") return false;
    throw error;
  }
}

const canary = ({ name }: Stage, { cloudFormation, secretsManager }: Clients): Check => ({
  name: "account of the canary",
  needs: "cloudformation:DescribeStackResources and secretsmanager:GetSecretValue",
  run: () =>
    ifDeployed(async () => {
      const secretId = await deployedSecret(cloudFormation, name, "canary");
      const account = await readCanaryAccount(secretsManager, secretId);
      if (account !== undefined) return ok(`the user ${account.userId}`);
      return missing(
        "there is none",
        `npm run canary -- create --stage ${name} --email ADDRESS --contact-email ADDRESS`,
      );
    }),
});

async function ifDeployed(look: () => Promise<Finding>): Promise<Finding> {
  try {
    return await look();
  } catch (error) {
    if (!isNotDeployed(error)) throw error;
    return later("the first deployment creates them");
  }
}
