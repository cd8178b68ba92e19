import { Aws, type CfnResource, RemovalPolicy, Stack, Validations } from "aws-cdk-lib";
import { AccessLogFormat, CfnAccount } from "aws-cdk-lib/aws-apigateway";
import {
  LogGroupLogDestination,
  WebSocketApi,
  WebSocketRoute,
  type WebSocketRouteOptions,
  WebSocketStage,
} from "aws-cdk-lib/aws-apigatewayv2";
import { WebSocketLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import type { Metric, MetricOptions } from "aws-cdk-lib/aws-cloudwatch";
import { ManagedPolicy, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { socketStage } from "../socket-paths.ts";
import type { Stage } from "../stage.ts";

interface SocketApiProps {
  readonly stage: Stage;
}

/** The WebSocket API: one function behind all its routes. */
export class SocketApi extends Construct {
  readonly api: WebSocketApi;
  /** Address that clients connect to without a distribution: its path is fixed, the query names the endpoint. */
  readonly url: string;
  /** Address of the `@connections` API, by which functions post to sockets. */
  readonly connectionsUrl: string;
  /** Every socket of this API and stage, as an ARN and as the security checks spell that. */
  readonly connectionsArn: string;
  readonly connectionsFinding: string;
  readonly #stage: WebSocketStage;

  constructor(scope: Construct, { stage }: SocketApiProps) {
    super(scope, "socket-api");
    this.api = new WebSocketApi(this, "Api", {
      apiName: `parley-${stage.name}-sockets`,
      // No client sends this property, so every frame goes to the default route.
      routeSelectionExpression: "$request.body.route",
    });
    this.#stage = this.#createStage(stage);
    this.url = this.#stage.url;
    this.connectionsUrl = this.#stage.callbackUrl;
    const { logicalId } = this.api.node.defaultChild as CfnResource;
    const connections = `${socketStage}/*/@connections/*`;
    this.connectionsArn = `arn:${Aws.PARTITION}:execute-api:${Aws.REGION}:${Aws.ACCOUNT_ID}:${this.api.apiId}/${connections}`;
    this.connectionsFinding = `arn:<AWS::Partition>:execute-api:<AWS::Region>:<AWS::AccountId>:<${Stack.of(this).resolve(logicalId)}>/${connections}`;
    Validations.of(this).acknowledge({
      id: "AwsSolutions-APIG4",
      reason:
        "The function verifies the access token of a handshake itself; later frames belong to its socket.",
    });
  }

  /** Connect the function to all routes. Separate from the constructor, because functions need the API's address. */
  mount(lambda: IFunction): void {
    const integration = new WebSocketLambdaIntegration("Integration", lambda);
    this.#addRoute("$connect", { integration });
    this.#addRoute("$default", { integration, returnResponse: true });
    this.#addRoute("$disconnect", { integration });
  }

  /** A metric that API Gateway records for this API and stage. */
  metric(metricName: string, options: MetricOptions): Metric {
    return this.#stage.metric(metricName, options);
  }

  #addRoute(routeKey: string, options: WebSocketRouteOptions) {
    const route = new WebSocketRoute(this, `Route ${routeKey}`, {
      webSocketApi: this.api,
      routeKey,
      ...options,
    });
    // A stage created before its routes would deploy an API without any.
    this.#stage.node.addDependency(route);
  }

  #createStage({ logRetentionDays, isProtected, throttle }: Stage) {
    const accessLogs = new LogGroup(this, "AccessLogs", {
      retention: logRetentionDays,
      removalPolicy: isProtected ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    const stage = new WebSocketStage(this, "Stage", {
      webSocketApi: this.api,
      stageName: socketStage,
      autoDeploy: true,
      throttle: { rateLimit: throttle.requestsPerSecond, burstLimit: throttle.burst },
      accessLogSettings: {
        destination: new LogGroupLogDestination(accessLogs),
        format: AccessLogFormat.custom(JSON.stringify(accessLogFields)),
      },
    });
    stage.node.addDependency(this.#allowLogging());
    return stage;
  }

  /**
   * WebSocket APIs write their logs with a role that is set once per account and region. All stages set an
   * equivalent one, and it stays when one of them is deleted.
   */
  #allowLogging() {
    const policy = "service-role/AmazonAPIGatewayPushToCloudWatchLogs";
    const role = new Role(this, "LoggingRole", {
      assumedBy: new ServicePrincipal("apigateway.amazonaws.com"),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName(policy)],
    });
    role.applyRemovalPolicy(RemovalPolicy.RETAIN);
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${policy}]`,
      reason: "The policy that AWS made for this role, which serves every API of the account.",
    });
    const account = new CfnAccount(this, "Logging", { cloudWatchRoleArn: role.roleArn });
    account.applyRemovalPolicy(RemovalPolicy.RETAIN);
    return account;
  }
}

/** No query string: it may hold an access token. */
const accessLogFields = {
  requestId: "$context.requestId",
  time: "$context.requestTime",
  sourceIp: "$context.identity.sourceIp",
  eventType: "$context.eventType",
  routeKey: "$context.routeKey",
  connectionId: "$context.connectionId",
  status: "$context.status",
  integrationStatus: "$context.integrationStatus",
  latencyMilliseconds: "$context.integrationLatency",
  error: "$context.error.message",
};
