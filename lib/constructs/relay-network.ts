import { Validations } from "aws-cdk-lib";
import {
  GatewayVpcEndpointAwsService,
  Peer,
  Port,
  SecurityGroup,
  type SubnetSelection,
  SubnetType,
  Vpc,
} from "aws-cdk-lib/aws-ec2";
import { Construct } from "constructs";
import { relayPort } from "../relay/limits.ts";

const httpsPort = 443;

/**
 * The network of the relays: public subnets in two zones, which need no paid address translation. Clients reach the
 * load balancer, and only the load balancer reaches the tasks.
 */
export class RelayNetwork extends Construct {
  readonly vpc: Vpc;
  readonly subnets: SubnetSelection = { subnetType: SubnetType.PUBLIC };
  readonly ofBalancer: SecurityGroup;
  readonly ofTasks: SecurityGroup;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.vpc = new Vpc(this, "Vpc", {
      natGateways: 0,
      subnetConfiguration: [{ name: "public", subnetType: SubnetType.PUBLIC, mapPublicIpOnLaunch: false }],
      // Nothing uses the default security group; closing it would take a function of its own.
      restrictDefaultSecurityGroup: false,
      // Endpoints that are free of charge and keep most traffic off the Internet.
      gatewayEndpoints: {
        DynamoDb: { service: GatewayVpcEndpointAwsService.DYNAMODB },
        S3: { service: GatewayVpcEndpointAwsService.S3 },
      },
    });
    Validations.of(this.vpc).acknowledge({
      id: "AwsSolutions-VPC7",
      reason:
        "Only relays are in it, and only the load balancer reaches them. A record per socket and address would cost more " +
        "than the relays, and contain less than their logs.",
    });
    this.ofBalancer = this.#createGroup("BalancerGroup", "Sockets of clients");
    this.ofTasks = this.#createGroup("TaskGroup", "Relays, behind their load balancer");
    this.ofBalancer.addIngressRule(Peer.anyIpv4(), Port.tcp(httpsPort), "Clients");
    this.ofBalancer.addEgressRule(this.ofTasks, Port.tcp(relayPort), "Relays");
    this.ofTasks.addIngressRule(this.ofBalancer, Port.tcp(relayPort), "Load balancer");
    this.ofTasks.addEgressRule(Peer.anyIpv4(), Port.tcp(httpsPort), "AWS, and the registry of images");
    Validations.of(this.ofBalancer).acknowledge({
      id: "AwsSolutions-EC23",
      reason: "Clients may be anywhere; the function of the handshake verifies their access tokens.",
    });
  }

  #createGroup(id: string, description: string) {
    return new SecurityGroup(this, id, { vpc: this.vpc, description, allowAllOutbound: false });
  }
}
