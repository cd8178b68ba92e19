import { constants } from "node:buffer";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildApp } from "fauxqs";
import { bucketCors } from "../../bucket-cors.ts";
import { isFromPage, isFromThisMachine, isLocalHost, namesServer } from "../gateway/local-caller.ts";
import { createStores, load, type Stores } from "./package-parts.ts";
import { describeBadSignature, type SecretOf } from "./signed-url.ts";

/** The longest text that Node can have, so that whatever our code writes at once is accepted, as S3 does. */
const maxBodyBytes = constants.MAX_STRING_LENGTH;

/** Other calls would name objects in their bodies. */
const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "PUT", "DELETE", "OPTIONS"]);
/** What begins and completes an object that is written in parts. */
const partedUpload = /^\/[^/?]+\/[^?]+\?(?:.*&)?(?:uploads|uploadId)(?:[=&]|$)/;
const isAllowed = (method: string, url: string): boolean =>
  methods.has(method) || (method === "POST" && partedUpload.test(url));

/**
 * Whether a path has `.` or `..` for a segment, however it is encoded: the package turns names into files as they are,
 * but signatures are checked for the path without such segments.
 */
const leavesBucket = (url: string): boolean =>
  url
    .split("?", 1)
    .join()
    .split(/\/|\\|%2f|%5c/i)
    .some((segment) => /^(\.|%2e){1,2}$/i.test(segment));

/**
 * Start the S3 emulator, in memory unless a folder is named. Programs on this machine may use all of it, with any
 * signature, as with the other emulators; whatever comes from elsewhere, such as a page or another machine, needs a signed
 * URL that is valid.
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
  const app = buildApp({ logger: false, defaultRegion: region, stores: await createObjectStores(folder) });
  // The package's own parser of bodies takes 11 MiB.
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
    if (problem === undefined) return isAllowed(method, url) ? undefined : reply.code(405).send();
    const { status, code, message } = problem;
    return reply
      .code(status)
      .type("application/xml")
      .send(
        `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`,
      );
  });

  const url = await app.listen({ port: 0, host });
  return { url, stop: () => app.close() };
}

async function createObjectStores(folder: string | undefined): Promise<Stores> {
  const stores = await createStores();
  if (folder === undefined) return stores;
  const { FileS3Persistence } = await load("s3/fileS3Persistence.js");
  // Nobody continues to write an object whose writer was killed.
  rmSync(join(folder, "_multipart"), { recursive: true, force: true });
  const files = new FileS3Persistence(folder);
  removeTornFiles(folder);
  files.loadS3(stores.s3Store);
  stores.s3Store.persistence = files;
  return stores;
}

/** Removes what a process that was killed had begun to write, and had not answered: the package could not read it. */
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
