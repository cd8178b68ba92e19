import * as z from "zod";
import type { Handlers } from "#shared/platform/http/route.ts";
import { changeWebhook, createWebhook, deleteWebhook, rotateSecret } from "./change-webhooks.ts";
import { logOf, redeliver, sendTest } from "./deliveries.ts";
import type { Deps } from "./deps.ts";
import { ownerOf, theWebhook } from "./owner.ts";
import type { routes } from "./routes.ts";
import { logCursor } from "./routes.ts";
import { toDeliveryView, toPlace, toWebhookView } from "./views.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const find = async (input: Parameters<typeof ownerOf>[1] & { params: { wid: string } }) =>
    theWebhook(deps, await ownerOf(deps, input), input.params.wid);

  return {
    "i-list-webhooks": async (input) => {
      const found = await deps.webhooks.ofChain((await ownerOf(deps, input)).chain);
      return { body: { webhooks: found.map(toWebhookView) } };
    },

    "i-create-webhook": async (input) => {
      const { webhook, secret } = await createWebhook(deps, await ownerOf(deps, input), input.body);
      return { status: 201, body: { ...toWebhookView(webhook), secret } };
    },

    "i-get-webhook": async (input) => ({ body: toWebhookView(await find(input)) }),

    "i-update-webhook": async (input) => ({
      body: toWebhookView(await changeWebhook(deps, await find(input), input.body)),
    }),

    "i-delete-webhook": async (input) => {
      await deleteWebhook(deps, await find(input));
      return {};
    },

    "i-rotate-webhook-secret": async (input) => {
      const { webhook, secret } = await rotateSecret(deps, await find(input), input.query.leaked ?? false);
      return { body: { ...toWebhookView(webhook), secret } };
    },

    "i-test-webhook": async (input) => {
      const { isDelivered, answer, problem } = await sendTest(deps, await find(input));
      return { body: { delivered: isDelivered, answer, problem } };
    },

    "i-list-webhook-deliveries": async (input) => {
      const { size, start } = input.query;
      const webhook = await find(input);
      const { deliveries, last } = await logOf(deps, webhook, size, start?.before);
      return {
        body: {
          deliveries: deliveries.map((delivery) => toDeliveryView(delivery, webhook)),
          ...(last !== undefined && { next: z.encode(logCursor, { before: last }) }),
        },
      };
    },

    "i-redeliver-webhook": async (input) => {
      const { isDelivered, answer, problem } = await redeliver(
        deps,
        await find(input),
        toPlace(input.params.place),
      );
      return { body: { delivered: isDelivered, answer, problem } };
    },
  };
}
