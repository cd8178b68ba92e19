import { CfnOutput, Stack, Validations } from "aws-cdk-lib";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import {
  AllowedMethods,
  type BehaviorOptions,
  CachePolicy,
  Distribution,
  Function as EdgeFunction,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HttpVersion,
  OriginProtocolPolicy,
  OriginRequestPolicy,
  OriginSslPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from "aws-cdk-lib/aws-cloudfront";
import { HttpOrigin } from "aws-cdk-lib/aws-cloudfront-origins";
import { Construct } from "constructs";
import { allVersions } from "#shared/platform/http/versions.ts";
import { edgeFunctionCode } from "../edge-function.ts";
import { socketNames } from "../socket-paths.ts";
import type { Stage } from "../stage.ts";
import type { GatewayApi } from "./gateway-api.ts";
import type { SocketApi } from "./socket-api.ts";

interface EdgeDistributionProps {
  readonly distribution: NonNullable<Stage["distribution"]>;
  readonly publicApi: GatewayApi;
  readonly socketApi: SocketApi;
}

/** One host name for the public API and the sockets: CloudFront passes everything on and keeps nothing. */
export class EdgeDistribution extends Construct {
  /** Base addresses, without trailing slash. */
  readonly url: string;
  readonly socketUrl: string;

  constructor(scope: Construct, { distribution, publicApi, socketApi }: EdgeDistributionProps) {
    super(scope, "edge-distribution");
    const { domainName, certificateArn } = distribution;
    this.url = `https://${domainName}`;
    this.socketUrl = `wss://${domainName}`;
    const toSockets = this.#behaviorOf(socketApi.api.apiId);
    const functionAssociations = [
      { eventType: FunctionEventType.VIEWER_REQUEST, function: this.#createFunction() },
    ];
    const { distributionDomainName } = new Distribution(this, "Distribution", {
      comment: `Public API and sockets of ${domainName}`,
      domainNames: [domainName],
      certificate: Certificate.fromCertificateArn(this, "Certificate", certificateArn),
      minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
      httpVersion: HttpVersion.HTTP2_AND_3,
      defaultBehavior: this.#behaviorOf(publicApi.api.apiId),
      additionalBehaviors: Object.fromEntries(
        socketPathPatterns.map((pattern) => [pattern, { ...toSockets, functionAssociations }]),
      ),
    });
    new CfnOutput(this, "DnsRecord", {
      description: "DNS record that points clients here",
      value: `${domainName} CNAME ${distributionDomainName}`,
    });
    this.#acknowledgeFindings();
  }

  #behaviorOf(apiId: string): BehaviorOptions {
    const { region, urlSuffix } = Stack.of(this);
    return {
      origin: new HttpOrigin(`${apiId}.execute-api.${region}.${urlSuffix}`, {
        protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
        originSslProtocols: [OriginSslPolicy.TLS_V1_2],
      }),
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      allowedMethods: AllowedMethods.ALLOW_ALL,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      // API Gateway finds an API by the host name; everything else from the client passes, even a socket's handshake.
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
    };
  }

  #createFunction() {
    return new EdgeFunction(this, "SocketPath", {
      comment: "Turns the path of a socket into the stage of the WebSocket API and a query",
      runtime: FunctionRuntime.JS_2_0,
      code: FunctionCode.fromInline(edgeFunctionCode),
    });
  }

  #acknowledgeFindings() {
    Validations.of(this).acknowledge(
      { id: "AwsSolutions-CFR1", reason: "Users may be in any country." },
      {
        id: "AwsSolutions-CFR2",
        reason: "API Gateway throttles, and the functions limit guessing; operators may add a web ACL.",
      },
      {
        id: "AwsSolutions-CFR3",
        reason:
          "Both APIs log every request. These logs would hold query strings, which may hold access tokens.",
      },
    );
  }
}

/** A question mark matches one character. Versions of any other length go to the HTTP API, which answers 404. */
const versionPatterns = new Set(allVersions.map((version) => `/v${"?".repeat(String(version).length)}`));

/** Paths that CloudFront sends to the WebSocket API: it chooses the origin before the function runs. */
export const socketPathPatterns = socketNames.flatMap((name) =>
  ["", ...versionPatterns].map((prefix) => `${prefix}/${name}`),
);
