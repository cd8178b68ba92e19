import { Stack, type StackProps } from "aws-cdk-lib";
import { Construct } from "constructs";
import type { GatewayApi, MountedFamily } from "../constructs/gateway-api.ts";

interface RoutesStackProps extends StackProps {
  readonly api: GatewayApi;
  readonly mounted: readonly MountedFamily[];
}

/** The routes of one HTTP API. Apart from what they lead to: a stack holds 500 resources, and an API has up to 300 routes. */
export class RoutesStack extends Stack {
  constructor(scope: Construct, id: string, { api, mounted, ...props }: RoutesStackProps) {
    super(scope, id, props);
    api.mount(new Construct(this, `${api.audience}-api-routes`), mounted);
  }
}
