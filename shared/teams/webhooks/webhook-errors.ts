/** The owner has as many webhooks as there may be. */
export class TooManyWebhooksError extends Error {
  override readonly name = "TooManyWebhooksError";
}

/** The webhook does not exist any more. */
export class WebhookNotFoundError extends Error {
  override readonly name = "WebhookNotFoundError";
}
