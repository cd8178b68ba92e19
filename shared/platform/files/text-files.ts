import {
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
  type S3ServiceException,
} from "@aws-sdk/client-s3";
import { awsClientOptions } from "../aws-client-options.ts";
import type { Config } from "../config.ts";
import type { BucketName } from "../product.ts";

/** A bucket of texts that are created once, and never changed. */
export class TextFiles {
  readonly #bucket: string;
  readonly #s3 = new S3Client({
    ...awsClientOptions({ patience: 2 }),
    expectContinueHeader: false,
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });

  constructor({ config }: { readonly config: Pick<Config, "bucketName"> }, name: BucketName) {
    this.#bucket = config.bucketName(name);
  }

  /** Create a file unless there is one of that name. @returns whether it was created */
  async create(name: string, text: string): Promise<boolean> {
    const put = new PutObjectCommand({
      Bucket: this.#bucket,
      Key: name,
      Body: text,
      ChecksumAlgorithm: "CRC32",
      ContentType: "application/x-ndjson",
      IfNoneMatch: "*",
    });
    try {
      await this.#s3.send(put);
      return true;
    } catch (error) {
      // 409: somebody else is creating it.
      const status = (error as Partial<S3ServiceException>).$metadata?.httpStatusCode;
      if (status === 412 || status === 409) return false;
      throw error;
    }
  }

  /** @returns undefined if there is no such file */
  async read(name: string): Promise<string | undefined> {
    try {
      const { Body } = await this.#s3.send(new GetObjectCommand({ Bucket: this.#bucket, Key: name }));
      return await Body?.transformToString();
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  }

  /** Names of files in their order. @param after where the list starts, without it */
  async list(prefix: string, { after, limit }: { after: string; limit: number }): Promise<string[]> {
    const list = new ListObjectsV2Command({
      Bucket: this.#bucket,
      Prefix: prefix,
      StartAfter: after,
      MaxKeys: limit,
    });
    const { Contents = [] } = await this.#s3.send(list);
    return Contents.flatMap(({ Key }) => Key ?? []);
  }
}
