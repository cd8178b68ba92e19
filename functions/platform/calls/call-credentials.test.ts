import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { sftCredentials, turnCredentials, userSuffix } from "./call-credentials.ts";

// Computed independently of this code, with Python's hashlib and hmac.
const userId = "0190a5b8-7f6e-7d43-8a51-3c2a9be0d1f4";
const suffix = "capedrufebqbwazjdctzcrrcivyk";
const expiresAt = 1_700_000_000;

describe("call credentials", () => {
  it("are signed in the format that TURN servers expect", () => {
    expect(turnCredentials("a shared secret", userId, expiresAt)).toEqual({
      username: `d=1700000000.v=1.k=0.t=s.r=${suffix}`,
      credential: "w6vlrc+LsT12ZKi03Q97xUEEEZWwZ8gMz6tzflgBlmSqdhfZJ1mwtkF4nw0uBUNKBQMB3fH3TuVGoTy4tB3VSQ==",
    });
  });

  it("tell SFT servers whether the user may hold conferences", () => {
    const credentialsOf = (mayConfer: boolean) =>
      sftCredentials("a shared secret", userId, { expiresAt, mayConfer });
    expect(credentialsOf(true)).toEqual({
      username: `d=1700000000.v=1.k=0.s=1.r=${suffix}`,
      credential: "XzKZcYRpCW2JtE91FxzXM9/oCYjivOcchJhcmQaNrRg7m9H2iponmdw4emwwGtTNkVRQjA0lMvbU0ue61g+HVQ==",
    });
    expect(credentialsOf(false).username).toBe(`d=1700000000.v=1.k=0.s=0.r=${suffix}`);
  });

  it("end in a suffix that is stable for one user and differs between users", () => {
    expect(userSuffix(userId.toUpperCase())).toBe(suffix);
    const suffixes = Array.from({ length: 500 }, () => userSuffix(randomUUID()));
    for (const one of suffixes) expect(one).toMatch(/^[a-z]{1,28}$/);
    expect(new Set(suffixes).size).toBe(500);
  });
});
