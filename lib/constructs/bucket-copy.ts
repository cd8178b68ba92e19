import { Validations } from "aws-cdk-lib";
import { Bucket } from "aws-cdk-lib/aws-s3";
import type { Construct } from "constructs";
import type { BucketName } from "#shared/registry/buckets.ts";
import type { Stage } from "../stage.ts";
import { commonOf } from "./object-bucket.ts";

interface BucketCopyProps {
  readonly name: BucketName;
  readonly bucketName: string;
  readonly stage: Stage;
}

/** A bucket to which S3 copies another one, with the same retention: deletions are copied, too. */
export class BucketCopy extends Bucket {
  constructor(scope: Construct, { name, bucketName, stage }: BucketCopyProps) {
    super(scope, `${name}-copy`, { ...commonOf(name, stage), bucketName });
    Validations.of(this).acknowledge({
      id: "AwsSolutions-S1",
      reason: "Only S3 itself writes to it, and nobody reads it until the first region is lost.",
    });
  }
}
