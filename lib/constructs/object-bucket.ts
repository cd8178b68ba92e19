import { Aws, CfnOutput, Duration, Stack, Validations } from "aws-cdk-lib";
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type BucketProps,
  type CfnBucket,
  type CorsRule,
  HttpMethods,
  type IBucket,
  type LifecycleRule,
  ObjectLockRetention,
  ObjectOwnership,
  type ReplicationRule,
  ReplicationTimeValue,
  StorageClass,
} from "aws-cdk-lib/aws-s3";
import type { Construct } from "constructs";
import { type BucketName, type BucketSpec, buckets } from "#shared/registry/buckets.ts";
import { bucketCors } from "../bucket-cors.ts";
import { referenceElsewhere } from "../cross-stack-references.ts";
import { removalPolicyOf } from "../removal-policy.ts";
import type { Stage } from "../stage.ts";

interface ObjectBucketProps {
  readonly name: BucketName;
  readonly stage: Stage;
  /** Name of the bucket in a second region to which S3 copies everything. */
  readonly copyName: string | undefined;
}

/**
 * One row of the bucket registry: private, encrypted, and reached by TLS only; unless it is locked, any page may read
 * it by signed addresses.
 */
export class ObjectBucket extends Bucket {
  /**
   * References for other stacks: its name, its ARN and the ARN of all its objects, the latter also as the security
   * checks spell it.
   */
  readonly nameElsewhere: string;
  readonly arnElsewhere: string;
  readonly objectsElsewhere: string;
  readonly objectsFinding: string;

  constructor(scope: Construct, { name, stage, copyName }: ObjectBucketProps) {
    const spec: BucketSpec = buckets[name];
    super(scope, `${name}-bucket`, {
      ...commonOf(name, stage),
      ...(spec.isLocked ? {} : { cors }),
      ...(copyName !== undefined && {
        replicationRules: [
          copiedTo(Bucket.fromBucketArn(scope, `${name}-copy`, `arn:${Aws.PARTITION}:s3:::${copyName}`)),
        ],
      }),
    });
    if (copyName !== undefined) this.#explainCopying(copyName);
    const reference = referenceElsewhere(
      new CfnOutput(scope, `${name}-bucket-name`, { value: this.bucketName }),
    );
    this.nameElsewhere = reference.value;
    this.arnElsewhere = `arn:${Aws.PARTITION}:s3:::${this.nameElsewhere}`;
    this.objectsElsewhere = `${this.arnElsewhere}/*`;
    this.objectsFinding = `arn:<AWS::Partition>:s3:::${reference.finding}/*`;
    Validations.of(this).acknowledge({
      id: "AwsSolutions-S1",
      reason:
        "The functions log each upload and download. These logs would hold addresses that are still valid.",
    });
  }

  #explainCopying(copyName: string): void {
    const own = Stack.of(this).getLogicalId(this.node.defaultChild as CfnBucket);
    const copy = copyName.replaceAll(Aws.ACCOUNT_ID, "<AWS::AccountId>");
    for (const objects of [`<${own}.Arn>/*`, `arn:<AWS::Partition>:s3:::${copy}/*`]) {
      Validations.of(this.node.findChild("ReplicationRole")).acknowledge({
        id: `AwsSolutions-IAM5[Resource::${objects}]`,
        reason: "S3 itself copies every object, and nothing else has the role.",
      });
    }
  }
}

/** Settings that a bucket and its copy share: who reaches them, and how long they keep objects. */
export const commonOf = (name: BucketName, stage: Stage): BucketProps => ({
  blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
  objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
  encryption: BucketEncryption.S3_MANAGED,
  enforceSSL: true,
  // Objects deleted or overwritten by mistake can be restored for as long as tables can.
  versioned: true,
  ...retentionOf(buckets[name], stage),
  removalPolicy: removalPolicyOf(stage),
});

const retentionOf = (spec: BucketSpec, { settings }: Stage): BucketProps =>
  spec.isLocked ? lockedFor(settings.auditRetentionDays) : { lifecycleRules: lifecycleRulesOf(spec) };

/** With S3's time control, which also measures the delay of the copy. Deletions are copied, too. */
const copiedTo = (destination: IBucket): ReplicationRule => ({
  destination,
  replicationTimeControl: ReplicationTimeValue.FIFTEEN_MINUTES,
  metrics: ReplicationTimeValue.FIFTEEN_MINUTES,
  deleteMarkerReplication: true,
});

const cors: CorsRule[] = [
  {
    allowedMethods: bucketCors.methods.map((method) => HttpMethods[method]),
    allowedOrigins: [...bucketCors.origins],
    allowedHeaders: [...bucketCors.headers],
    exposedHeaders: [...bucketCors.exposedHeaders],
    maxAge: bucketCors.maxAgeSeconds,
  },
];

/**
 * Objects are locked when they are created, and expire once the lock has ended. In governance mode only principals with
 * `s3:BypassGovernanceRetention` can shorten that, which no function has.
 */
const lockedFor = (days: number): Partial<BucketProps> => ({
  objectLockEnabled: true,
  objectLockDefaultRetention: ObjectLockRetention.governance(Duration.days(days)),
  lifecycleRules: [
    { expiration: Duration.days(days + 1), noncurrentVersionExpiration: Duration.days(1) },
    { expiredObjectDeleteMarker: true, abortIncompleteMultipartUploadAfter: Duration.days(1) },
  ],
});

/** The period of the tables' point-in-time recovery. */
const recoveryDays = 35;

function lifecycleRulesOf({ daysByPrefix, seldomRead }: BucketSpec): LifecycleRule[] {
  return [
    ...Object.entries(daysByPrefix).map(([prefix, days]) => ({ prefix, expiration: Duration.days(days) })),
    ...seldomRead.map((prefix) => ({
      prefix,
      transitions: [{ storageClass: StorageClass.INFREQUENT_ACCESS, transitionAfter: Duration.days(30) }],
    })),
    {
      noncurrentVersionExpiration: Duration.days(recoveryDays),
      expiredObjectDeleteMarker: true,
      abortIncompleteMultipartUploadAfter: Duration.days(1),
    },
  ];
}
