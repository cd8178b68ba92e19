import type { Log } from "#shared/platform/log.ts";
import { callPinned, hostOf, WrongPeerError } from "#shared/platform/outbound/call-pinned.ts";
import { resolveHost } from "#shared/platform/outbound/public-addresses.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { type Delivery, messageIdOf, type Webhook } from "./webhook.ts";
import type { WebhookSecrets } from "./webhook-secrets.ts";

/** The outcome of an attempt, and its duration. */
export interface Attempt {
  readonly isDelivered: boolean;
  /** Status of the answer, if there was one. */
  readonly answer?: number;
  /** For the owner of the webhook; it reveals nothing about the network. */
  readonly problem?: string;
  readonly milliseconds: number;
}

/** Calls of receivers, which strangers operate: only at addresses that are public at the time of the call. */
export class WebhookCalls {
  readonly #settings: Settings["webhooks"];
  readonly #secrets: WebhookSecrets;
  readonly #log: Log;

  constructor({
    settings,
    webhookSecrets,
    log,
  }: {
    settings: Settings;
    webhookSecrets: WebhookSecrets;
    log: Log;
  }) {
    this.#settings = settings.webhooks;
    this.#secrets = webhookSecrets;
    this.#log = log;
  }

  /** Make one attempt. Only the status of the answer is read. @throws only if there is no secret to sign with */
  async attempt(webhook: Webhook, { body, place }: Pick<Delivery, "body" | "place">): Promise<Attempt> {
    const {
      allowsPrivateAddresses: allowsPrivate,
      authorities,
      timeoutMilliseconds,
      trustsLoopback,
    } = this.#settings;
    const id = messageIdOf(place);
    const headers = await this.#secrets.headers(webhook, id, body);
    const startedAt = performance.now();
    const milliseconds = () => Math.round(performance.now() - startedAt);
    try {
      const url = new URL(webhook.url);
      const { status } = await callPinned({
        url,
        addresses: resolveHost(hostOf(url), {
          allowsPrivate,
          timeoutMilliseconds: Math.ceil(timeoutMilliseconds / 2),
        }),
        authorities,
        trustsLoopback,
        headers: { ...headers, accept: "*/*" },
        json: body,
        timeoutMilliseconds,
      });
      const isDelivered = status >= 200 && status < 300;
      if (!isDelivered) this.#noteFailure(webhook, id, `status ${status}`);
      const problem = isDelivered ? {} : { problem: `status ${status}` };
      return { isDelivered, answer: status, ...problem, milliseconds: milliseconds() };
    } catch (error) {
      this.#noteFailure(webhook, id, String(error));
      return { isDelivered: false, problem: toProblem(error), milliseconds: milliseconds() };
    }
  }

  #noteFailure({ webhookId }: Webhook, id: string, reason: string): void {
    this.#log.info("webhook-attempt-failed", { webhookId, id, reason });
  }
}

function toProblem(error: unknown): string {
  if (error instanceof WrongPeerError) return "the certificate cannot be trusted";
  const isLate = error instanceof Error && ["AbortError", "TimeoutError"].includes(error.name);
  return isLate ? "no answer in time" : "no connection";
}
