import { RemovalPolicy } from "aws-cdk-lib";
import type { Stage } from "./stage.ts";

/**
 * What happens to stored data and logs when they are removed from their stack. Those of a protected stage stay, unless
 * the deployment that creates them fails: then they are empty, and a retry would create others.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-deletionpolicy.html
 */
export const removalPolicyOf = ({ isProtected }: Pick<Stage, "isProtected">): RemovalPolicy =>
  isProtected ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
