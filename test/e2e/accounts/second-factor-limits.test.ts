import { describe, expect, it } from "vitest";
import { type ApiAnswer, outcome } from "../../support/api.ts";
import { injectFaults } from "../../support/faults.ts";
import { nextMessage, wrongCode } from "../../support/messages.ts";
import { concurrently } from "../../support/races.ts";
import { codeRefused, codeRequired, purposesTo, secondFactor } from "../../support/second-factor.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newMember } from "../../support/teams.ts";
import { newEmail } from "../../support/users.ts";

const delaySeconds = 300;
/** A stack whose clock is advanced by the tests, which therefore run one at a time. */
const limited = await stackWith({
  sndFactorPasswordChallenge: { defaults: { status: "enabled" } },
  set2FACodeGenerationDelaySecs: delaySeconds,
  setCodeReplacementRateLimit: { burst: 2, refillSeconds: 3600 },
  setCodeDeliveryRateLimitPerIp: { burst: 60, refillSeconds: 10 },
  setLimitFailedLogins: { timeout: 600, retryLimit: 5 },
});
const { request, pendingCode, newCode, logIn } = secondFactor(limited);

const retryAfter = ({ headers }: ApiAnswer) => Number(headers.get("retry-after"));

describe("second-factor codes with limits", () => {
  it("are sent once per delay, address and action, with the same limits for unknown addresses", async () => {
    const user = await newMember({}, limited);
    const unknown = newEmail();
    for (const email of [user.email, unknown]) {
      expect(outcome(await request(email, { apis: limited }))).toBe("200");
      const refused = await request(email.replace("@", "+again@"), { apis: limited });
      expect(outcome(refused)).toBe("429 too-many-requests");
      expect(retryAfter(refused)).toBeGreaterThan(delaySeconds - 60);
      expect(retryAfter(refused)).toBeLessThanOrEqual(delaySeconds);
      expect(outcome(await request(email, { apis: limited, action: "delete_team" }))).toBe("200");
    }
    const code = await pendingCode(user, { apis: limited });
    limited.advance(delaySeconds - 100);
    const later = await request(user.email, { apis: limited });
    expect(outcome(later)).toBe("429 too-many-requests");
    expect(outcome(await logIn(user, code, limited))).toBe("200");
    limited.advance(retryAfter(later));
    expect(outcome(await request(user.email, { apis: limited }))).toBe("200");
    expect(outcome(await request(user.email, { apis: limited }))).toBe("429 too-many-requests");
    limited.advance(100);
    expect(outcome(await request(unknown, { apis: limited }))).toBe("200");
    expect(outcome(await request(unknown, { apis: limited }))).toBe("429 too-many-requests");
  });

  it("are refused as too many while other requests keep competing for them", async () => {
    limited.advance(600);
    const { id, email } = await newMember({}, limited);
    const endFaults = injectFaults(({ action, body }) =>
      action === "TransactWriteItems" && body.includes(`second-factor#${id}/`) ? "conflicts" : undefined,
    );
    const refused = await request(email, { apis: limited }).finally(endFaults);
    expect(outcome(refused)).toBe("429 too-many-requests");
    expect(retryAfter(refused)).toBe(delaySeconds);
    expect(outcome(await request(email, { apis: limited }))).toBe("200");
  });

  it("are sent once for 20 concurrent requests, with the same limit for unknown addresses", async () => {
    limited.advance(600);
    const user = await newMember({}, limited);
    for (const email of [user.email, newEmail()]) {
      const outcomes = (await concurrently(20, () => request(email, { apis: limited }))).map(outcome).sort();
      expect(outcomes).toEqual(["200", ...Array(19).fill("429 too-many-requests")]);
      limited.advance(600);
    }
    await nextMessage(user.email);
    expect(await purposesTo(user.email)).toEqual(["SecondFactorVerification"]);
  });

  it("expire after ten minutes", async () => {
    const user = await newMember({}, limited);
    const code = await newCode(user, { apis: limited });
    limited.advance(500);
    expect(outcome(await logIn(user, code, limited))).toBe("200");
    limited.advance(101);
    expect(outcome(await logIn(user, code, limited))).toBe(codeRefused);
    expect(await pendingCode(user, { apis: limited })).toBeNull();
  });

  it("cannot be renewed endlessly by guessing", async () => {
    const user = await newMember({}, limited);
    for (let count = 0; count < 3; count++) {
      const code = await newCode(user, { apis: limited });
      expect(outcome(await logIn(user, wrongCode(code), limited))).toBe(codeRefused);
      limited.advance(601);
    }
    const refused = await request(user.email, { apis: limited });
    expect(outcome(refused)).toBe("429 too-many-requests");
    limited.advance(retryAfter(refused));
    expect(outcome(await request(user.email, { apis: limited }))).toBe("200");
  });

  it("use the failed-login budget when they are wrong, but not when they are right or missing", async () => {
    const user = await newMember({}, limited);
    limited.advance(600);
    const code = await newCode(user, { apis: limited });
    for (let count = 0; count < 8; count++) expect(outcome(await logIn(user, code, limited))).toBe("200");
    for (let count = 0; count < 8; count++)
      expect(outcome(await logIn(user, undefined, limited))).toBe(codeRequired);
    for (let count = 0; count < 3; count++)
      expect(outcome(await logIn(user, wrongCode(code), limited))).toBe(codeRefused);
    for (let count = 0; count < 2; count++) {
      const answer = await logIn({ ...user, password: "not the password" }, code, limited);
      expect(outcome(answer)).toBe("403 invalid-credentials");
    }
    const exhausted = await logIn(user, code, limited);
    expect(outcome(exhausted)).toBe("403 client-error");
    limited.advance(retryAfter(exhausted));
    expect(outcome(await logIn(user, code, limited))).toBe(codeRefused);
  });

  it("are limited per network, whatever the address", async () => {
    limited.advance(600);
    let sent = 0;
    let refused = await request(newEmail(), { apis: limited });
    for (; outcome(refused) === "200"; sent++) refused = await request(newEmail(), { apis: limited });

    expect(sent).toBeGreaterThanOrEqual(60);
    expect(sent).toBeLessThan(90);
    expect(outcome(refused)).toBe("429 too-many-requests");
    expect(retryAfter(refused)).toBeLessThanOrEqual(10);
  });
});
