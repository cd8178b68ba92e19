import {
  GetObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  NoSuchKey,
  paginateListObjectsV2,
  S3Client,
} from "@aws-sdk/client-s3";
import { awsClientOptions } from "#shared/platform/aws-client-options.ts";
import type { BucketName } from "#shared/registry/buckets.ts";

/** Walks through the buckets of a stage. */
export class BucketReader {
  readonly #s3 = new S3Client(awsClientOptions({ patience: 10 }));
  readonly #names: ReadonlyMap<BucketName, string>;

  constructor(names: ReadonlyMap<BucketName, string>) {
    this.#names = names;
  }

  /** Names and sizes of all objects. */
  async *objects(bucket: BucketName): AsyncGenerator<{ readonly name: string; readonly bytes: number }> {
    const pages = paginateListObjectsV2({ client: this.#s3 }, { Bucket: this.#names.get(bucket) });
    for await (const { Contents = [] } of pages)
      for (const { Key: name = "", Size: bytes = 0 } of Contents) yield { name, bytes };
  }

  /** Names of objects with unfinished uploads, of which some parts are stored. */
  async *unfinished(bucket: BucketName): AsyncGenerator<string> {
    const Bucket = this.#names.get(bucket);
    let after: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | undefined = {};
    while (after !== undefined) {
      const page: ListMultipartUploadsCommandOutput = await this.#s3.send(
        new ListMultipartUploadsCommand({ Bucket, ...after }),
      );
      for (const { Key: name = "" } of page.Uploads ?? []) yield name;
      after = page.IsTruncated
        ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
        : undefined;
    }
  }

  /** @returns undefined for an object that is gone */
  async text(bucket: BucketName, name: string): Promise<string | undefined> {
    try {
      const get = new GetObjectCommand({ Bucket: this.#names.get(bucket), Key: name });
      return await (await this.#s3.send(get)).Body?.transformToString();
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  }
}
