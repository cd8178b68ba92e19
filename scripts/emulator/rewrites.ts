import { socketStage } from "#lib/socket-paths.ts";
import { variables } from "#shared/platform/config.ts";
import {
  change,
  changeStatements,
  changeVariables,
  type Resource,
  type Rewrite,
  replaceByNothing,
  replaceRefs,
  replaceValues,
} from "./template.ts";

/** Types that the emulator knows in its API, but not in templates. */
const unknownTypes = [
  "AWS::ApiGatewayV2::RouteResponse",
  "AWS::Logs::QueryDefinition",
  "AWS::SecretsManager::RotationSchedule",
  "AWS::ApplicationAutoScaling::ScalableTarget",
  "AWS::ApplicationAutoScaling::ScalingPolicy",
  "AWS::EC2::SecurityGroupEgress",
  "AWS::EC2::SecurityGroupIngress",
];

/** Rewrites for the emulator that runs functions. */
export const rewrites: readonly Rewrite[] = [
  {
    reason: "resource types that the emulator does not know become one that does nothing",
    refuses: unknownTypes,
    apply: ({ Resources }) =>
      change(Resources, (resource) => {
        if (!unknownTypes.includes(resource.Type)) return false;
        replaceByNothing(resource);
        return true;
      }),
  },
  {
    reason:
      "the emulator takes integration responses only by its API; outputs say what the command makes there",
    refuses: ["AWS::ApiGatewayV2::IntegrationResponse"],
    apply(template) {
      const { Resources, Outputs = {} } = template;
      template.Outputs = Outputs;
      return change(Resources, (resource) => {
        if (resource.Type !== "AWS::ApiGatewayV2::IntegrationResponse") return false;
        const { ApiId, IntegrationId, ...others } = resource.Properties;
        const fields = Object.entries(others).map(([name, value]) => [lowerFirst(name), value]);
        const path = ["/v2/apis/", ApiId, "/integrations/", IntegrationId, "/integrationresponses"];
        const call = [...path, " ", JSON.stringify(Object.fromEntries(fields))];
        Outputs[outputId(pathOf(resource))] = { Value: { "Fn::Join": ["", call] } };
        replaceByNothing(resource);
        return true;
      });
    },
  },
  {
    reason: "the emulator refuses alarms that compute a metric from others, so they become nothing",
    refuses: ["AWS::CloudWatch::Alarm Metrics"],
    apply: ({ Resources }) =>
      change(Resources, (resource) => {
        const { Type, Properties } = resource;
        if (Type !== "AWS::CloudWatch::Alarm" || Properties.Metrics === undefined) return false;
        replaceByNothing(resource);
        return true;
      }),
  },
  {
    reason: "the emulator unpacks a bundle into the current folder of its process, not into /var/task",
    apply: ({ Resources }) =>
      changeVariables(Resources, (name, value) =>
        unpackedFiles.includes(name) ? value.replace(/^\/var\/task\//, "") : value,
      ),
  },
  {
    reason: "the host name of the @connections API belongs to AWS; the emulator has it below its own address",
    apply: ({ Resources }, endpoint) =>
      changeVariables(Resources, (name, value) => {
        if (name !== variables.socketsEndpoint) return value;
        const [, [, apiId]] = value["Fn::Join"];
        return { "Fn::Join": ["", [`${endpoint}/_aws/execute-api/`, apiId, `/${socketStage}`]] };
      }),
  },
  {
    reason: "the host name of relays' queues belongs to AWS; the emulator has them below its own address",
    apply: ({ Resources }, endpoint) =>
      replaceValues(Resources, (value) => {
        const [host, _region, _dot, _suffix, ...path] = value?.["Fn::Join"]?.[1] ?? [];
        return host === "https://sqs." ? { "Fn::Join": ["", [endpoint, ...path]] } : undefined;
      }),
  },
  {
    reason: "the Ref of a secret is its ARN, but in the emulator its name, which no policy means",
    apply: (template) =>
      replaceRefs(template, (id) =>
        template.Resources[id]?.Type === "AWS::SecretsManager::Secret"
          ? { "Fn::GetAtt": [id, "Id"] }
          : undefined,
      ),
  },
  {
    reason: "the emulator makes no DNS records for the domain of mails, so no output shows them",
    refuses: ["AWS::SES::EmailIdentity DkimDNSTokenName1"],
    apply({ Outputs = {} }) {
      const records = Object.keys(Outputs).filter((id) =>
        JSON.stringify(Outputs[id]).includes("DkimDNSToken"),
      );
      for (const id of records) delete Outputs[id];
      return records.length;
    },
  },
  {
    reason: "the emulator does not know ses:FromAddress, which limits a function to mails of one sender",
    apply: ({ Resources }) =>
      change(Resources, ({ Type, Properties }) => {
        if (Type !== "AWS::IAM::Policy") return false;
        const statements: { Action: unknown; Condition?: unknown }[] = Properties.PolicyDocument.Statement;
        const limited = statements.filter(({ Action, Condition }) => Action === "ses:SendEmail" && Condition);
        for (const statement of limited) delete statement.Condition;
        return limited.length > 0;
      }),
  },
  {
    reason:
      "the emulator asks for permission to call SQS in batches, where AWS asks for that to make a single call",
    apply: ({ Resources }) =>
      changeStatements(Resources, (statement) => {
        const actions = [statement.Action].flat();
        const batches = batchesOfQueues.filter((batch) => actions.includes(batch.replace("Batch", "")));
        if (batches.length > 0) statement.Action = [...actions, ...batches];
        return batches.length > 0 ? [statement] : undefined;
      }),
  },
  {
    reason:
      "the emulator asks for permission to execute statements on all tables, not to insert into those named",
    apply: ({ Resources }) =>
      changeStatements(Resources, (statement) => {
        if (![statement.Action].flat().includes("dynamodb:PartiQLInsert")) return undefined;
        return [
          statement,
          { Effect: statement.Effect, Action: "dynamodb:BatchExecuteStatement", Resource: "*" },
        ];
      }),
  },
  {
    reason: "the emulator does not see which app or endpoint of SNS a call is about",
    apply: ({ Resources }) =>
      changeStatements(Resources, (statement) =>
        [statement.Action].flat().every((action) => endpointActions.includes(action))
          ? [{ ...statement, Resource: "*" }]
          : undefined,
      ),
  },
  {
    reason:
      "the account may assume the roles of functions and relays, so that the check of access can act as each of them",
    apply: ({ Resources }) =>
      change(Resources, ({ Type, Properties }) => {
        const [statement] =
          (Type === "AWS::IAM::Role" && Properties.AssumeRolePolicyDocument.Statement) || [];
        if (!runners.includes(statement?.Principal.Service)) return false;
        // An account's id alone means everybody in it.
        const account = { Ref: "AWS::AccountId" };
        Properties.AssumeRolePolicyDocument.Statement.push({ ...statement, Principal: { AWS: account } });
        return true;
      }),
  },
  {
    reason: "outputs tell the walk and the check of access what the emulator has named",
    apply(template) {
      const { Resources, Outputs = {} } = template;
      template.Outputs = Outputs;
      const named = Object.entries(Resources).filter(([, { Type }]) => Type in outputAttributes);
      // One for each type: a template may have 200 outputs.
      for (const [type, resources] of Map.groupBy(named, ([, { Type }]) => Type)) {
        const lines = resources.flatMap(([id, resource]) => [
          `${outputId(pathOf(resource))} `,
          reference(id, outputAttributes[type]),
          "\n",
        ]);
        Outputs[`${namesOutput}${type.replaceAll(":", "")}`] = { Value: { "Fn::Join": ["", lines] } };
      }
      return named.length;
    },
  },
];

const reference = (id: string, attribute = "Ref") =>
  attribute === "Ref" ? { Ref: id } : { "Fn::GetAtt": [id, attribute] };

/** Names of properties in the spelling of the API. */
const lowerFirst = (name: string) => name.charAt(0).toLowerCase() + name.slice(1);

/** Path of a resource's construct in its stack: `<stack>/<path>/Resource` without the ends. */
const pathOf = ({ Metadata }: Resource) =>
  String(Metadata?.["aws:cdk:path"])
    .split("/")
    .slice(1)
    .join("/")
    .replace(/\/Resource$/, "");

/** Name of the output that has the ARN, name or id of a resource; its path is that of its construct in the stack. */
export const outputId = (path: string) => `Deployed${path.replaceAll(/[^A-Za-z0-9]/g, "")}`;

/**
 * Prefix of the names of outputs that have a line for each resource of a type: its {@link outputId}, a space, its name.
 */
const namesOutput = "NamesOf";

/** Values by {@link outputId}, from all outputs of a stack. */
export const deployedNames = (outputs: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(outputs).flatMap(([output, value]) =>
      output.startsWith(namesOutput)
        ? value
            .trimEnd()
            .split("\n")
            .map((line) => line.split(" "))
        : [[output, value]],
    ),
  );

/** Service principals of services that run our code. */
const runners = ["lambda.amazonaws.com", "ecs-tasks.amazonaws.com"];

const batchesOfQueues = [
  "sqs:ChangeMessageVisibilityBatch",
  "sqs:DeleteMessageBatch",
  "sqs:SendMessageBatch",
];

const endpointActions = [
  "sns:CreatePlatformEndpoint",
  "sns:DeleteEndpoint",
  "sns:GetEndpointAttributes",
  "sns:SetEndpointAttributes",
];

const unpackedFiles: readonly string[] = [variables.settingsFile, variables.docsAssets];

/** The value in an output for a resource of these types. */
const outputAttributes: Readonly<Record<string, string>> = {
  "AWS::ApiGatewayV2::Api": "Ref",
  "AWS::DynamoDB::Table": "Ref",
  "AWS::IAM::Role": "Arn",
  "AWS::Lambda::Function": "Arn",
  "AWS::SecretsManager::Secret": "Id",
  "AWS::S3::Bucket": "Ref",
  "AWS::SQS::Queue": "Ref",
};
