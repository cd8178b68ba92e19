import { CfnOutput, Stack, type StackProps } from "aws-cdk-lib";
import { EventBus, Rule } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { AccountRootPrincipal, PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import {
  ConfigurationSet,
  EmailIdentity,
  EmailSendingEvent,
  EventDestination,
  type IConfigurationSet,
  Identity,
} from "aws-cdk-lib/aws-ses";
import { Topic } from "aws-cdk-lib/aws-sns";
import { SqsSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import type { Construct } from "constructs";
import { type QueueName, queues } from "#shared/registry/queues.ts";
import { WorkerQueue } from "../constructs/worker-queue.ts";
import type { Stage } from "../stage.ts";

interface MessagingStackProps extends StackProps {
  readonly stage: Stage;
}

/**
 * One queue per row of the registry, and the identity that sends emails, with the events that SES reports about them;
 * also a topic for events that SNS reports about push tokens. SMS need no resource.
 */
export class MessagingStack extends Stack {
  readonly queues: Readonly<Record<QueueName, WorkerQueue>>;

  constructor(scope: Construct, id: string, { stage, ...props }: MessagingStackProps) {
    super(scope, id, props);
    this.queues = Object.fromEntries(
      Object.keys(queues).map((name) => [name, new WorkerQueue(this, { name: name as QueueName })]),
    ) as Record<QueueName, WorkerQueue>;
    this.#createSender(stage, this.#createFeedback());
    if (stage.settings.pushApplications.length > 0) this.#createPushFeedback();
    new CfnOutput(this, "CellsEventsQueueUrl", {
      description: "Queue with the events of conversations with Cells, for a consumer of yours",
      value: this.queues["cells-events"].queue.queueUrl,
    });
  }

  /**
   * Bounces and complaints about mails of this stage, not of other senders in the account. The queue accepts messages
   * only from the rule, and only AWS can send events of `aws.ses`.
   */
  #createFeedback(): IConfigurationSet {
    const configurationSet = new ConfigurationSet(this, "Mails");
    configurationSet.addEventDestination("Feedback", {
      // SES can only use the default bus.
      destination: EventDestination.eventBus(EventBus.fromEventBusName(this, "DefaultBus", "default")),
      events: [EmailSendingEvent.BOUNCE, EmailSendingEvent.COMPLAINT],
    });
    new Rule(this, "Feedback", {
      eventPattern: {
        source: ["aws.ses"],
        detailType: ["Email Bounced", "Email Complaint Received"],
        detail: { mail: { tags: { "ses:configuration-set": [configurationSet.configurationSetName] } } },
      },
      targets: [new SqsQueue(this.queues["mail-feedback"].queue)],
    });
    return configurationSet;
  }

  /**
   * Events of SNS about endpoints of platform applications. Operators create the applications, with their credentials,
   * and name this topic in them. The queue accepts messages only from the topic, and the topic only from SNS.
   */
  #createPushFeedback() {
    const topic = new Topic(this, "PushFeedback", { enforceSSL: true });
    // The policy that enforces TLS replaces the default one, which lets the account publish.
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal("sns.amazonaws.com"), new AccountRootPrincipal()],
        actions: ["sns:Publish"],
        resources: [topic.topicArn],
        conditions: { StringEquals: { "aws:SourceAccount": this.account } },
      }),
    );
    topic.addSubscription(
      new SqsSubscription(this.queues["push-endpoints"].queue, { rawMessageDelivery: true }),
    );
    new CfnOutput(this, "PushFeedbackTopicArn", {
      description: "Topic for the events of platform applications",
      value: topic.topicArn,
    });
  }

  /** @param configurationSet the default for every mail of the identity; senders need not name it */
  #createSender({ emailIdentity, settings: { emailSender } }: Stage, configurationSet: IConfigurationSet) {
    if (emailIdentity === "address") {
      new EmailIdentity(this, "Sender", { identity: Identity.email(emailSender), configurationSet });
      return;
    }
    const domain = emailSender.slice(emailSender.lastIndexOf("@") + 1);
    const { dkimRecords } = new EmailIdentity(this, "Sender", {
      identity: Identity.domain(domain),
      configurationSet,
    });
    for (const [index, { name, value }] of dkimRecords.entries()) {
      new CfnOutput(this, `EmailDnsRecord${index + 1}`, {
        description: "DNS record that lets SES send for the domain",
        value: `${name} CNAME ${value}`,
      });
    }
  }
}
