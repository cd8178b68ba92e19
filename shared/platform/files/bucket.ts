import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  NotFound,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
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

  /** Start to write an object of any size in parts. @param options.isSigned whether others send them */
  startUpload(objectName: string, options?: { isSigned: boolean }): Promise<PartedUpload> {
    return PartedUpload.start(this.#s3, { Bucket: this.#name, Key: objectName }, options);
  }

  /** An upload that another process has started. */
  startedUpload(objectName: string, uploadId: string): PartedUpload {
    return new PartedUpload(this.#s3, { Bucket: this.#name, Key: objectName, UploadId: uploadId });
  }

  /** Size of an object; undefined if there is none. */
  async sizeOf(objectName: string): Promise<number | undefined> {
    try {
      const head = new HeadObjectCommand({ Bucket: this.#name, Key: objectName });
      return (await this.#s3.send(head)).ContentLength;
    } catch (error) {
      if (error instanceof NotFound) return undefined;
      throw error;
    }
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
}
