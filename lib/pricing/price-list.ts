/** Regions whose prices are listed here. */
export const pricedRegions = ["us-east-1", "eu-central-1"] as const;
export type PricedRegion = (typeof pricedRegions)[number];

/** Sources of the list prices, by the prefix of the names below. */
export const priceSources = {
  httpApi: "https://aws.amazon.com/api-gateway/pricing/",
  webSocket: "https://aws.amazon.com/api-gateway/pricing/",
  lambda: "https://aws.amazon.com/lambda/pricing/",
  dynamodb: "https://aws.amazon.com/dynamodb/pricing/on-demand/",
  sqs: "https://aws.amazon.com/sqs/pricing/",
  ses: "https://aws.amazon.com/ses/pricing/",
  log: "https://aws.amazon.com/cloudwatch/pricing/",
  alarm: "https://aws.amazon.com/cloudwatch/pricing/",
  metric: "https://aws.amazon.com/cloudwatch/pricing/",
  dashboard: "https://aws.amazon.com/cloudwatch/pricing/",
  fargate: "https://aws.amazon.com/fargate/pricing/",
  publicAddress: "https://aws.amazon.com/vpc/pricing/",
  networkBalancer: "https://aws.amazon.com/elasticloadbalancing/pricing/",
  file: "https://aws.amazon.com/s3/pricing/",
  outgoing: "https://aws.amazon.com/ec2/pricing/on-demand/",
  zone: "https://aws.amazon.com/ec2/pricing/on-demand/",
  distribution: "https://aws.amazon.com/cloudfront/pricing/",
  firewall: "https://aws.amazon.com/waf/pricing/",
  secret: "https://aws.amazon.com/secrets-manager/pricing/",
  key: "https://aws.amazon.com/kms/pricing/",
} as const;

/** When the prices were written down. They have been compared neither with the published lists nor with a bill. */
export const pricesAsOf = "2025";

/**
 * List prices in US dollars: first tier, without free tiers and taxes. A row has the price of each of `pricedRegions`. Those of
 * the distribution depend on where clients are: in North America or Europe.
 */
const rows = {
  /** HTTP API of API Gateway, for each 512 KB. */
  httpApiRequest: [1.0 / 1e6, 1.2 / 1e6],
  /** WebSocket API of API Gateway: a frame in either direction, for each 32 KB, and a minute of an open socket. */
  webSocketMessage: [1.0 / 1e6, 1.2 / 1e6],
  webSocketConnectionMinute: [0.25 / 1e6, 0.3 / 1e6],
  lambdaRequest: [0.2 / 1e6, 0.2 / 1e6],
  /** arm64 */
  lambdaGigabyteSecond: [0.000_013_333_4, 0.000_013_333_4],
  /** On demand, table class Standard. */
  dynamodbReadUnit: [0.125 / 1e6, 0.1525 / 1e6],
  dynamodbWriteUnit: [0.625 / 1e6, 0.7625 / 1e6],
  dynamodbGigabyteMonth: [0.25, 0.306],
  /** Recovery to any second of the last 35 days, for each gigabyte of a table. */
  dynamodbRecoveryGigabyteMonth: [0.2, 0.2448],
  /** Backup of a table, kept by AWS Backup. */
  dynamodbBackupGigabyteMonth: [0.1, 0.1224],
  /** For each 64 KB; a message takes three: send, receive, delete. */
  sqsRequest: [0.4 / 1e6, 0.4 / 1e6],
  sqsFifoRequest: [0.5 / 1e6, 0.5 / 1e6],
  sesEmail: [0.1 / 1e3, 0.1 / 1e3],
  /** Ingested by CloudWatch Logs, and kept there, compressed to about 15 %. */
  logGigabyte: [0.5, 0.63],
  logGigabyteMonth: [0.03, 0.0324],
  /** For each metric that an alarm reads. */
  alarmMetricMonth: [0.1, 0.1],
  metricMonth: [0.3, 0.3],
  dashboardMonth: [3, 3],
  /** Fargate on arm64. */
  fargateCoreHour: [0.032_38, 0.037_25],
  fargateGigabyteHour: [0.003_56, 0.004_09],
  /** Each public address, in use or not. */
  publicAddressHour: [0.005, 0.005],
  networkBalancerHour: [0.0225, 0.027],
  /** Capacity unit of a network load balancer (NLCU) with TLS: see `balancerUnit`. */
  networkBalancerUnitHour: [0.006, 0.006],
  /** Storage of files in S3, uploads and downloads. */
  fileGigabyteMonth: [0.023, 0.0245],
  filePut: [0.005 / 1e3, 0.0054 / 1e3],
  fileGet: [0.0004 / 1e3, 0.000_43 / 1e3],
  /** Replication within a quarter of an hour. */
  fileReplicatedGigabyte: [0.015, 0.015],
  /** Traffic to another region. */
  outgoingRegionGigabyte: [0.02, 0.02],
  /** Traffic to the Internet, and in either direction between the zones of a region. */
  outgoingGigabyte: [0.09, 0.09],
  zoneGigabyte: [0.01, 0.01],
  /** CloudFront, HTTPS: traffic to clients and to origins. Traffic from origins within AWS is free. */
  distributionRequest: [1.0 / 1e6, 1.2 / 1e6],
  distributionGigabyte: [0.085, 0.085],
  distributionOriginGigabyte: [0.02, 0.02],
  /** Call of a CloudFront function, once for every request. */
  distributionFunctionRun: [0.1 / 1e6, 0.1 / 1e6],
  /** AWS WAF. */
  firewallMonth: [5, 5],
  firewallRuleMonth: [1, 1],
  firewallRequest: [0.6 / 1e6, 0.6 / 1e6],
  secretMonth: [0.4, 0.4],
  keyRequest: [0.03 / 1e4, 0.03 / 1e4],
} as const satisfies Record<string, readonly [number, number]>;

export type Prices = Readonly<Record<keyof typeof rows, number>>;

export const pricesIn = (region: PricedRegion): Prices =>
  Object.fromEntries(
    Object.entries(rows).map(([name, values]) => [name, values[pricedRegions.indexOf(region)]]),
  ) as Prices;

/**
 * Contents of one capacity unit of a network load balancer, for TLS connections; the dimension that needs most units
 * counts.
 */
export const balancerUnit = { newPerSecond: 50, open: 3000, gigabytesPerHour: 1 } as const;

/** Requests for one message: send, receive, delete. */
export const requestsPerMessage = 3;
