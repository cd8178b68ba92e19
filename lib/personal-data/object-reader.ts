import { GetObjectCommand, NoSuchKey, S3Client } from "@aws-sdk/client-s3";
import { awsClientOptions } from "#shared/platform/aws-client-options.ts";

/** Reads an object; undefined if it is gone. */
export type ObjectReader = (objectName: string) => Promise<Uint8Array | undefined>;

/** Create a reader of a bucket's objects, each of which fits into memory. */
export function objectReader(bucketName: string): ObjectReader {
  const s3 = new S3Client(awsClientOptions({ patience: 10 }));
  return async (objectName) => {
    try {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucketName, Key: objectName }));
      return await Body?.transformToByteArray();
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  };
}
