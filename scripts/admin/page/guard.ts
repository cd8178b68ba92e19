import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isLocalHost, isOfAnotherSite } from "#lib/local/gateway/local-caller.ts";

const cookieName = "parley-admin";
const newSecret = () => randomBytes(24).toString("base64url");

/**
 * Admits only the browser that has opened the printed link. Other programs and users of this machine lack its token;
 * pages of other sites lack the cookie, and cannot send requests of their own; and a site whose host name resolves to
 * this machine (DNS rebinding) still sends that name.
 */
export class Guard {
  /**
   * Folder of all pages, with slashes around. It is random because browsers send the cookies of a host to all its ports,
   * where other users of this machine may listen: they do not know the path to which the cookie is limited.
   */
  readonly folder = `/${newSecret()}/`;
  readonly #session = newSecret();
  #token = newSecret();

  /** Path that opens the page, once. */
  get openingPath(): string {
    return `/open?token=${this.#token}`;
  }

  /** @returns the reason to refuse a request from anybody; undefined if there is none */
  refuses({ method, headers }: IncomingMessage): string | undefined {
    if (!isLocalHost(headers)) return "Only localhost and 127.0.0.1 answer here";
    if (isOfAnotherSite(headers))
      return "Another site has sent this request: copy the link into the address bar";
    if (method !== "GET" && method !== "POST") return "There are only pages and forms here";
    if (method === "POST" && headers.origin === undefined)
      return "Only the forms of this page may be sent here";
    return undefined;
  }

  /** @returns the cookie in exchange for the token, which is not valid afterwards; undefined for another token */
  open(token: string): string | undefined {
    if (!isEqual(token, this.#token)) return undefined;
    this.#token = newSecret();
    return `${cookieName}=${this.#session}; Path=${this.folder}; HttpOnly; SameSite=Strict`;
  }

  /** Whether the browser of a request has opened the link. */
  knows({ headers: { cookie = "" } }: IncomingMessage): boolean {
    return cookie
      .split("; ")
      .some(
        (pair) =>
          pair.startsWith(`${cookieName}=`) && isEqual(pair.slice(cookieName.length + 1), this.#session),
      );
  }
}

/** Takes the same time for any text. */
const isEqual = (one: string, other: string) => timingSafeEqual(digest(one), digest(other));
const digest = (text: string) => createHash("sha256").update(text).digest();
