import { GetObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { beforeAll, describe, expect, it } from "vitest";
import { parseAssetKey } from "#shared/assets/asset-key.ts";
import { assetPath, download, fetchBytes, locationOf, mixed, upload } from "../../support/assets.ts";
import { browserTest, hasBrowser, inBrowser } from "../../support/browser.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { uploadBody } from "../../support/upload-body.ts";
import { newUser, type User } from "../../support/users.ts";

let ada: User;
beforeAll(async () => {
  ada = await newUser();
});

const newAddress = async (content: string | Uint8Array = "content") => {
  const { key } = await upload(ada, { content });
  return { key, address: locationOf(await download(ada, key)) };
};

/** Upload an asset of a new user to another stack. */
async function uploadTo(stack: OwnStack) {
  const user = await newUser({}, stack);
  const upload = { token: user.token, headers: mixed, body: uploadBody() };
  return { user, body: (await stack.publicApi("POST", "/v8/assets", upload)).body };
}

const statusOf = async (...request: Parameters<typeof fetchBytes>) => (await fetchBytes(...request)).status;

describe.concurrent("the address of an asset", () => {
  it("returns the bytes as a download of unknown type, whatever they are", async () => {
    const content = Buffer.from(Array.from({ length: 4096 }, (_, index) => index % 256));
    const { address } = await newAddress(content);
    const { status, headers, bytes } = await fetchBytes(address);
    expect({ status, isSame: bytes.equals(content) }).toEqual({ status: 200, isSame: true });
    expect(headers).toMatchObject({
      "content-type": "application/octet-stream",
      "content-disposition": "attachment",
      "content-length": "4096",
    });
  });

  it("answers requests for a range", async () => {
    const { address } = await newAddress("0123456789");
    const { status, headers, bytes } = await fetchBytes(address, { range: "bytes=2-4" });
    expect({ status, text: bytes.toString() }).toEqual({ status: 206, text: "234" });
    expect(headers["content-range"]).toBe("bytes 2-4/10");
    expect(await statusOf(address, { range: "bytes=20-" })).toBe(416);
  });

  it("reveals neither owner nor token", async () => {
    const { key, token } = await upload(ada);
    const address = locationOf(await download(ada, key));
    const { headers } = await fetchBytes(address);
    const seen = address + JSON.stringify(headers);
    expect(seen).not.toContain(ada.id);
    expect(seen).not.toContain(token);
    expect(Object.keys(headers).filter((name) => name.startsWith("x-amz-meta"))).toEqual([]);
  });

  it("is valid only for reading that object", async () => {
    const { address } = await newAddress();
    const other = await newAddress();
    const url = new URL(address);
    const changed = (change: (copy: URL) => void) => {
      const copy = new URL(address);
      change(copy);
      return copy.href;
    };
    const forged = {
      "another object": changed((copy) => {
        copy.pathname = new URL(other.address).pathname;
      }),
      "the list of objects": changed((copy) => {
        copy.pathname = `${url.pathname.split("/")[1]}/`;
      }),
      "another signature": changed((copy) => copy.searchParams.set("X-Amz-Signature", "0".repeat(64))),
      "a longer life": changed((copy) => copy.searchParams.set("X-Amz-Expires", "86400")),
      "another date": changed((copy) => copy.searchParams.set("X-Amz-Date", "20991231T235959Z")),
      "another type": changed((copy) => copy.searchParams.set("response-content-type", "text/html")),
      "another disposition": changed((copy) =>
        copy.searchParams.set("response-content-disposition", "inline"),
      ),
      "another key": changed((copy) =>
        copy.searchParams.set("X-Amz-Credential", "me/20260101/eu/s3/aws4_request"),
      ),
      "no signature": changed((copy) => copy.searchParams.delete("X-Amz-Signature")),
      nothing: address.split("?")[0] ?? "",
    };
    for (const [name, target] of Object.entries(forged))
      expect([400, 403], name).toContain(await statusOf(target));
    for (const method of ["PUT", "DELETE", "POST", "HEAD"])
      expect(await statusOf(address, {}, method), method).toBe(403);
    expect(await statusOf(address)).toBe(200);
  });

  it("is refused together with a bearer token", async () => {
    const { address } = await newAddress();
    expect(await statusOf(address, { authorization: `Bearer ${ada.token}` })).toBe(400);
  });

  it("stops working when its time is over", async () => {
    const { key, address } = await newAddress();
    expect(new URL(address).searchParams.get("X-Amz-Expires")).toBe("300");
    const get = new GetObjectCommand({ Bucket: "test-assets", Key: parseAssetKey(key)?.objectName });
    const s3 = new S3Client();
    const sign = (secondsAgo: number) =>
      getSignedUrl(s3, get, { expiresIn: 300, signingDate: new Date(Date.now() - secondsAgo * 1000) });
    expect(await statusOf(await sign(200))).toBe(200);
    expect(await statusOf(await sign(310))).toBe(403);
    expect(await statusOf(await sign(-3600))).toBe(403);
    s3.destroy();
  });

  it("is valid for as long as the operator says", async () => {
    const stack = await stackWith({ downloadLinkTTL: 42 });
    const { body } = await uploadTo(stack);
    const answer = await stack.internalApi("GET", `/i/assets/${body.key}`);
    expect(new URL(answer.body).searchParams.get("X-Amz-Expires")).toBe("42");
  });

  it("can be read by pages of any origin, with the headers of the redirected request", async () => {
    const { address } = await newAddress();
    const preflight = await fetchBytes(
      address,
      {
        origin: "null",
        "access-control-request-method": "GET",
        "access-control-request-headers": "asset-token,range",
      },
      "OPTIONS",
    );
    expect(preflight.status).toBe(200);
    expect(preflight.headers).toMatchObject({
      "access-control-allow-origin": "*",
      "access-control-allow-headers": "asset-token,range",
    });
    const { status, headers } = await fetchBytes(address, { origin: "null", "sec-fetch-site": "cross-site" });
    expect({ status, origin: headers["access-control-allow-origin"] }).toEqual({ status: 200, origin: "*" });
  });

  it("is refused under another host name, as in DNS rebinding", async () => {
    const { address } = await newAddress();
    expect(await statusOf(address, { host: "evil.example" })).toBe(403);
  });
});

describe.skipIf(!hasBrowser)("a browser", inBrowser, () => {
  const html = `<!doctype html><title>owned</title><script>document.title = "script"; fetch("/stolen")</script>`;

  browserTest("downloads an uploaded page and does not run it", async ({ newTab }) => {
    const { address } = await newAddress(html);
    const tab = await newTab({ javaScriptEnabled: true });
    const [saved] = await Promise.all([
      tab.waitForEvent("download"),
      tab.goto(address).catch((error: Error) => expect(error.message).toContain("Download is starting")),
    ]);
    expect(saved.url()).toBe(address);
    expect(await tab.title()).toBe("");
  });

  browserTest("does not show it in a frame, either", async ({ newTab, newSite }) => {
    const page = await newAddress(html);
    const { origin } = await newSite(() => ({
      body: `<!doctype html><title>quiet</title><iframe src="${page.address}"></iframe><embed src="${page.address}">`,
    }));
    const tab = await newTab({ javaScriptEnabled: true });
    await tab.goto(origin);
    expect(await tab.title()).toBe("quiet");
    for (const frame of tab.frames().slice(1)) expect(await frame.title()).toBe("");
  });

  browserTest(
    "lets a page of another origin read it through the redirect, also without a setting",
    async ({ newTab, newSite }) => {
      const { origin } = await newSite();
      const { key, token } = await upload(ada);
      const tab = await newTab({ javaScriptEnabled: true });
      await tab.goto(origin);
      const url = `${sharedStack().publicUrl}${assetPath(key)}`;
      const read = (headers: Record<string, string>, target: string) =>
        tab.evaluate(
          async ([address, sent]) =>
            (await fetch(address as string, { headers: sent as Record<string, string> })).text(),
          [target, headers] as const,
        );
      const query = `?access_token=${ada.token}&asset_token=${encodeURIComponent(token)}`;
      expect(await read({}, url + query)).toBe("content");
      expect(
        await read({ "asset-token": token, range: "bytes=0-2" }, `${url}?access_token=${ada.token}`),
      ).toBe("con");
      expect(await read({ authorization: `Bearer ${ada.token}` }, url)).toBe("content");
    },
  );
});
