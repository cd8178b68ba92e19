import { maxShownLength } from "#shared/platform/html/typed-fields.ts";

const cookieName = "password-reset-address";
const attributes = "Path=/password-reset/page; HttpOnly; Secure; SameSite=Strict";

/**
 * `Set-Cookie` value that saves typing the address again; unlike a query, a cookie appears in no history and no log.
 */
export const addressCookie = (address: string): string =>
  `${cookieName}=${Buffer.from(address.trim().slice(0, maxShownLength)).toString("base64url")}; Max-Age=900; ${attributes}`;

export const clearedAddress = `${cookieName}=; Max-Age=0; ${attributes}`;

/** The address that the browser has asked for, if any. It proves nothing: anybody can set a cookie. */
export function readAddress(cookiesNamed: (name: string) => readonly string[]): string | undefined {
  const address = Buffer.from(cookiesNamed(cookieName)[0] ?? "", "base64url").toString();
  return address === "" ? undefined : address.slice(0, maxShownLength);
}
