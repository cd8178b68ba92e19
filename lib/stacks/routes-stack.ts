import { Stack, type StackProps } from "aws-cdk-lib";
import { Construct } from "constructs";
import type { GatewayApi, MountedFamily } from "../constructs/gateway-api.ts";

interface RoutesStackProps extends StackProps {
  readonly api: GatewayApi;
  readonly mounted: readonly MountedFamily[];
}

/**
 * The routes of one HTTP API, in a stack apart from its functions, because a stack may have 500 resources, and an API
 * 300 routes.
 */
export class RoutesStack extends Stack {
  constructor(scope: Construct, id: string, { api, mounted, ...props }: RoutesStackProps) {
    super(scope, id, props);
    api.mount(new Construct(this, `${api.audience}-api-routes`), mounted);
  }
}
