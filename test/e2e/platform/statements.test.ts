import { createHash } from "node:crypto";
import { createLocalJWKSet, jwtVerify } from "jose";
import { describe, expect, it } from "vitest";
import { internalApi, outcome } from "../../support/api.ts";

const sha256 = createHash("sha256").update("Everything of Ada is erased").digest("hex");

describe.concurrent("a statement", () => {
  it("is signed with a key that is listed, for its kind and content", async () => {
    const { status, body } = await internalApi("GET", `/i/statements/erasure/${sha256}`);
    expect(status).toBe(200);
    const { body: keys } = await internalApi("GET", "/i/statements/keys");
    const { payload } = await jwtVerify(body.signature, createLocalJWKSet(keys), { typ: "statement+jwt" });
    expect(payload).toMatchObject({ kind: "erasure", sha256 });
  });

  it.each([
    `/i/statements/promise/${sha256}`,
    `/i/statements/erasure/${sha256.slice(1)}`,
    `/i/statements/erasure/${sha256.toUpperCase()}`,
  ])("is refused without a known kind and a hash: %s", async (path) => {
    expect(outcome(await internalApi("GET", path))).toBe("400 bad-request");
  });
});
