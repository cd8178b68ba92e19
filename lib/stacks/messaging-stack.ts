import { CfnOutput, Stack, type StackProps } from "aws-cdk-lib";
import { EmailIdentity, Identity } from "aws-cdk-lib/aws-ses";
import type { Construct } from "constructs";
import { type QueueName, queues } from "#shared/registry/queues.ts";
import { WorkerQueue } from "../constructs/worker-queue.ts";
import type { Stage } from "../stage.ts";

interface MessagingStackProps extends StackProps {
  readonly stage: Stage;
}

/** One queue per row of the registry, and the identity that sends e-mails. SMS need no resource. */
export class MessagingStack extends Stack {
  readonly queues: Readonly<Record<QueueName, WorkerQueue>>;

  constructor(scope: Construct, id: string, { stage, ...props }: MessagingStackProps) {
    super(scope, id, props);
    this.queues = Object.fromEntries(
      Object.keys(queues).map((name) => [name, new WorkerQueue(this, { name: name as QueueName })]),
    ) as Record<QueueName, WorkerQueue>;
    this.#createSender(stage);
  }

  #createSender({ emailIdentity, settings: { emailSender } }: Stage) {
    if (emailIdentity === "address") {
      new EmailIdentity(this, "Sender", { identity: Identity.email(emailSender) });
      return;
    }
    const domain = emailSender.slice(emailSender.lastIndexOf("@") + 1);
    const { dkimRecords } = new EmailIdentity(this, "Sender", { identity: Identity.domain(domain) });
    for (const [index, { name, value }] of dkimRecords.entries()) {
      new CfnOutput(this, `EmailDnsRecord${index + 1}`, {
        description: "DNS record that lets SES send for the domain",
        value: `${name} CNAME ${value}`,
      });
    }
  }
}
