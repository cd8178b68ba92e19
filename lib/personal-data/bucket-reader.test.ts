import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { BucketReader } from "./bucket-reader.ts";

/** A list of unfinished uploads as S3 documents it, one entry per page, because the emulator has none. */
it("an unfinished upload is found on any page of the list", async () => {
  const names = ["v3/eternal/one", "v3/eternal/two"];
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? "/", "http://s3");
    const place = searchParams.has("uploads") ? names.indexOf(searchParams.get("key-marker") ?? "") + 1 : 0;
    const isCut = place < names.length - 1;
    response.writeHead(200, { "content-type": "application/xml" });
    response.end(
      `<ListMultipartUploadsResult><IsTruncated>${isCut}</IsTruncated>` +
        `<NextKeyMarker>${names[place]}</NextKeyMarker><NextUploadIdMarker>id</NextUploadIdMarker>` +
        `<Upload><Key>${names[place]}</Key><UploadId>id</UploadId></Upload></ListMultipartUploadsResult>`,
    );
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  vi.stubEnv("AWS_ENDPOINT_URL_S3", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.stubEnv("AWS_REGION", "eu-central-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test");
  onTestFinished(() => {
    vi.unstubAllEnvs();
    server.close();
    server.closeAllConnections();
  });
  const found: string[] = [];
  for await (const name of new BucketReader(new Map([["assets", "parley-assets"]])).unfinished("assets"))
    found.push(name);
  expect(found).toEqual(names);
});
