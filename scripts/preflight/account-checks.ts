import { GetAccountSettingsCommand } from "@aws-sdk/client-lambda";
import { GetSMSAttributesCommand, GetSMSSandboxAccountStatusCommand } from "@aws-sdk/client-sns";
import { GetParameterCommand } from "@aws-sdk/client-ssm";
import { AssumeRoleCommand, GetCallerIdentityCommand } from "@aws-sdk/client-sts";
import { placeholdersOf } from "#lib/placeholders.ts";
import { concurrencyOf, type Stage } from "#lib/stage.ts";
import type { Clients } from "./clients.ts";
import { type Check, missing, ok, warning } from "./finding.ts";

/** Default suffix of the names of resources that `cdk bootstrap` creates. */
const bootstrapQualifier = "hnb659fds";
/** First version that the stacks of the CDK accept. */
const leastBootstrapVersion = 6;
const edgeRegion = "us-east-1";

/** Checks of the account and its quotas, before and after a deployment. */
export const accountChecks = (stage: Stage, region: string, clients: Clients): Check[] => [
  stageFile(stage),
  account(stage, clients),
  ...bootstrapRegions(stage, region).flatMap((one) => [bootstrap(one, clients), deployRole(one, clients)]),
  concurrency(stage, clients),
  sms(stage, clients),
  smsSandbox(stage, clients),
];

const bootstrapRegions = ({ distribution, backups }: Stage, region: string) => [
  ...new Set([
    region,
    ...(distribution?.rateRules === undefined ? [] : [edgeRegion]),
    ...(backups === undefined ? [] : [backups.region]),
  ]),
];

const stageFile = (stage: Stage): Check => ({
  name: "stage file",
  needs: "nothing",
  async run() {
    const { name, account: pinned, region } = stage;
    const open = [
      ...placeholdersOf(stage),
      ...(pinned === undefined ? ["account: not set"] : []),
      ...(region === undefined ? ["region: not set"] : []),
    ];
    if (open.length === 0) return ok(`stages/${name}.json has no placeholders, and pins account and region`);
    return missing(open.join("; "), `set them in stages/${name}.json`);
  },
});

const account = ({ account: pinned }: Stage, { sts }: Clients): Check => ({
  name: "account",
  needs: "sts:GetCallerIdentity",
  async run() {
    const { Account, Arn } = await sts.send(new GetCallerIdentityCommand({}));
    if (pinned === undefined || Account === pinned) return ok(`${Account}, as ${Arn}`);
    return missing(
      `the credentials are for ${Account}, the stage for ${pinned}`,
      "use credentials of the stage's account, or correct account in the stage file",
    );
  },
});

const bootstrap = (region: string, { ssmIn }: Clients): Check => ({
  name: `CDK bootstrap in ${region}`,
  needs: "ssm:GetParameter",
  async run() {
    const Name = `/cdk-bootstrap/${bootstrapQualifier}/version`;
    const command = `npx cdk bootstrap aws://<account>/${region}`;
    try {
      const { Parameter } = await ssmIn(region).send(new GetParameterCommand({ Name }));
      const version = Number(Parameter?.Value);
      if (version >= leastBootstrapVersion) return ok(`version ${version}`);
      return missing(`version ${Parameter?.Value}, at least ${leastBootstrapVersion} needed`, command);
    } catch (error) {
      if ((error as Error).name !== "ParameterNotFound") throw error;
      return missing("not done", command);
    }
  },
});

const deployRole = (region: string, { sts }: Clients): Check => ({
  name: `permission to deploy in ${region}`,
  needs: "sts:AssumeRole on the role cdk-*-deploy-role-*",
  async run() {
    const { Account } = await sts.send(new GetCallerIdentityCommand({}));
    const partition = region.startsWith("cn-") ? "aws-cn" : "aws";
    const role = `cdk-${bootstrapQualifier}-deploy-role-${Account}-${region}`;
    const RoleArn = `arn:${partition}:iam::${Account}:role/${role}`;
    await sts.send(
      new AssumeRoleCommand({ RoleArn, RoleSessionName: "parley-preflight", DurationSeconds: 900 }),
    );
    return ok(`may assume ${role}`);
  },
});

const concurrency = (stage: Stage, { lambda }: Clients): Check => ({
  name: "Lambda concurrency",
  needs: "lambda:GetAccountSettings",
  async run() {
    const { AccountLimit } = await lambda.send(new GetAccountSettingsCommand({}));
    const quota = AccountLimit?.ConcurrentExecutions ?? 0;
    const { reserved, workers, requests, total } = concurrencyOf(stage);
    const needed = Math.max(total, stage.accountConcurrency ?? 0);
    const sum = `${reserved} reserved, ${workers} for workers, ${requests} for requests`;
    if (quota >= needed) return ok(`${quota} instances; ${needed} needed (${sum})`);
    return missing(
      `${quota} instances; ${needed} needed (${sum}), and below ${reserved + requests} the deployment itself fails`,
      `Service Quotas › AWS Lambda › Concurrent executions (L-B99A9384): ${needed}`,
    );
  },
});

const sms = ({ smsMonthlyDollars: wanted }: Stage, { sns }: Clients): Check => ({
  name: "SMS spending limit",
  needs: "sns:GetSMSAttributes",
  async run() {
    const { attributes } = await sns.send(new GetSMSAttributesCommand({ attributes: ["MonthlySpendLimit"] }));
    // AWS starts every account with one dollar, and leaves the attribute out until it is set.
    const limit = Number(attributes?.MonthlySpendLimit ?? 1);
    if (wanted === undefined) return ok(`$${limit} a month; the stage sets no smsMonthlyDollars`);
    if (limit >= wanted) return ok(`$${limit} a month; $${wanted} wanted`);
    return missing(
      `$${limit} a month; $${wanted} wanted`,
      `AWS Support › Service limit increase › SNS text messaging › Account spend threshold: $${wanted}; then ` +
        `aws sns set-sms-attributes --attributes MonthlySpendLimit=${wanted}`,
    );
  },
});

/**
 * Every account starts in the sandbox: https://docs.aws.amazon.com/sns/latest/dg/sns-sms-sandbox.html
 * A stage that names no spending limit may not need SMS.
 */
const smsSandbox = ({ smsMonthlyDollars }: Stage, { sns }: Clients): Check => ({
  name: "SMS sandbox",
  needs: "sns:GetSMSSandboxAccountStatus",
  async run() {
    const { IsInSandbox } = await sns.send(new GetSMSSandboxAccountStatusCommand({}));
    if (!IsInSandbox) return ok("the account has left it");
    const report = smsMonthlyDollars === undefined ? warning : missing;
    return report(
      "SNS sends only to phone numbers that the account has verified",
      "SNS in the region of the stage › Text messaging (SMS) › Exit SMS sandbox",
    );
  },
});
