import { describe, expect, it } from "vitest";
import { deployedNames, outputId, rewrites } from "./rewrites.ts";
import type { Template } from "./template.ts";

const endpoint = "https://127.0.0.1:4566";

/** Every rewrite in the order of the script. */
function rewritten(resources: Template["Resources"]): Template {
  const template: Template = { Resources: structuredClone(resources) };
  for (const { apply } of rewrites) apply(template, endpoint);
  return template;
}

const resourceOf = (resource: Template["Resources"][string]) =>
  rewritten({ Resource: resource }).Resources.Resource;

describe("the rewrites for an emulator", () => {
  it("keep what depends on a resource of an unknown type", () => {
    const resource = resourceOf({ Type: "AWS::ApiGatewayV2::RouteResponse", Properties: { ApiId: "a" } });
    expect(resource).toEqual({ Type: "AWS::CloudFormation::WaitConditionHandle" });
  });

  it("write into an output how the emulator's API must create an integration response", () => {
    const response = {
      Type: "AWS::ApiGatewayV2::IntegrationResponse",
      Metadata: { "aws:cdk:path": "parley-dev-api/socket-api/Pong" },
      Properties: {
        ApiId: { Ref: "Api" },
        IntegrationId: { Ref: "Pings" },
        IntegrationResponseKey: "$default",
        ResponseTemplates: { "200": "pong" },
      },
    };
    const { Resources, Outputs } = rewritten({ Pong: response });
    expect(Resources.Pong).toMatchObject({ Type: "AWS::CloudFormation::WaitConditionHandle" });
    const json = '{"integrationResponseKey":"$default","responseTemplates":{"200":"pong"}}';
    const path = ["/v2/apis/", { Ref: "Api" }, "/integrations/", { Ref: "Pings" }, "/integrationresponses"];
    expect(Outputs?.[outputId("socket-api/Pong")]).toEqual({
      Value: { "Fn::Join": ["", [...path, " ", json]] },
    });
  });

  it("move the addresses of relay queues to the emulator, everywhere", () => {
    const account = { Ref: "AWS::AccountId" };
    const host = ["https://sqs.", { Ref: "AWS::Region" }, ".", { Ref: "AWS::URLSuffix" }];
    const given = { "Fn::Join": ["", [...host, "/", account, "/parley-dev-relay-"]] };
    const expected = { "Fn::Join": ["", [endpoint, "/", account, "/parley-dev-relay-"]] };
    const properties = (queues: unknown) => ({
      ContainerDefinitions: [{ Environment: [{ Name: "RELAY_QUEUES", Value: queues }] }],
      Tags: [{ Key: "a", Value: { "Fn::Join": ["", ["https://sns.", account]] } }],
    });
    const task = resourceOf({ Type: "AWS::ECS::TaskDefinition", Properties: properties(given) });
    expect(task?.Properties).toEqual(properties(expected));
  });

  it("leave out alarms that compute a metric, and no others", () => {
    const plain = { Type: "AWS::CloudWatch::Alarm", Properties: { MetricName: "Errors" } };
    const computed = { Type: "AWS::CloudWatch::Alarm", Properties: { Metrics: [{ Expression: "a + b" }] } };
    const { Resources } = rewritten({ Plain: plain, Computed: computed });
    expect(Resources).toEqual({
      Plain: plain,
      Computed: { Type: "AWS::CloudFormation::WaitConditionHandle" },
    });
  });

  it("change the paths and the address in the variables of a function, and nothing else", () => {
    const address = [
      "https://",
      { Ref: "Sockets" },
      ".execute-api.",
      { Ref: "AWS::Region" },
      ".amazonaws.com/live",
    ];
    const variables = {
      SETTINGS_FILE: "/var/task/settings.json",
      SOCKETS_ENDPOINT: { "Fn::Join": ["", address] },
      TABLE_CODES: { Ref: "Codes" },
    };
    const properties = { Timeout: 15, Environment: { Variables: variables } };
    expect(resourceOf({ Type: "AWS::Lambda::Function", Properties: properties })?.Properties).toEqual({
      Timeout: 15,
      Environment: {
        Variables: {
          SETTINGS_FILE: "settings.json",
          SOCKETS_ENDPOINT: {
            "Fn::Join": ["", [`${endpoint}/_aws/execute-api/`, { Ref: "Sockets" }, "/live"]],
          },
          TABLE_CODES: { Ref: "Codes" },
        },
      },
    });
  });

  it("name a secret by its ARN, and other resources as before", () => {
    const statement = {
      Action: "secretsmanager:GetSecretValue",
      Resource: [{ Ref: "Key" }, { Ref: "Table" }],
    };
    const { Resources } = rewritten({
      Key: { Type: "AWS::SecretsManager::Secret" },
      Table: { Type: "AWS::DynamoDB::Table" },
      Policy: { Type: "AWS::IAM::Policy", Properties: { PolicyDocument: { Statement: [statement] } } },
    });
    expect(Resources.Policy?.Properties.PolicyDocument.Statement).toEqual([
      { ...statement, Resource: [{ "Fn::GetAtt": ["Key", "Id"] }, { Ref: "Table" }] },
    ]);
  });

  it("remove from a policy only the condition that the emulator does not know", () => {
    const mail = { Action: "ses:SendEmail", Resource: "*", Condition: { StringEquals: {} } };
    const other = { Action: "sqs:ReceiveMessage", Resource: "*", Condition: { Bool: {} } };
    const policy = { PolicyDocument: { Statement: [mail, other] } };
    expect(resourceOf({ Type: "AWS::IAM::Policy", Properties: policy })?.Properties).toEqual({
      PolicyDocument: { Statement: [{ Action: "ses:SendEmail", Resource: "*" }, other] },
    });
  });

  it("allow batch calls if the single calls are allowed", () => {
    const send = { Effect: "Allow", Action: "sqs:SendMessage", Resource: "queue" };
    const insert = { Effect: "Allow", Action: ["dynamodb:PartiQLInsert"], Resource: "table" };
    const read = { Effect: "Allow", Action: ["dynamodb:GetItem", "dynamodb:Query"], Resource: "table" };
    const policy = { PolicyDocument: { Statement: [send, insert, read] } };
    expect(resourceOf({ Type: "AWS::IAM::Policy", Properties: policy })?.Properties).toEqual({
      PolicyDocument: {
        Statement: [
          { ...send, Action: ["sqs:SendMessage", "sqs:SendMessageBatch"] },
          insert,
          { Effect: "Allow", Action: "dynamodb:BatchExecuteStatement", Resource: "*" },
          read,
        ],
      },
    });
  });

  it("allow calls about all endpoints if calls about some are allowed, but no pushes", () => {
    const Resource = "arn:aws:sns:eu-central-1:000000000000:endpoint/GCM/messenger/*";
    const release = {
      Effect: "Allow",
      Action: ["sns:GetEndpointAttributes", "sns:DeleteEndpoint"],
      Resource,
    };
    const push = { Effect: "Allow", Action: "sns:Publish", Resource };
    const policy = { PolicyDocument: { Statement: [release, push] } };
    expect(resourceOf({ Type: "AWS::IAM::Policy", Properties: policy })?.Properties).toEqual({
      PolicyDocument: { Statement: [{ ...release, Resource: "*" }, push] },
    });
  });

  it("let the account assume the roles of functions, but no others", () => {
    const roleOf = (service: string) => {
      const statement = { Action: "sts:AssumeRole", Effect: "Allow", Principal: { Service: service } };
      const policy = { AssumeRolePolicyDocument: { Statement: [statement] } };
      const role = resourceOf({ Type: "AWS::IAM::Role", Properties: policy });
      return role?.Properties.AssumeRolePolicyDocument.Statement.slice(1);
    };
    const account = {
      Action: "sts:AssumeRole",
      Effect: "Allow",
      Principal: { AWS: { Ref: "AWS::AccountId" } },
    };
    expect(roleOf("lambda.amazonaws.com")).toEqual([account]);
    expect(roleOf("apigateway.amazonaws.com")).toEqual([]);
  });

  it("leave out the outputs with DNS records, and no others", () => {
    const record = { Value: { "Fn::GetAtt": ["Sender", "DkimDNSTokenName1"] } };
    const template: Template = {
      Resources: {},
      Outputs: { Record: record, Sender: { Value: { Ref: "Sender" } } },
    };
    for (const { apply } of rewrites) apply(template, endpoint);
    expect(template.Outputs).toEqual({ Sender: { Value: { Ref: "Sender" } } });
  });

  it("output the names of constructs, in one output for each type", () => {
    const queue = (name: string) => ({
      Type: "AWS::SQS::Queue",
      Metadata: { "aws:cdk:path": `parley-dev-messaging/${name}/Queue/Resource` },
    });
    const { Outputs } = rewritten({ Mail1A2B: queue("mail-queue"), Events3C4D: queue("events-queue") });
    const lines = ["DeployedmailqueueQueue ", { Ref: "Mail1A2B" }, "\n"];
    const others = ["DeployedeventsqueueQueue ", { Ref: "Events3C4D" }, "\n"];
    expect(Outputs).toEqual({ NamesOfAWSSQSQueue: { Value: { "Fn::Join": ["", [...lines, ...others]] } } });
  });

  it("are read from these outputs by the paths of constructs", () => {
    const names = deployedNames({
      NamesOfAWSSQSQueue: "DeployedmailqueueQueue url-1\nDeployedothers url-2\n",
      Url: "url 3",
    });
    expect(names).toEqual({
      [outputId("mail-queue/Queue")]: "url-1",
      [outputId("others")]: "url-2",
      Url: "url 3",
    });
  });
});
