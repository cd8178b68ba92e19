import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { awsClientOptions } from "../aws-client-options.ts";
import type { Config } from "../config.ts";
import type { BucketName } from "../product.ts";
import { objectHeaders, PartedUpload } from "./parted-upload.ts";

/** One bucket, as functions use it. */
export class Bucket {
  readonly #name: string;
  readonly #s3 = new S3Client({
    ...awsClientOptions({ patience: 2 }),
    // Otherwise the SDK asks first whether it may send a large object, which costs a round trip.
    expectContinueHeader: false,
    // By default, the SDK also adds checksums to signed addresses, which nobody checks.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });

  constructor({ config }: { readonly config: Pick<Config, "bucketName"> }, name: BucketName) {
    this.#name = config.bucketName(name);
  }

  async put(objectName: string, bytes: Uint8Array): Promise<void> {
    const put = new PutObjectCommand({
      Bucket: this.#name,
      Key: objectName,
      Body: bytes,
      ChecksumAlgorithm: "CRC32",
      ...objectHeaders,
    });
    await this.#s3.send(put);
  }

  /** Start to write an object of any size in parts. */
  startUpload(objectName: string): Promise<PartedUpload> {
    return PartedUpload.start(this.#s3, { Bucket: this.#name, Key: objectName });
  }

  /** Remove the parts of an upload that will not be completed. */
  abortUpload(objectName: string, uploadId: string): Promise<void> {
    return new PartedUpload(this.#s3, this.#target(objectName, uploadId)).abort();
  }

  /** Delete an object, if it exists. */
  async delete(objectName: string): Promise<void> {
    await this.#s3.send(new DeleteObjectCommand({ Bucket: this.#name, Key: objectName }));
  }

  /** Create an address from which anybody can read an object for some time, without a call. */
  signUrl(objectName: string, lifetimeSeconds: number): Promise<string> {
    const get = new GetObjectCommand({ Bucket: this.#name, Key: objectName });
    return getSignedUrl(this.#s3, get, { expiresIn: lifetimeSeconds });
  }

  #target(Key: string, UploadId: string) {
    return { Bucket: this.#name, Key, UploadId };
  }
}
