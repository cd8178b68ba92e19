import { Duration, Validations } from "aws-cdk-lib";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import { Metric, type MetricOptions } from "aws-cdk-lib/aws-cloudwatch";
import {
  NetworkLoadBalancer,
  NetworkTargetGroup,
  Protocol,
  SslPolicy,
  TargetType,
} from "aws-cdk-lib/aws-elasticloadbalancingv2";
import { Construct } from "constructs";
import { defaultDrainSeconds, healthPath, relayPort } from "../relay/limits.ts";
import type { RelayStage } from "../stage.ts";
import type { RelayNetwork } from "./relay-network.ts";

interface RelayBalancerProps {
  readonly relay: RelayStage;
  readonly network: RelayNetwork;
}

/**
 * Time from the deregistration of a relay until it is told to end: by then, no node of the load balancer sends it new
 * sockets. It then drains by itself.
 */
const deregistrationSeconds = 30;

/** The load balancer in front of the relays: it terminates TLS and passes on bytes. */
export class RelayBalancer extends Construct {
  readonly balancer: NetworkLoadBalancer;
  readonly targets: NetworkTargetGroup;

  constructor(scope: Construct, id: string, { relay, network }: RelayBalancerProps) {
    super(scope, id);
    this.targets = this.#createTargets(network);
    this.balancer = new NetworkLoadBalancer(this, "Balancer", {
      vpc: network.vpc,
      vpcSubnets: network.subnets,
      internetFacing: true,
      crossZoneEnabled: true,
      securityGroups: [network.ofBalancer],
    });
    this.balancer.addListener("Tls", {
      port: 443,
      protocol: Protocol.TLS,
      certificates: [Certificate.fromCertificateArn(this, "Certificate", relay.certificateArn)],
      sslPolicy: SslPolicy.TLS13_RES,
      defaultTargetGroups: [this.targets],
    });
    Validations.of(this.balancer).acknowledge({
      id: "AwsSolutions-ELB2",
      reason:
        "The function of the handshake logs what it refuses; the bucket with these logs would outlive the stack.",
    });
  }

  /**
   * Relays that take sockets. The CDK would derive the balancer's name from the listener, with functions that
   * CloudFormation does not support for outputs of another stack.
   */
  healthyRelays(options: MetricOptions): Metric {
    return new Metric({
      namespace: "AWS/NetworkELB",
      metricName: "HealthyHostCount",
      dimensionsMap: {
        LoadBalancer: this.balancer.loadBalancerFullName,
        TargetGroup: this.targets.targetGroupFullName,
      },
      ...options,
    });
  }

  #createTargets({ vpc }: RelayNetwork) {
    const targets = new NetworkTargetGroup(this, "Targets", {
      vpc,
      port: relayPort,
      protocol: Protocol.TCP,
      targetType: TargetType.IP,
      healthCheck: {
        protocol: Protocol.HTTP,
        path: healthPath,
        interval: Duration.seconds(10),
        timeout: Duration.seconds(5),
        healthyThresholdCount: 2,
        unhealthyThresholdCount: 3,
      },
      deregistrationDelay: Duration.seconds(deregistrationSeconds),
      // A relay closes its sockets itself, spread over its drain; if the balancer cut them off, all clients would
      // reconnect at the same time.
      connectionTermination: false,
      // Nothing reads the client's address, and preserved addresses collide: two clients behind one address may reach
      // the same relay from the same port through different zones.
      preserveClientIp: false,
    });
    // An unhealthy relay, overloaded or draining, keeps its sockets, too; a relay that has died has none.
    targets.setAttribute("target_health_state.unhealthy.connection_termination.enabled", "false");
    targets.setAttribute(
      "target_health_state.unhealthy.draining_interval_seconds",
      String(4 * defaultDrainSeconds),
    );
    return targets;
  }
}
