import { Aws, type CfnResource, RemovalPolicy, Stack, Validations } from "aws-cdk-lib";
import { AccessLogFormat, CfnAccount } from "aws-cdk-lib/aws-apigateway";
import {
  CfnIntegrationResponse,
  type CfnStage,
  LogGroupLogDestination,
  WebSocketApi,
  type WebSocketIntegration,
  WebSocketRoute,
  type WebSocketRouteOptions,
  WebSocketStage,
} from "aws-cdk-lib/aws-apigatewayv2";
import {
  WebSocketLambdaIntegration,
  WebSocketMockIntegration,
} from "aws-cdk-lib/aws-apigatewayv2-integrations";
import type { Metric, MetricOptions } from "aws-cdk-lib/aws-cloudwatch";
import { ManagedPolicy, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { FilterPattern, LogGroup, SubscriptionFilter } from "aws-cdk-lib/aws-logs";
import { LambdaDestination } from "aws-cdk-lib/aws-logs-destinations";
import { Construct } from "constructs";
import { acknowledgementTypes, pong } from "#shared/events/sockets/frames.ts";
import { frameEventType, socketLogFields } from "#shared/events/sockets/socket-log.ts";
import { removalPolicyOf } from "../removal-policy.ts";
import { socketStage } from "../socket-paths.ts";
import type { Stage } from "../stage.ts";

interface SocketApiProps {
  readonly stage: Stage;
}

/** Route of frames that no other route takes. */
const otherFrames = "$default";

/** Any key will do: both templates select it without looking at the frame. */
const onlyTemplate = "200";

/** The WebSocket API: one function serves all routes but the one for pings, which the API answers itself. */
export class SocketApi extends Construct {
  readonly api: WebSocketApi;
  /** Address that clients connect to without a distribution: the path is fixed, and the query names the endpoint. */
  readonly url: string;
  /** Address of the `@connections` API, by which functions post to sockets. */
  readonly connectionsUrl: string;
  /** Every socket of this API and stage, as an ARN, and as the security checks spell it. */
  readonly connectionsArn: string;
  readonly connectionsFinding: string;
  readonly #stage: WebSocketStage;
  readonly #accessLogs: LogGroup;

  constructor(scope: Construct, { stage }: SocketApiProps) {
    super(scope, "socket-api");
    this.api = new WebSocketApi(this, "Api", {
      apiName: `parley-${stage.name}-sockets`,
      routeSelectionExpression: "$request.body.type",
    });
    this.#accessLogs = new LogGroup(this, "AccessLogs", {
      retention: stage.logRetentionDays,
      removalPolicy: removalPolicyOf(stage),
    });
    this.#stage = this.#createStage(stage);
    this.#answerPings();
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

  /**
   * Connect the function to the routes that need one. Separate from the constructor, because functions need the API's
   * address.
   */
  mount(lambda: IFunction): void {
    const integration = new WebSocketLambdaIntegration("Integration", lambda);
    for (const routeKey of ["$connect", ...acknowledgementTypes, "$disconnect"]) {
      this.#addRoute(routeKey, { integration });
    }
  }

  /** Call a function with the lines of the log that are about frames. */
  logFramesTo(lambda: IFunction): void {
    new SubscriptionFilter(this, "Frames", {
      logGroup: this.#accessLogs,
      destination: new LambdaDestination(lambda),
      filterPattern: FilterPattern.spaceDelimited("connectionId", "eventType", "...").whereString(
        "eventType",
        "=",
        frameEventType,
      ),
    });
  }

  /** A metric that API Gateway records for this API and stage. */
  metric(metricName: string, options: MetricOptions): Metric {
    return this.#stage.metric(metricName, options);
  }

  /**
   * A ping is not JSON, so no route can select it. Every frame that acknowledges nothing is therefore answered like a
   * ping, by an integration without a backend.
   */
  #answerPings() {
    const integration = new WebSocketMockIntegration("Pong", {
      requestTemplates: { [onlyTemplate]: JSON.stringify({ statusCode: 200 }) },
      templateSelectionExpression: onlyTemplate,
    });
    const route = this.#addRoute(otherFrames, { integration, returnResponse: true });
    const { integrationId } = route.node.findChild("Pong") as WebSocketIntegration;
    const answer = new CfnIntegrationResponse(this, "Pong", {
      apiId: this.api.apiId,
      integrationId,
      integrationResponseKey: "$default",
      responseTemplates: { [onlyTemplate]: pong },
      templateSelectionExpression: onlyTemplate,
    });
    this.#stage.node.addDependency(answer);
  }

  #addRoute(routeKey: string, options: WebSocketRouteOptions): WebSocketRoute {
    const route = new WebSocketRoute(this, `Route ${routeKey}`, {
      webSocketApi: this.api,
      routeKey,
      ...options,
    });
    // A stage created before its routes would deploy an API without any.
    this.#stage.node.addDependency(route);
    return route;
  }

  #createStage({ throttle, sockets: { pings } }: Stage) {
    const stage = new WebSocketStage(this, "Stage", {
      webSocketApi: this.api,
      stageName: socketStage,
      autoDeploy: true,
      throttle: { rateLimit: throttle.requestsPerSecond, burstLimit: throttle.burst },
      accessLogSettings: {
        destination: new LogGroupLogDestination(this.#accessLogs),
        format: AccessLogFormat.custom(socketLogFields.map((field) => `$context.${field}`).join(" ")),
      },
    });
    // The CDK's construct does not support settings for single routes.
    (stage.node.defaultChild as CfnStage).routeSettings = {
      [otherFrames]: { ThrottlingRateLimit: pings.requestsPerSecond, ThrottlingBurstLimit: pings.burst },
    };
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
