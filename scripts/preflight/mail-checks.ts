import { DescribeStackResourcesCommand } from "@aws-sdk/client-cloudformation";
import { GetAccountCommand, GetEmailIdentityCommand } from "@aws-sdk/client-sesv2";
import { paginateListSubscriptionsByTopic } from "@aws-sdk/client-sns";
import { isNotDeployed, stackPrefix } from "#lib/releases/deployed-stacks.ts";
import type { Stage } from "#lib/stage.ts";
import type { Clients } from "./clients.ts";
import { type Check, later, missing, ok } from "./finding.ts";

/** Checks for mails: those to users, and those with alarms. */
export const mailChecks = (stage: Stage, clients: Clients): Check[] => [
  sending(clients),
  sender(stage, clients),
  subscription(stage, clients),
];

const sending = ({ ses }: Clients): Check => ({
  name: "SES",
  needs: "ses:GetAccount",
  async run() {
    const { ProductionAccessEnabled, SendingEnabled, SendQuota } = await ses.send(new GetAccountCommand({}));
    const quota = `${SendQuota?.Max24HourSend} mails a day, ${SendQuota?.MaxSendRate} a second`;
    if (!SendingEnabled)
      return missing(
        "sending is paused or suspended",
        "SES › Account dashboard: see the reason, and answer the case",
      );
    if (!ProductionAccessEnabled)
      return missing(
        `in the sandbox (${quota}): only verified recipients get mails`,
        "SES › Account dashboard › Request production access: transactional, with bounces and complaints handled",
      );
    return ok(`${quota}; for more: Service Quotas › Amazon SES › Sending quota`);
  },
});

const sender = ({ name, emailIdentity, settings: { emailSender } }: Stage, { ses }: Clients): Check => ({
  name: "mail sender",
  needs: "ses:GetEmailIdentity",
  async run() {
    const domain = emailSender.replace(/.*@/, "");
    const EmailIdentity = emailIdentity === "domain" ? domain : emailSender;
    try {
      const identity = await ses.send(new GetEmailIdentityCommand({ EmailIdentity }));
      if (identity.VerifiedForSendingStatus) return ok(`${EmailIdentity} is verified`);
      return missing(
        `${EmailIdentity} is not verified`,
        emailIdentity === "domain"
          ? `create the DNS records that the stack ${stackPrefix(name)}messaging outputs`
          : `follow the link that SES has mailed to ${EmailIdentity}`,
      );
    } catch (error) {
      if ((error as Error).name !== "NotFoundException") throw error;
      return later(`the deployment creates the identity ${EmailIdentity}`);
    }
  },
});

const subscription = ({ name, alarmEmail }: Stage, { cloudFormation, sns }: Clients): Check => ({
  name: "alarm mails",
  needs: "cloudformation:DescribeStackResources and sns:ListSubscriptionsByTopic",
  async run() {
    if (alarmEmail === undefined)
      return missing("nobody receives the alarms", `set alarmEmail in stages/${name}.json`);
    const StackName = `${stackPrefix(name)}monitoring`;
    try {
      const { StackResources = [] } = await cloudFormation.send(
        new DescribeStackResourcesCommand({ StackName }),
      );
      const topics = StackResources.filter(({ ResourceType }) => ResourceType === "AWS::SNS::Topic");
      const arns: (string | undefined)[] = [];
      for (const { PhysicalResourceId: TopicArn = "" } of topics) {
        for await (const { Subscriptions = [] } of paginateListSubscriptionsByTopic(
          { client: sns },
          { TopicArn },
        ))
          arns.push(
            ...Subscriptions.filter(({ Endpoint }) => Endpoint === alarmEmail).map(
              (one) => one.SubscriptionArn,
            ),
          );
      }
      if (arns.some((arn) => arn?.startsWith("arn:"))) return ok(`${alarmEmail} has confirmed`);
      return missing(
        `${alarmEmail} ${arns.length > 0 ? "has not confirmed the subscription" : "is not subscribed"}`,
        arns.length > 0 ? "follow the link in the mail of AWS Notifications" : `deploy ${StackName}`,
      );
    } catch (error) {
      if (!isNotDeployed(error)) throw error;
      return later(`the deployment subscribes ${alarmEmail}, who must follow the link in the mail`);
    }
  },
});
