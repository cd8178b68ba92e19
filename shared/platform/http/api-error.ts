import { errorCatalogue } from "#shared/registry/errors.ts";
import type { ErrorName } from "../product.ts";

/** What a thrower may add to a row of the catalogue. */
export interface ErrorDetails {
  /** Replaces the default message; must not name secrets or other people's data. */
  readonly message?: string;
  /** Sets `Retry-After`, in whole seconds. */
  readonly retryAfterSeconds?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Additional fields of the body, which the row of the catalogue names. */
  readonly fields?: Readonly<Record<string, number>>;
  readonly cause?: unknown;
}

/** An error that the caller can act on: a row of the catalogue. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly error: ErrorName;
  readonly headers: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, number>>;

  constructor(
    error: ErrorName,
    { message, retryAfterSeconds, headers, fields = {}, cause }: ErrorDetails = {},
  ) {
    super(message ?? errorCatalogue[error].message, { cause });
    this.error = error;
    this.fields = fields;
    this.headers = {
      ...headers,
      ...(retryAfterSeconds !== undefined && {
        "retry-after": String(Math.max(1, Math.ceil(retryAfterSeconds))),
      }),
    };
  }

  get status(): number {
    return errorCatalogue[this.error].status;
  }

  /** Whether it is a fault of this server, about which an operator should know. */
  get isFault(): boolean {
    const { status, isDeliberate = false } = errorCatalogue[this.error];
    return status >= 500 && !isDeliberate;
  }

  /** Name of the error in SCIM (RFC 7644 §3.12), if any. */
  get scimType(): string | undefined {
    return errorCatalogue[this.error].scimType;
  }

  /** Word of the error in OAuth (RFC 6749 §5.2). */
  get oauthError(): string {
    const { oauthError, status } = errorCatalogue[this.error];
    if (oauthError !== undefined) return oauthError;
    if (status === 503 || status === 429) return "temporarily_unavailable";
    if (status >= 500) return "server_error";
    return status === 403 ? "unauthorized_client" : "invalid_request";
  }

  get label(): string {
    return errorCatalogue[this.error].label;
  }
}
