import { CfnOutput, Duration, Validations } from "aws-cdk-lib";
import { AccessLogFormat } from "aws-cdk-lib/aws-apigateway";
import {
  CorsHttpMethod,
  type CorsPreflightOptions,
  DomainName,
  HttpApi,
  HttpMethod,
  HttpRoute,
  HttpRouteKey,
  LogGroupLogDestination,
} from "aws-cdk-lib/aws-apigatewayv2";
import { HttpIamAuthorizer } from "aws-cdk-lib/aws-apigatewayv2-authorizers";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import { type Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import { FilterPattern, LogGroup, MetricFilter } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { Family } from "#shared/platform/manifest.ts";
import { metricNamespace } from "#shared/platform/metrics.ts";
import { cors, requestHeaders } from "../cors.ts";
import { type Audience, gatewayRoutes } from "../gateway-routes.ts";
import { removalPolicyOf } from "../removal-policy.ts";
import type { Stage } from "../stage.ts";
import type { ManifestFunction } from "./manifest-function.ts";

interface GatewayApiProps {
  readonly audience: Audience;
  readonly stage: Stage;
}

/** A family with its function. */
export interface MountedFamily {
  readonly family: Family;
  readonly function: ManifestFunction;
}

/**
 * Routes, each with its integration, that CloudFormation creates at the same time. API Gateway accepts 10 changes per
 * second and account, and 40 in a burst: https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
 */
const routesTogether = 10;

/** One of the two HTTP APIs. The internal one requires a SigV4 signature of a principal that IAM allows. */
export class GatewayApi extends Construct {
  readonly audience: Audience;
  readonly api: HttpApi;
  /** A line for each request. */
  readonly accessLogs: LogGroup;
  /** Answers with 429, from functions and from API Gateway itself, whose own metric counts all 4xx together. */
  readonly tooManyRequests: Metric;
  /** Base address, without trailing slash. */
  readonly url: string;

  constructor(scope: Construct, { audience, stage }: GatewayApiProps) {
    super(scope, `${audience}-api`);
    this.audience = audience;
    const isPublic = audience === "public";
    const customDomain = isPublic ? stage.customDomain : undefined;
    this.api = new HttpApi(this, "Api", {
      apiName: `parley-${stage.name}-${audience}`,
      createDefaultStage: false,
      // Only one host name, so that nobody can bypass a proxy that the operator puts in front of it.
      disableExecuteApiEndpoint: customDomain !== undefined,
      corsPreflight: isPublic ? corsFor(stage.settings) : undefined,
      defaultAuthorizer: isPublic ? undefined : new HttpIamAuthorizer(),
    });
    this.accessLogs = new LogGroup(this, "AccessLogs", {
      retention: stage.logRetentionDays,
      removalPolicy: removalPolicyOf(stage),
    });
    this.tooManyRequests = new MetricFilter(this, "TooManyRequests", {
      logGroup: this.accessLogs,
      filterPattern: FilterPattern.stringValue("$.status", "=", "429"),
      metricNamespace: `${metricNamespace}/${stage.name}`,
      metricName: `TooManyRequests/${audience}`,
    }).metric({ statistic: Stats.SUM });
    this.#addDefaultStage(stage, customDomain && this.#createDomain(customDomain));
    this.url = customDomain === undefined ? this.api.apiEndpoint : `https://${customDomain.name}`;
  }

  /** Route every operation to its family. Separate from the constructor, because functions need the API's address. */
  mount(scope: Construct, mounted: readonly MountedFamily[]): void {
    const integrations = new Map(
      mounted.map(({ family, function: { lambda } }) => [
        family.name,
        // One permission per API: one per route would exceed the size limit of a function's policy.
        new HttpLambdaIntegration(`${family.name}-integration`, lambda, { scopePermissionToRoute: false }),
      ]),
    );
    if (this.audience === "public") {
      Validations.of(scope).acknowledge({
        id: "AwsSolutions-APIG4",
        reason:
          "The functions verify access tokens and cookies themselves; which kind is accepted differs by route.",
      });
    }
    const families = mounted.map(({ family }) => family);
    const routes = gatewayRoutes(families, this.audience).map(({ path, family }) => {
      const integration = integrations.get(family);
      if (integration === undefined) throw new Error(`Route ${path} names the unknown family ${family}`);
      return new HttpRoute(scope, `Route ${path}`, {
        httpApi: this.api,
        routeKey: path === "$default" ? HttpRouteKey.DEFAULT : HttpRouteKey.with(path, HttpMethod.ANY),
        integration,
      });
    });
    for (const [index, route] of routes.slice(routesTogether).entries()) {
      route.node.addDependency(...routes.slice(index, index + 1));
    }
  }

  #createDomain({ name, certificateArn }: NonNullable<Stage["customDomain"]>) {
    const certificate = Certificate.fromCertificateArn(this, "Certificate", certificateArn);
    const domain = new DomainName(this, "Domain", { domainName: name, certificate });
    new CfnOutput(this, "DomainDnsRecord", {
      description:
        "DNS record that points clients here; at the apex of a zone, an alias instead of the CNAME",
      value: `${name} CNAME ${domain.regionalDomainName}`,
    });
    return domain;
  }

  #addDefaultStage({ throttle }: Stage, domain: DomainName | undefined) {
    this.api.addStage("DefaultStage", {
      autoDeploy: true,
      domainMapping: domain && { domainName: domain },
      throttle: { rateLimit: throttle.requestsPerSecond, burstLimit: throttle.burst },
      accessLogSettings: {
        destination: new LogGroupLogDestination(this.accessLogs),
        format: AccessLogFormat.custom(
          JSON.stringify({ ...accessLogFields, ...callerFields[this.audience] }),
        ),
      },
    });
  }
}

/**
 * Neither query string nor path: they may hold an access token or a push token. The function's line for the same
 * request id names the operation.
 */
const accessLogFields = {
  requestId: "$context.requestId",
  time: "$context.requestTime",
  sourceIp: "$context.identity.sourceIp",
  method: "$context.httpMethod",
  routeKey: "$context.routeKey",
  status: "$context.status",
  responseLength: "$context.responseLength",
  latencyMilliseconds: "$context.responseLatency",
  integrationError: "$context.integrationErrorMessage",
};

/**
 * For a request that came through the distribution, this is the distribution's address; the function logs the client's
 * network.
 */
const callerFields: Readonly<Record<Audience, object>> = {
  public: {},
  internal: { caller: "$context.identity.userArn" },
};

function corsFor(settings: Stage["settings"]): CorsPreflightOptions | undefined {
  const { corsAllowedOrigins: allowOrigins } = settings;
  if (allowOrigins.length === 0) return undefined;
  return {
    allowOrigins,
    allowCredentials: true,
    allowHeaders: requestHeaders(settings),
    exposeHeaders: [...cors.exposedHeaders],
    allowMethods: cors.methods.map((method) => CorsHttpMethod[method]),
    maxAge: Duration.seconds(cors.maxAgeSeconds),
  };
}
