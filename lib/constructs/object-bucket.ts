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
  /** Name of the bucket in a second region that S3 copies everything to. */
  readonly copyName: string | undefined;
}

/** One row of the bucket registry: private, encrypted, by TLS only; unless it is locked, readable by signed addresses from any page. */
export class ObjectBucket extends Bucket {
  /** Its name, itself and all of its objects, as other stacks refer to them, and the latter as the security checks spell that. */
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

/** What a bucket and its copy have in common: who reaches them, and how long they keep objects. */
export const commonOf = (name: BucketName, stage: Stage): BucketProps => ({
  blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
  objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
  encryption: BucketEncryption.S3_MANAGED,
  enforceSSL: true,
  // What is deleted or overwritten by mistake can be brought back for as long as the tables.
  versioned: true,
  ...retentionOf(buckets[name], stage),
  removalPolicy: removalPolicyOf(stage),
});

const retentionOf = (spec: BucketSpec, { settings }: Stage): BucketProps =>
  spec.isLocked ? lockedFor(settings.auditRetentionDays) : { lifecycleRules: lifecycleRulesOf(spec) };

/** With S3's time control, which also measures how far the copy is behind; what is deleted is deleted there, too. */
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
 * Objects are locked when they are created, and expire when they are free. In governance mode only principals with
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

/** As long as point-in-time recovery of tables reaches back. */
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
