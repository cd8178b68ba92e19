import { Stack, type StackProps } from "aws-cdk-lib";
import { Construct } from "constructs";
import type { GatewayApi, MountedFamily } from "../constructs/gateway-api.ts";

interface RoutesStackProps extends StackProps {
  readonly api: GatewayApi;
  readonly mounted: readonly MountedFamily[];
}

/** The routes of one HTTP API, apart from its functions: a stack holds up to 500 resources, an API up to 300 routes. */
export class RoutesStack extends Stack {
  constructor(scope: Construct, id: string, { api, mounted, ...props }: RoutesStackProps) {
    super(scope, id, props);
    api.mount(new Construct(this, `${api.audience}-api-routes`), mounted);
  }
}
