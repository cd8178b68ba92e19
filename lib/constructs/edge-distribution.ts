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
import { type ISecret, Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";
import { families } from "#functions/families.ts";
import { entranceHeaders } from "#shared/platform/http/entrance.ts";
import { allVersions } from "#shared/platform/http/versions.ts";
import {
  apiFunctionCode,
  relayFunctionCode,
  socketFunctionCode,
  uploadFunctionCode,
} from "../edge-function.ts";
import { socketNames } from "../socket-paths.ts";
import type { Stage } from "../stage.ts";
import { uploadPathPatterns } from "../uploads/upload-paths.ts";
import type { GatewayApi } from "./gateway-api.ts";
import type { SocketApi } from "./socket-api.ts";

interface EdgeDistributionProps {
  readonly distribution: NonNullable<Stage["distribution"]>;
  /** AWS WAF rules (web ACL) for all external requests. */
  readonly webAclArn: string | undefined;
  /** Further host names that clients use. */
  readonly aliases: readonly string[];
  /** Origins of pages that may call the public API. */
  readonly corsAllowedOrigins: readonly string[];
  readonly publicApi: GatewayApi;
  /** The target of sockets: API Gateway, or the host name of the relays. */
  readonly sockets: SocketApi | string;
  /** Host name of the relays, if uploads lead to them. */
  readonly uploads: string | undefined;
}

/**
 * One host name for the public API and the sockets: CloudFront passes everything on and caches nothing. It adds a
 * secret to each request, so that functions can refuse those that bypass it.
 */
export class EdgeDistribution extends Construct {
  /** Base addresses, without trailing slash. */
  readonly url: string;
  readonly socketUrl: string;
  /** The secret by which functions recognise the distribution. */
  readonly secret: ISecret;

  constructor(scope: Construct, props: EdgeDistributionProps) {
    super(scope, "edge-distribution");
    const { distribution, webAclArn, aliases, corsAllowedOrigins, publicApi, sockets, uploads } = props;
    const { domainName, certificateArn, secretGeneration } = distribution;
    this.url = `https://${domainName}`;
    this.socketUrl = `wss://${domainName}`;
    this.secret = this.#createSecret(secretGeneration);
    const toSockets = this.#behaviorOfSockets(sockets);
    const toUploads = uploads && {
      ...this.#behaviorOf(uploads),
      functionAssociations: this.#functionOf("UploadPath", uploadFunctionCode(corsAllowedOrigins)),
    };
    const { distributionDomainName } = new Distribution(this, "Distribution", {
      comment: `Public API and sockets of ${domainName}`,
      domainNames: [...new Set([domainName, ...aliases])],
      certificate: Certificate.fromCertificateArn(this, "Certificate", certificateArn),
      minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
      httpVersion: HttpVersion.HTTP2_AND_3,
      webAclId: webAclArn,
      defaultBehavior: {
        ...this.#behaviorOf(this.#hostOf(publicApi.api.apiId)),
        functionAssociations: this.#functionOf("ApiPath", apiFunctionCode(corsAllowedOrigins)),
      },
      additionalBehaviors: Object.fromEntries([
        ...socketPathPatterns.map((pattern) => [pattern, toSockets]),
        ...(toUploads ? uploadPathPatterns(families).map((pattern) => [pattern, toUploads]) : []),
      ]),
    });
    new CfnOutput(this, "DnsRecord", {
      description:
        "DNS record that points clients here; at the apex of a zone, an alias instead of the CNAME",
      value: `${domainName} CNAME ${distributionDomainName}`,
    });
    this.#acknowledgeFindings();
  }

  #behaviorOfSockets(sockets: SocketApi | string): BehaviorOptions {
    const [host, code] =
      typeof sockets === "string"
        ? [sockets, relayFunctionCode]
        : [this.#hostOf(sockets.api.apiId), socketFunctionCode];
    return { ...this.#behaviorOf(host), functionAssociations: this.#functionOf("SocketPath", code) };
  }

  #hostOf(apiId: string): string {
    const { region, urlSuffix } = Stack.of(this);
    return `${apiId}.execute-api.${region}.${urlSuffix}`;
  }

  #behaviorOf(host: string): BehaviorOptions {
    return {
      origin: new HttpOrigin(host, {
        protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
        originSslProtocols: [OriginSslPolicy.TLS_V1_2],
        // A reference that CloudFormation resolves.
        customHeaders: { [entranceHeaders.secret]: this.secret.secretValue.unsafeUnwrap() },
      }),
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      allowedMethods: AllowedMethods.ALLOW_ALL,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      // Without the client's `Host` header, because API Gateway selects an API, and its certificate, by the host name.
      // Everything else is passed on, even a socket's handshake.
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
    };
  }

  #functionOf(id: string, code: string) {
    const edgeFunction = new EdgeFunction(this, id, {
      comment: "Prepares a request for its origin, and names the client",
      runtime: FunctionRuntime.JS_2_0,
      code: FunctionCode.fromInline(code),
    });
    return [{ eventType: FunctionEventType.VIEWER_REQUEST, function: edgeFunction }];
  }

  /** CloudFormation only reads a secret again when the reference to it changes, so each generation is a new secret. */
  #createSecret(generation: number): ISecret {
    const secret = new Secret(this, `Secret${generation}`, {
      description: "Tells functions that a request came through the distribution",
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
    });
    Validations.of(secret).acknowledge({
      id: "AwsSolutions-SMG4",
      reason: "CloudFront keeps a copy, which only a deployment replaces.",
    });
    return secret;
  }

  #acknowledgeFindings() {
    Validations.of(this).acknowledge(
      { id: "AwsSolutions-CFR1", reason: "Users may be in any country." },
      {
        id: "AwsSolutions-CFR2",
        reason: "API Gateway throttles, and the functions limit guessing; a stage may name a web ACL.",
      },
      {
        id: "AwsSolutions-CFR3",
        reason:
          "Both APIs log every request. These logs would hold query strings, which may hold access tokens.",
      },
    );
  }
}

/** A question mark matches one character. A version of another length goes to the HTTP API, which answers 404. */
const versionPatterns = new Set(allVersions.map((version) => `/v${"?".repeat(String(version).length)}`));

/** Paths that CloudFront sends to the origin of the sockets: it chooses the origin before the function runs. */
export const socketPathPatterns = socketNames.flatMap((name) =>
  ["", ...versionPatterns].map((prefix) => `${prefix}/${name}`),
);
