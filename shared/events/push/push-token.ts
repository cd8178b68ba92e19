import * as z from "zod";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { pushTransport } from "#shared/registry/settings/push.ts";

/** A device's address at a push provider. */
const pushTokenItem = storedObject({
  transport: pushTransport,
  app: z.string(),
  token: z.string(),
  clientId: z.string(),
  /** Its endpoint of SNS; absent while the app has no platform application. */
  endpointArn: z.string().optional(),
  /** Unix milliseconds. */
  registeredAt: z.int(),
});
export type PushToken = z.infer<typeof pushTokenItem>;

/** All push tokens of a user: one item, so that their limit holds under concurrency, and delivery reads them with the sockets. */
export const pushTokensItem = storedItem(
  {
    table: "sockets",
    kind: "push-tokens",
    key: ["user#*", "push-tokens"],
    subject: { user: "partition", secrets: ["token", "endpointArn"] },
  },
  storedObject({
    userId: z.uuid(),
    revision: z.int(),
    /** In the order of registration. */
    tokens: z.array(pushTokenItem),
  }),
);
export type PushTokens = Stored<typeof pushTokensItem>;

/** Sort key of the item, in the partition of everything through which a user is reached. */
export const pushTokensEntry = "push-tokens";

/** Approximate size of a token in bytes. */
export const bytesOf = ({ app, token, clientId, endpointArn = "" }: PushToken): number =>
  app.length + token.length + clientId.length + endpointArn.length;
