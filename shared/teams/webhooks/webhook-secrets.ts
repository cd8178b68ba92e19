import { createHmac } from "node:crypto";
import type { Clock } from "#shared/platform/clock.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import type { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Webhook } from "./webhook.ts";

type Versions = Pick<Webhook, "webhookId" | "secretVersion" | "formerSecretUntil">;

/**
 * Derives the secrets with which events for webhooks are signed, with a secret key: no table and no backup contains
 * one.
 */
export class WebhookSecrets {
  readonly #secrets: Pick<SecretReader, "text">;
  readonly #clock: Clock;

  constructor({ secrets, clock }: { secrets: Pick<SecretReader, "text">; clock: Clock }) {
    this.#secrets = secrets;
    this.#clock = clock;
  }

  /** The current secret, as receivers enter it. */
  async text({ webhookId, secretVersion }: Versions): Promise<string> {
    return `whsec_${(await this.#derive(webhookId, secretVersion)).toString("base64")}`;
  }

  /** Headers of one attempt by Standard Webhooks 1.0: signed by every secret that is valid. */
  async headers(webhook: Versions, id: string, body: string): Promise<Record<string, string>> {
    const { webhookId, secretVersion, formerSecretUntil = 0 } = webhook;
    const now = this.#clock();
    const versions = formerSecretUntil > now ? [secretVersion, secretVersion - 1] : [secretVersion];
    const timestamp = String(toSeconds(now));
    const signatures = await Promise.all(
      versions.map(async (version) => {
        const key = await this.#derive(webhookId, version);
        return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
      }),
    );
    return {
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": signatures.join(" "),
    };
  }

  async #derive(webhookId: string, version: number): Promise<Buffer> {
    const key = await this.#secrets.text("webhook-key");
    return createHmac("sha256", key).update(`${webhookId}\n${version}`).digest();
  }
}
