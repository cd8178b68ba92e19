import { type Clock, toSeconds } from "#shared/platform/clock.ts";
import { type Bucket, namesOf, networkBucket } from "#shared/platform/rate-limit/network.ts";
import type { RateLimiter } from "#shared/platform/rate-limit/rate-limiter.ts";
import { type BucketLimits, RateLimitedError } from "#shared/platform/rate-limit/token-bucket.ts";
import type { LoginRequest } from "#shared/provisioning/login-request.ts";
import type { LoginRequestStore } from "#shared/provisioning/login-request-store.ts";

interface Context {
  readonly clock: Clock;
  readonly loginRequests: LoginRequestStore;
  readonly rateLimiter: RateLimiter;
  readonly settings: { readonly saml: { readonly badResponseRateLimitPerIp: BucketLimits } };
}

/** A response before verification, and its sender. */
export interface ReceivedResponse {
  readonly sourceIp: string;
  /** In base64. */
  readonly samlResponse: string | undefined;
}

const maxRemembered = 1000;
/** Unusable responses to one login that cost its network nothing. */
const freeResponses = 10;

/**
 * Limits how many unusable responses a network may send. Each is charged afterwards, so that a successful login costs
 * no extra call. Empty buckets are remembered in memory, and refused before anything is parsed.
 *
 * Any web page can post a form in the name of its visitors and so use up the limit of their network. But only the
 * user's browser knows the id of an open login, so responses to open logins are always judged. Each login has a small
 * allowance of its own, so that its id is no way around the limit.
 */
export class BadResponseLimit {
  readonly #clock: Clock;
  readonly #limits: BucketLimits;
  readonly #loginRequests: LoginRequestStore;
  readonly #rateLimiter: RateLimiter;
  /** When each empty bucket refills, in Unix milliseconds. */
  readonly #emptyUntil = new Map<string, number>();

  constructor({ clock, loginRequests, rateLimiter, settings }: Context) {
    this.#clock = clock;
    this.#limits = settings.saml.badResponseRateLimitPerIp;
    this.#loginRequests = loginRequests;
    this.#rateLimiter = rateLimiter;
  }

  /** @throws RateLimitedError when the network's bucket is known to be empty, unless the response is to an open login */
  async check(response: ReceivedResponse): Promise<void> {
    const remaining = this.#millisecondsUntilRefill(networkBucketOf(response));
    if (remaining === 0) return;
    const login = await this.#openLogin(response);
    const isAllowed = login !== undefined && this.#millisecondsUntilRefill(loginBucketOf(login)) === 0;
    if (!isAllowed) throw new RateLimitedError(remaining / 1000);
  }

  /** Charge for an unusable response. @throws RateLimitedError when the network's bucket is empty */
  async charge(response: ReceivedResponse): Promise<void> {
    const login = await this.#openLogin(response);
    if (login !== undefined && (await this.#isFree(login))) return;
    await this.#take(networkBucketOf(response), this.#limits);
  }

  async #openLogin({ samlResponse = "" }: ReceivedResponse): Promise<LoginRequest | undefined> {
    const id = requestIdIn(samlResponse);
    const login = id === undefined ? undefined : await this.#loginRequests.get(id);
    const isOpen = login !== undefined && !login.isAnswered && login.expiresAt > this.#clock();
    return isOpen ? login : undefined;
  }

  async #isFree(login: LoginRequest): Promise<boolean> {
    const secondsLeft = login.purgeAtSeconds - toSeconds(this.#clock());
    try {
      await this.#take(loginBucketOf(login), { burst: freeResponses, refillSeconds: secondsLeft });
      return true;
    } catch (error) {
      if (error instanceof RateLimitedError) return false;
      throw error;
    }
  }

  async #take(bucket: Bucket, limits: BucketLimits): Promise<void> {
    try {
      await this.#rateLimiter.take(bucket, limits);
    } catch (error) {
      if (error instanceof RateLimitedError) this.#remember(bucket, error);
      throw error;
    }
  }

  #remember(bucket: Bucket, { retryAfterSeconds }: RateLimitedError): void {
    if (this.#emptyUntil.size >= maxRemembered) this.#emptyUntil.clear();
    this.#emptyUntil.set(nameOf(bucket), this.#clock() + retryAfterSeconds * 1000);
  }

  #millisecondsUntilRefill(bucket: Bucket): number {
    const remaining = (this.#emptyUntil.get(nameOf(bucket)) ?? 0) - this.#clock();
    if (remaining > 0) return remaining;
    this.#emptyUntil.delete(nameOf(bucket));
    return 0;
  }
}

/** The id of the login that a response seems to answer; finding it is cheaper than parsing the response. */
const requestIdIn = (samlResponse: string): string | undefined =>
  /InResponseTo\s*=\s*["'](_[\da-f-]{36})["']/.exec(
    Buffer.from(samlResponse, "base64").toString("latin1"),
  )?.[1];

/**
 * Remembered for the narrower network: even if the bucket of its /48 is empty, other networks in that are checked
 * separately.
 */
const nameOf = (bucket: Bucket) => namesOf(bucket)[0]?.name ?? "";
const networkBucketOf = ({ sourceIp }: ReceivedResponse) => networkBucket("saml-bad-responses", sourceIp);
const loginBucketOf = ({ id }: LoginRequest) => `saml-bad-responses-of-login#${id}`;
