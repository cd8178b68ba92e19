import { join } from "node:path";
import { CfnOutput, Fn, Stack, type StackProps } from "aws-cdk-lib";
import { Code } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import { relayedFunction, relayFiles, uploadFunction } from "../bundle/bundle.ts";
import type { Resources } from "../constructs/manifest-access.ts";
import { RelayBalancer } from "../constructs/relay-balancer.ts";
import { RelayNetwork } from "../constructs/relay-network.ts";
import type { RelayQueues } from "../constructs/relay-queues.ts";
import { RelayRemoval } from "../constructs/relay-removal.ts";
import { RelayService } from "../constructs/relay-service.ts";
import { hasUploadRelays, type RelayStage, type Stage } from "../stage.ts";

interface RelayStackProps extends StackProps {
  readonly stage: Stage;
  readonly relay: RelayStage;
  readonly resources: Resources & { readonly relayQueues: RelayQueues };
  readonly publicUrl: string;
  /** Folder with the output of `bundleRelay`. */
  readonly files: string;
}

/** All resources that hold sockets instead of API Gateway; they keep no data. */
export class RelayStack extends Stack {
  readonly balancer: RelayBalancer;
  readonly relays: RelayService;

  constructor(scope: Construct, id: string, { files, ...props }: RelayStackProps) {
    super(scope, id, props);
    const { stage, relay, resources } = props;
    const network = new RelayNetwork(this, "relay-network");
    this.balancer = new RelayBalancer(this, "relay-balancer", { relay, network });
    const removal = new RelayRemoval(this, "relay-removal", {
      stage,
      code: Code.fromAsset(join(files, relayFiles.removal)),
      queues: resources.relayQueues,
      table: resources.tables.sockets,
    });
    this.relays = new RelayService(this, "relay-service", {
      ...props,
      manifests: [relayedFunction(), ...(hasUploadRelays(stage) ? [uploadFunction()] : [])],
      network,
      balancer: this.balancer,
      files: { program: join(files, relayFiles.program), settings: join(files, relayFiles.settings) },
    });
    // Makes CloudFormation delete the service first.
    this.relays.node.addDependency(removal);
    new CfnOutput(this, "RelayDnsRecord", {
      description: "DNS record that points clients, or the distribution, here",
      value: `${relay.domainName} CNAME ${this.balancer.balancer.loadBalancerDnsName}`,
    });
  }

  /** Every region has at least two zones; for more, the CDK would look up their names in the account. */
  override get availabilityZones(): string[] {
    return [0, 1].map((index) => Fn.select(index, Fn.getAzs()));
  }
}
