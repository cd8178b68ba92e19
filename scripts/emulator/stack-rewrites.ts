import {
  change,
  type Rewrite,
  replaceByNothing,
  replaceValues,
  type Template,
  type Value,
} from "./template.ts";

/**
 * Types of which the emulator silently creates nothing: it lists a resource without a name, and references to it fail.
 */
export const skippedTypes: readonly string[] = [
  "AWS::ApiGateway::Account",
  "AWS::ApiGatewayV2::Api",
  "AWS::ApiGatewayV2::Integration",
  "AWS::ApiGatewayV2::IntegrationResponse",
  "AWS::ApiGatewayV2::Route",
  "AWS::ApiGatewayV2::RouteResponse",
  "AWS::ApiGatewayV2::Stage",
  "AWS::ApplicationAutoScaling::ScalableTarget",
  "AWS::ApplicationAutoScaling::ScalingPolicy",
  "AWS::CloudFormation::WaitConditionHandle",
  "AWS::CloudWatch::Alarm",
  "AWS::EC2::SecurityGroupEgress",
  "AWS::Lambda::EventInvokeConfig",
  "AWS::Logs::MetricFilter",
  "AWS::Logs::QueryDefinition",
  "AWS::Logs::SubscriptionFilter",
  "AWS::S3::BucketPolicy",
  "AWS::SES::ConfigurationSet",
  "AWS::SES::ConfigurationSetEventDestination",
  "AWS::SES::EmailIdentity",
  "AWS::SNS::Subscription",
  "AWS::SNS::TopicPolicy",
  "AWS::SQS::QueuePolicy",
  "AWS::SecretsManager::RotationSchedule",
  "AWS::SecretsManager::Secret",
];

/** Attributes that resources created by the emulator lack. */
const missingAttributes: readonly string[] = [
  "AWS::ElasticLoadBalancingV2::LoadBalancer LoadBalancerFullName",
  "AWS::ElasticLoadBalancingV2::TargetGroup TargetGroupFullName",
];

/** Rewrites for the emulator that creates resources from templates, but runs nothing. */
export const stackRewrites: readonly Rewrite[] = [
  {
    reason: "the emulator has no bootstrap, whose version the templates would ask for",
    apply(template) {
      const isAsking = template.Rules !== undefined;
      delete template.Parameters;
      delete template.Rules;
      return isAsking ? 1 : 0;
    },
  },
  {
    reason: "the emulator asks for names of FIFO queues, which AWS makes up",
    refuses: ["AWS::SQS::Queue FifoQueue without QueueName"],
    apply({ Resources }) {
      const unnamed = Object.entries(Resources).filter(
        ([, { Type, Properties }]) =>
          Type === "AWS::SQS::Queue" && Properties.FifoQueue && Properties.QueueName === undefined,
      );
      for (const [id, { Properties }] of unnamed) Properties.QueueName = `${id}.fifo`;
      return unnamed.length;
    },
  },
  {
    reason: "the emulator knows no listeners for TLS, nor the certificates that stages name",
    refuses: ["AWS::ElasticLoadBalancingV2::Listener Protocol TLS"],
    apply: ({ Resources }) =>
      change(Resources, ({ Type, Properties }) => {
        if (Type !== "AWS::ElasticLoadBalancingV2::Listener" || Properties.Protocol !== "TLS") return false;
        Properties.Protocol = "HTTP";
        delete Properties.Certificates;
        delete Properties.SslPolicy;
        return true;
      }),
  },
  {
    reason:
      "the emulator runs the function of a custom resource in a container only, so that becomes nothing",
    refuses: ["Custom::Relays"],
    apply: ({ Resources }) =>
      change(Resources, (resource) => {
        if (!resource.Type.startsWith("Custom::")) return false;
        replaceByNothing(resource);
        return true;
      }),
  },
  {
    reason: "functions have no bundles, which nothing would run",
    apply: ({ Resources }) =>
      change(Resources, ({ Type, Properties }) => {
        if (Type !== "AWS::Lambda::Function") return false;
        Properties.Code = { ZipFile: "export {};" };
        return true;
      }),
  },
  {
    reason: "what refers to a resource of a type that the emulator skips has a text instead",
    refuses: skippedTypes,
    apply: (template) =>
      replaceReferences(template, (id) => skippedTypes.includes(template.Resources[id]?.Type ?? "")),
  },
  {
    reason: "what refers to an attribute that the emulator does not know has a text instead",
    refuses: missingAttributes,
    apply: (template) =>
      replaceReferences(template, (id, attribute) =>
        missingAttributes.includes(`${template.Resources[id]?.Type} ${attribute}`),
      ),
  },
];

/** Replace references by an ARN, because policies are checked for their form. */
const replaceReferences = (
  template: Template,
  isReplaced: (id: string, attribute?: string) => boolean,
): number =>
  replaceValues(template, (value: Value) => {
    const [id, attribute] = [value?.["Fn::GetAtt"] ?? value?.Ref ?? []].flat();
    return typeof id === "string" && isReplaced(id, attribute) ? `arn:aws:none:::${id}` : undefined;
  });
