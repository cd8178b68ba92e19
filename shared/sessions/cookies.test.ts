import { expect, it } from "vitest";
import { parseSettings } from "#shared/registry/settings.ts";
import { addCookie, checkCookieThrottle, lastLoginOf } from "./cookies.ts";
import { type Cookie, noSessions } from "./session.ts";

const now = Date.UTC(2030, 0, 1);
const day = 86_400_000;

const cookie = (id: number, fields: Partial<Cookie> = {}): Cookie => ({
  id,
  type: "persistent",
  createdAt: now - day,
  expiresAt: now + 10 * day,
  ...fields,
});

const sessionsWith = (cookies: Cookie[]) => ({
  ...noSessions("user"),
  cookies: Object.fromEntries(cookies.map((one) => [one.id, one])),
});

const idsAfterAdding = (cookies: Cookie[], limit: number) =>
  Object.keys(addCookie(sessionsWith(cookies), cookie(100), limit, now).cookies).map(Number);

it("a new cookie removes expired ones even below the limit", () => {
  expect(idsAfterAdding([cookie(1, { expiresAt: now }), cookie(2)], 10)).toEqual([2, 100]);
});

it("a new cookie evicts superseded cookies first, then session cookies, then persistent ones", () => {
  const cookies = [cookie(1, { successor: 3 }), cookie(2, { type: "session" }), cookie(3)];
  expect(idsAfterAdding(cookies, 3)).toEqual([2, 3, 100]);
  expect(idsAfterAdding(cookies, 2)).toEqual([3, 100]);
  expect(idsAfterAdding(cookies, 1)).toEqual([100]);
});

it("a new cookie evicts the one of a kind that expires first", () => {
  const cookies = [cookie(1), cookie(2, { expiresAt: now + day }), cookie(3)];
  expect(idsAfterAdding(cookies, 3)).toEqual([1, 3, 100]);
});

const throttled = parseSettings({
  setUserCookieLimit: 3,
  setUserCookieThrottle: { stdDev: 3000, retryAfter: 86_400 },
});
const madeAt = (...secondsAgo: number[]) =>
  sessionsWith(secondsAgo.map((seconds, id) => cookie(id, { createdAt: now - seconds * 1000 })));

it("throttles a user at the limit whose cookies were created in quick succession, for the rest of the window", () => {
  expect(() => checkCookieThrottle(madeAt(100, 200, 300), throttled, now)).toThrow(
    expect.objectContaining({ error: "cookie-throttled", headers: { "retry-after": "86300" } }),
  );
});

it("does not throttle below the limit, for cookies spread out in time, or after the window", () => {
  expect(() => checkCookieThrottle(madeAt(1, 2), throttled, now)).not.toThrow();
  expect(() => checkCookieThrottle(madeAt(1, 50_000, 500_000), throttled, now)).not.toThrow();
  expect(() => checkCookieThrottle(madeAt(86_400, 86_401, 86_402), throttled, now)).not.toThrow();
});

it("the last login is the stored time, or else that of the newest session without a renewal", () => {
  const cookies = [cookie(1, { createdAt: now - 3 }), cookie(2, { createdAt: now - 1, sessionId: 1 })];
  expect(lastLoginOf({ ...sessionsWith(cookies), loggedInAt: now - 2 })).toBe(now - 2);
  expect(lastLoginOf(sessionsWith(cookies))).toBe(now - 3);
  expect(lastLoginOf(sessionsWith([]))).toBeUndefined();
});
