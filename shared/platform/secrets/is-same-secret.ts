import { timingSafeEqual } from "node:crypto";

/** Whether two secrets are equal; the time taken reveals only their lengths. */
export function isSameSecret(actual: string | Uint8Array, expected: string | Uint8Array): boolean {
  const [one, other] = [Buffer.from(actual), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
