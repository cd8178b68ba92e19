import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  ListPartsCommand,
  NoSuchUpload,
  type S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import pLimit from "p-limit";

/**
 * Parts that a process sends at the same time. With more, a part could exceed the time limit of a call to AWS, and no
 * upload would be faster.
 */
const partsAtOnce = 4;
const sending = pLimit(partsAtOnce);

/** Headers of every object: it is served as a download of unknown type, which no browser runs or displays. */
export const objectHeaders = {
  ContentType: "application/octet-stream",
  ContentDisposition: "attachment",
} as const;

/** Parameters of all calls for parts. */
interface Target {
  readonly Bucket: string;
  readonly Key: string;
  readonly UploadId: string;
}

/** An object that is written in parts, and does not exist before it is complete. */
export class PartedUpload {
  readonly #s3: S3Client;
  readonly #target: Target;
  readonly #parts: CompletedPart[] = [];

  constructor(s3: S3Client, target: Target) {
    this.#s3 = s3;
    this.#target = target;
  }

  get id(): string {
    return this.#target.UploadId;
  }

  /** @param isSigned whether others send the parts to signed addresses, and no checksums with them */
  static async start(
    s3: S3Client,
    object: { Bucket: string; Key: string },
    { isSigned = false }: { isSigned?: boolean } = {},
  ): Promise<PartedUpload> {
    const create = new CreateMultipartUploadCommand({
      ...object,
      ...objectHeaders,
      ...(!isSigned && { ChecksumAlgorithm: "CRC32" }),
    });
    const { UploadId = "" } = await s3.send(create);
    return new PartedUpload(s3, { ...object, UploadId });
  }

  /** Send the next part. Its bytes may be overwritten once it is sent. */
  async send(bytes: Uint8Array): Promise<void> {
    const PartNumber = this.#parts.length + 1;
    const part = new UploadPartCommand({
      ...this.#target,
      PartNumber,
      Body: bytes,
      ChecksumAlgorithm: "CRC32",
    });
    const { ETag, ChecksumCRC32 } = await sending(() => this.#s3.send(part));
    this.#parts.push({ PartNumber, ETag, ChecksumCRC32 });
  }

  /** Create an address to which anybody can send a part of exactly so many bytes for some time, without a call. */
  signPart(PartNumber: number, bytes: number, lifetimeSeconds: number): Promise<string> {
    const part = new UploadPartCommand({ ...this.#target, PartNumber, ContentLength: bytes });
    return getSignedUrl(this.#s3, part, { expiresIn: lifetimeSeconds });
  }

  /**
   * Take the parts that others have sent to signed addresses, of which S3 lists up to a thousand.
   * @returns their bytes; undefined if the upload has been completed or aborted
   */
  async collectParts(): Promise<number | undefined> {
    try {
      const { Parts = [] } = await this.#s3.send(new ListPartsCommand(this.#target));
      this.#parts.push(...Parts.map(({ PartNumber, ETag }) => ({ PartNumber, ETag })));
      return Parts.reduce((sum, { Size = 0 }) => sum + Size, 0);
    } catch (error) {
      if (error instanceof NoSuchUpload) return undefined;
      throw error;
    }
  }

  async complete(): Promise<void> {
    const { Bucket, Key } = this.#target;
    const complete = new CompleteMultipartUploadCommand({
      ...this.#target,
      MultipartUpload: { Parts: this.#parts },
    });
    try {
      await this.#s3.send(complete);
    } catch (error) {
      // The first attempt may have been complete, and only its answer lost.
      if (!(error instanceof NoSuchUpload)) throw error;
      await this.#s3.send(new HeadObjectCommand({ Bucket, Key }));
    }
  }

  /** Remove the parts. */
  async abort(): Promise<void> {
    try {
      await this.#s3.send(new AbortMultipartUploadCommand(this.#target));
    } catch (error) {
      if (!(error instanceof NoSuchUpload)) throw error;
    }
  }
}
