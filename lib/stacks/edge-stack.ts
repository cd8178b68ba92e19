import { type App, CfnOutput, Fn, Stack, type StackProps } from "aws-cdk-lib";
import { CfnWebACL } from "aws-cdk-lib/aws-wafv2";
import type { Construct } from "constructs";
import { refersStrongly } from "../cross-stack-references.ts";
import type { Stage } from "../stage.ts";
import { credentialPaths } from "./credential-paths.ts";

type RateRules = NonNullable<NonNullable<Stage["distribution"]>["rateRules"]>;

interface EdgeStackProps extends StackProps {
  readonly stage: Pick<Stage, "name">;
  readonly rateRules: RateRules;
}

/** The region of CloudFront's web ACLs. */
const edgeRegion = "us-east-1";

/** The answer of functions to requests beyond their own limits. */
const tooManyRequests = JSON.stringify({
  code: 429,
  label: "too-many-requests",
  message: "Too many requests",
});

/** A web ACL for the distribution of a stage, which limits requests by client. */
export class EdgeStack extends Stack {
  /** For stacks in another region. */
  readonly webAclArn: string;

  constructor(scope: Construct, id: string, { stage, rateRules, ...props }: EdgeStackProps) {
    super(scope, id, props);
    const webAcl = new CfnWebACL(this, "WebAcl", {
      description: "Limits requests by client",
      scope: "CLOUDFRONT",
      defaultAction: { allow: {} },
      customResponseBodies: {
        [limitedBody]: { contentType: "APPLICATION_JSON", content: tooManyRequests },
      },
      rules: [
        rateRule("credential-requests", 0, rateRules.credentialRequests, {
          regexMatchStatement: {
            regexString: credentialPaths,
            fieldToMatch: { uriPath: {} },
            textTransformations: [
              { priority: 0, type: "URL_DECODE" },
              { priority: 1, type: "NORMALIZE_PATH" },
            ],
          },
        }),
        rateRule("requests", 1, rateRules.requests),
      ],
      visibilityConfig: visibleAs(`parley-${stage.name}`),
    });
    const { logicalId } = new CfnOutput(this, "WebAclArn", { value: webAcl.attrArn });
    this.webAclArn = refersStrongly(this)
      ? webAcl.attrArn
      : Fn.getStackOutput(this.stackName, this.resolve(logicalId), edgeRegion);
  }
}

/** The stack of a stage's web ACL. */
export function createEdge(
  app: App,
  id: string,
  { stage, terminationProtection }: { readonly stage: Stage; readonly terminationProtection: boolean },
): EdgeStack | undefined {
  const { account, distribution } = stage;
  if (distribution?.rateRules === undefined) return undefined;
  return new EdgeStack(app, id, {
    stage,
    rateRules: distribution.rateRules,
    env: { account, region: edgeRegion },
    terminationProtection,
    crossRegionReferences: refersStrongly(app),
  });
}

const limitedBody = "too-many-requests";

/** No samples of requests: their queries may hold access tokens. */
const visibleAs = (metricName: string) => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  sampledRequestsEnabled: false,
});

/** Limits the requests of one address within five minutes; counts only those that match the statement. */
const rateRule = (
  name: string,
  priority: number,
  limit: number,
  scopeDownStatement?: CfnWebACL.StatementProperty,
): CfnWebACL.RuleProperty => ({
  name,
  priority,
  action: { block: { customResponse: { responseCode: 429, customResponseBodyKey: limitedBody } } },
  statement: {
    rateBasedStatement: { aggregateKeyType: "IP", evaluationWindowSec: 300, limit, scopeDownStatement },
  },
  visibilityConfig: visibleAs(name),
});
