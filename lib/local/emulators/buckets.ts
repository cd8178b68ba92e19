import { constants } from "node:buffer";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildApp } from "fauxqs";
import { bucketCors } from "../../bucket-cors.ts";
import { isFromPage, isFromThisMachine, isLocalHost, namesServer } from "../gateway/local-caller.ts";
import { createStores, load, partsOf, type Stores } from "./package-parts.ts";
import { describeBadSignature, type Refusal, type SecretOf } from "./signed-url.ts";

/** The longest string in Node, so that the emulator, like S3, accepts every object that our code writes in one call. */
const maxBodyBytes = constants.MAX_STRING_LENGTH;

/** Only these calls are allowed: others would name objects in their bodies. */
const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "PUT", "DELETE", "OPTIONS"]);
/** Calls that begin and complete an object that is written in parts. */
const partedUpload = /^\/[^/?]+\/[^?]+\?(?:.*&)?(?:uploads|uploadId)(?:[=&]|$)/;
const isAllowed = (method: string, url: string): boolean =>
  methods.has(method) || (method === "POST" && partedUpload.test(url));

/**
 * Whether a path has `.` or `..` as a segment, in any encoding: the package uses names unchanged as names of files, but
 * signatures are checked for the path without such segments.
 */
const leavesBucket = (url: string): boolean =>
  url
    .split("?", 1)
    .join()
    .split(/\/|\\|%2f|%5c/i)
    .some((segment) => /^(\.|%2e){1,2}$/i.test(segment));

/**
 * Start the S3 emulator, in memory unless a folder is named. As with the other emulators, programs on this machine may
 * use all of it, with any signature; requests from pages or other machines need a valid signed URL.
 */
export async function startBuckets({
  region,
  folder,
  host,
  secretOf,
}: {
  region: string;
  folder: string | undefined;
  /** Address of this machine to listen on. */
  host: string;
  secretOf: SecretOf;
}): Promise<{ url: string; stop(): Promise<void> }> {
  const stores = await createObjectStores(folder);
  const app = buildApp({ logger: false, defaultRegion: region, stores });
  // The package's own parser of bodies is limited to 11 MiB.
  app.removeContentTypeParser("*");
  const parsing = { parseAs: "buffer", bodyLimit: maxBodyBytes } as const;
  app.addContentTypeParser("*", parsing, (_, body, done) => done(null, body));

  app.addHook("onRequest", async (request, reply) => {
    const { headers, method, url, socket } = request;
    if (!isLocalHost(headers) && !namesServer(headers, socket)) return reply.code(403).send();
    if (leavesBucket(url)) return reply.code(400).send();
    if (headers.origin !== undefined) reply.headers(corsHeaders);
    if (method === "OPTIONS") return reply.code(200).headers(preflightHeaders(headers)).send();
    const isOurs = isFromThisMachine(socket) && !isFromPage(headers);
    const isCall = isOurs && headers.authorization?.startsWith("AWS4-HMAC-SHA256 ");
    const isSigned = !isCall || url.includes("X-Amz-Signature=");
    const problem = isSigned ? await describeBadSignature({ headers, method, url }, secretOf) : undefined;
    const refuse = ({ status, code, message }: Refusal) =>
      reply
        .code(status)
        .type("application/xml")
        .send(`${xmlHead}<Error><Code>${code}</Code><Message>${message}</Message></Error>`);
    if (problem !== undefined) return refuse(problem);
    if (!isAllowed(method, url)) return reply.code(405).send();
    const uploadId = new URL(url, "http://localhost").searchParams.get("uploadId");
    if (method !== "GET" || uploadId === null) return undefined;
    const parts = listParts(stores, uploadId);
    return parts === undefined ? refuse(noSuchUpload) : reply.type("application/xml").send(xmlHead + parts);
  });

  const url = await app.listen({ port: 0, host });
  return { url, stop: () => app.close() };
}

const xmlHead = '<?xml version="1.0" encoding="UTF-8"?>\n';
const noSuchUpload = { status: 404, code: "NoSuchUpload", message: "The upload does not exist" };

/** The answer to ListParts, which the package lacks. @returns undefined if there is no such upload */
function listParts(stores: Stores, uploadId: string): string | undefined {
  const parts = partsOf(stores, uploadId)?.map(
    ({ partNumber, etag, body }) =>
      `<Part><PartNumber>${partNumber}</PartNumber><ETag>${etag}</ETag><Size>${body.length}</Size></Part>`,
  );
  return parts && `<ListPartsResult><IsTruncated>false</IsTruncated>${parts.join("")}</ListPartsResult>`;
}

async function createObjectStores(folder: string | undefined): Promise<Stores> {
  const stores = await createStores();
  if (folder === undefined) return stores;
  const { FileS3Persistence } = await load("s3/fileS3Persistence.js");
  // If the writer of an object was killed, nothing will complete it.
  rmSync(join(folder, "_multipart"), { recursive: true, force: true });
  const files = new FileS3Persistence(folder);
  removeTornFiles(folder);
  files.loadS3(stores.s3Store);
  stores.s3Store.persistence = files;
  return stores;
}

/**
 * Removes files that a killed process had begun to write and not acknowledged, because the package could not read them.
 */
function removeTornFiles(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!/\.(meta|bucket|upload)\.json$/.test(name)) continue;
    const file = join(folder, name);
    if (readFileSync(file).length === 0) rmSync(file);
  }
}

const corsHeaders = {
  "access-control-allow-origin": bucketCors.origins.join(),
  "access-control-expose-headers": bucketCors.exposedHeaders.join(),
};

const preflightHeaders = (headers: Readonly<Record<string, string | string[] | undefined>>) => ({
  "access-control-allow-methods": bucketCors.methods.join(),
  "access-control-allow-headers": String(headers["access-control-request-headers"] ?? ""),
  "access-control-max-age": bucketCors.maxAgeSeconds,
});
