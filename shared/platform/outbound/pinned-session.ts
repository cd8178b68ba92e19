import type { LookupAddress } from "node:dns";
import { setTimeout as delay } from "node:timers/promises";
import { parseJson } from "../parse-json.ts";
import { callPinned, hostOf, type PinnedAnswer, WrongPeerError } from "./call-pinned.ts";
import { ForbiddenAddressError, type Resolve, resolveHost } from "./public-addresses.ts";

/** A server that strangers operate, known by its keys. */
export interface PinnedPeer {
  /** HTTPS; paths of requests are appended to it. */
  readonly baseUrl: string;
  /** Fingerprints of keys, one of which the peer must prove; see `rsaFingerprint`. */
  readonly fingerprints: readonly string[];
}

/** A request to a peer; with JSON, it is a POST. */
export interface PinnedRequest {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: object;
}

export interface SessionOptions {
  /** Headers of all requests. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the peer may have private addresses. */
  readonly allowsPrivateAddresses: boolean;
  /** Time limit of one attempt. */
  readonly timeoutMilliseconds: number;
  /** Time limit of the session, from its start; absent: only attempts are limited. */
  readonly sessionMilliseconds?: number;
  /** Limit on the body of an answer; absent: only its status counts. */
  readonly maxAnswerBytes?: number;
  /** Attempts at each request; absent: 3. */
  readonly attempts?: number;
  /** Whether an answer counts as a failure, so that the request is repeated. */
  readonly isFailure?: (answer: PinnedAnswer) => boolean;
  /** Called for each failed attempt, including the last one. */
  readonly onFailure?: (request: PinnedRequest, reason: string) => void;
  readonly resolve?: Resolve | undefined;
}

const defaultAttempts = 3;
const firstPauseMilliseconds = 100;

/**
 * The requests of one operation to a peer. Nothing is sent before the peer has proved its key. Its host is resolved
 * only once, so that a name server cannot redirect a later request. A request without an answer is repeated, after
 * pauses that double.
 */
export class PinnedSession {
  readonly #peer: PinnedPeer;
  readonly #options: SessionOptions;
  readonly #endsAt: number;
  #addresses: Promise<LookupAddress[]> | undefined;

  constructor(peer: PinnedPeer, options: SessionOptions) {
    this.#peer = peer;
    this.#options = options;
    this.#endsAt = performance.now() + (options.sessionMilliseconds ?? Number.POSITIVE_INFINITY);
  }

  /** @throws the failure of the last attempt; see `callPinned` and `resolveHost` */
  async send(request: PinnedRequest): Promise<PinnedAnswer> {
    const {
      attempts = defaultAttempts,
      isFailure = () => false,
      onFailure = () => undefined,
    } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt === attempts;
      try {
        const answer = await this.#try(request);
        if (isLast || !isFailure(answer)) return answer;
        onFailure(request, `status ${answer.status}`);
      } catch (cause) {
        onFailure(request, String(cause));
        const isFinal = cause instanceof WrongPeerError || cause instanceof ForbiddenAddressError;
        if (isLast || isFinal) throw cause;
      }
      await delay(firstPauseMilliseconds * 2 ** (attempt - 1));
    }
  }

  #try({ path, headers, json }: PinnedRequest): Promise<PinnedAnswer> {
    const { baseUrl, fingerprints } = this.#peer;
    const { headers: common, timeoutMilliseconds, maxAnswerBytes } = this.#options;
    const url = new URL(`${baseUrl.replace(/\/+$/, "")}${path}`);
    const remaining = Math.max(1, Math.min(timeoutMilliseconds, this.#endsAt - performance.now()));
    return callPinned({
      url,
      addresses: this.#resolve(url, remaining),
      fingerprints,
      headers: { accept: "application/json", ...common, ...headers },
      json,
      timeoutMilliseconds: remaining,
      maxAnswerBytes,
    });
  }

  /** Half the time of the call, so that a name server that is slow for one address family leaves time to connect. */
  #resolve(url: URL, callMilliseconds: number): Promise<LookupAddress[]> {
    const { allowsPrivateAddresses: allowsPrivate, resolve } = this.#options;
    const timeoutMilliseconds = Math.ceil(callMilliseconds / 2);
    this.#addresses ??= resolveHost(hostOf(url), { allowsPrivate, timeoutMilliseconds, resolve }).catch(
      (error) => {
        this.#addresses = undefined;
        throw error;
      },
    );
    return this.#addresses;
  }
}

/** @returns undefined for anything but JSON, and for JSON that cannot be stored */
export function readJson({ body }: PinnedAnswer): unknown {
  try {
    return parseJson(body);
  } catch {
    return undefined;
  }
}
