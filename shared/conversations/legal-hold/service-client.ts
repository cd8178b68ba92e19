import * as z from "zod";
import { lastPrekey, type Prekey, prekey } from "#shared/devices/prekey.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Log } from "#shared/platform/log.ts";
import type { PinnedAnswer } from "#shared/platform/outbound/call-pinned.ts";
import { type PinnedRequest, PinnedSession, readJson } from "#shared/platform/outbound/pinned-session.ts";
import type { Resolve } from "#shared/platform/outbound/public-addresses.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { LegalHoldService } from "./legal-hold-service.ts";

/** A member about whom a service is told. */
interface Subject {
  readonly teamId: string;
  readonly userId: string;
}

/** The requests of one operation to a service. */
interface Operation {
  readonly service: LegalHoldService;
  readonly session: PinnedSession;
}

/** For all requests of one operation; a function has 15 seconds in all. */
const operationMilliseconds = 9000;
const maxAnswerBytes = 64 * 1024;

/** Supported versions of the services' interface. */
const knownVersions: readonly number[] = [0, 1];
const versionAnswer = z.object({ supported: z.array(z.int()) });
const initiateAnswer = z
  .object({ prekeys: z.array(prekey), last_prekey: lastPrekey })
  .refine(
    ({ prekeys, last_prekey }) =>
      new Set([...prekeys, last_prekey].map(({ id }) => id)).size === prekeys.length + 1,
    "an id occurs twice",
  );

/**
 * Calls the legal hold services of teams, which strangers operate. Nothing is sent before a service has proved its key.
 */
export class LegalHoldClient {
  readonly #settings: Settings;
  readonly #log: Log;
  readonly #resolve: Resolve | undefined;

  constructor({ settings, log, resolve }: { settings: Settings; log: Log; resolve?: Resolve }) {
    this.#settings = settings;
    this.#log = log;
    this.#resolve = resolve;
  }

  /** Check that a service is available. @throws ApiError `legalhold-unavailable` */
  async checkStatus(service: LegalHoldService): Promise<void> {
    await this.#demand(this.#begin(service), { path: "/status" });
  }

  /**
   * Ask for the keys of a new device.
   * @throws ApiError `legalhold-unavailable`, `legalhold-status-bad`, `legalhold-version-unknown`
   */
  async initiate(
    service: LegalHoldService,
    subject: Subject,
  ): Promise<{ prekeys: Prekey[]; lastPrekey: Prekey }> {
    const answer = await this.#tell(service, "initiate", subject);
    const { data, error } = initiateAnswer.safeParse(readJson(answer));
    if (data === undefined) throw new ApiError("legalhold-status-bad", { cause: error });
    return { prekeys: data.prekeys, lastPrekey: data.last_prekey };
  }

  /**
   * Tell a service that a device has been approved, and give it the cookie for its tokens.
   * @throws ApiError `legalhold-unavailable`, `legalhold-version-unknown`
   */
  async confirm(
    service: LegalHoldService,
    { clientId, refreshToken, ...subject }: Subject & { clientId: string; refreshToken: string },
  ): Promise<void> {
    await this.#tell(service, "confirm", subject, { client_id: clientId, refresh_token: refreshToken });
  }

  /** Tell a service that a device is gone. @throws ApiError `legalhold-unavailable`, `legalhold-version-unknown` */
  async remove(service: LegalHoldService, subject: Subject): Promise<void> {
    await this.#tell(service, "remove", subject);
  }

  async #tell(
    service: LegalHoldService,
    call: "initiate" | "confirm" | "remove",
    { teamId, userId }: Subject,
    fields: object = {},
  ): Promise<PinnedAnswer> {
    const operation = this.#begin(service);
    const version = await this.#negotiate(operation);
    const { domain } = this.#settings;
    const user = version === 0 ? { user_id: userId } : { qualified_user_id: { id: userId, domain } };
    const path = version === 0 ? `/${call}` : `/v${version}/${call}`;
    const json = { ...user, team_id: teamId, ...fields };
    return this.#demand(operation, { path, headers: authorization(service), json });
  }

  /** The highest version that both sides support. A service that names none supports the first. */
  async #negotiate(operation: Operation): Promise<number> {
    const answer = await this.#send(operation, {
      path: "/api-version",
      headers: authorization(operation.service),
    });
    const { data } = versionAnswer.safeParse(isSuccess(answer) ? readJson(answer) : undefined);
    if (data === undefined) return 0;
    const version = knownVersions.findLast((known) => data.supported.includes(known));
    if (version === undefined) throw new ApiError("legalhold-version-unknown");
    return version;
  }

  /** Send a request that must succeed. @throws ApiError `legalhold-unavailable` */
  async #demand(operation: Operation, request: PinnedRequest): Promise<PinnedAnswer> {
    const answer = await this.#send(operation, request);
    if (isSuccess(answer)) return answer;
    this.#warn(operation.service, request, `status ${answer.status}`);
    throw new ApiError("legalhold-unavailable");
  }

  async #send({ session }: Operation, request: PinnedRequest): Promise<PinnedAnswer> {
    try {
      return await session.send(request);
    } catch (cause) {
      throw new ApiError("legalhold-unavailable", { cause });
    }
  }

  /** A request is also repeated when the service reports an internal failure. */
  #begin(service: LegalHoldService): Operation {
    const { timeoutMilliseconds, allowsPrivateAddresses } = this.#settings.legalHoldService;
    const { baseUrl, fingerprint } = service;
    const session = new PinnedSession(
      { baseUrl, fingerprints: [fingerprint] },
      {
        allowsPrivateAddresses,
        timeoutMilliseconds,
        sessionMilliseconds: operationMilliseconds,
        maxAnswerBytes,
        isFailure: ({ status }) => status >= 500,
        onFailure: (request, reason) => this.#warn(service, request, reason),
        resolve: this.#resolve,
      },
    );
    return { service, session };
  }

  #warn({ teamId }: LegalHoldService, { path }: PinnedRequest, reason: string): void {
    this.#log.warn("legal-hold-service-failed", { teamId, path, reason });
  }
}

const authorization = ({ authToken }: LegalHoldService) => ({ authorization: `Bearer ${authToken}` });

const isSuccess = ({ status }: PinnedAnswer) => status >= 200 && status < 300;
