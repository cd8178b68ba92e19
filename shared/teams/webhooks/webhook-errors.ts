/** The owner has the maximum number of webhooks. */
export class TooManyWebhooksError extends Error {
  override readonly name = "TooManyWebhooksError";
}

/** The webhook does not exist any more. */
export class WebhookNotFoundError extends Error {
  override readonly name = "WebhookNotFoundError";
}
