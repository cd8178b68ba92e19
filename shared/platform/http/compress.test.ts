import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { compressFor } from "./compress.ts";

const text = "é".repeat(1000);
const result = { statusCode: 200, headers: { "content-type": "text/plain" }, body: text };

describe("compressFor", () => {
  it.each(["gzip", "br, GZIP", "gzip, deflate, br, zstd", "br;q=1.0, gzip;q=0.8, *;q=0.1"])(
    "compresses a text for a caller that accepts %s",
    async (accepted) => {
      const { body = "", headers, isBase64Encoded } = await compressFor(accepted, result);
      expect(headers).toMatchObject({ "content-encoding": "gzip", vary: "accept-encoding" });
      expect(isBase64Encoded).toBe(true);
      expect(gunzipSync(Buffer.from(body, "base64")).toString()).toBe(text);
    },
  );

  it.each([undefined, "", "br", "identity", "gzip;q=0", "gzip; q=0.000, br", "x-gzip-like"])(
    "leaves a text as it is for a caller that accepts %s",
    async (accepted) => {
      const answer = await compressFor(accepted, result);
      expect(answer).toEqual({ ...result, headers: { ...result.headers, vary: "accept-encoding" } });
    },
  );

  it("leaves bytes and empty answers as they are", async () => {
    for (const given of [
      { ...result, body: "AAAA", isBase64Encoded: true },
      { ...result, body: "" },
    ]) {
      expect((await compressFor("gzip", given)).body).toBe(given.body);
    }
  });
});
