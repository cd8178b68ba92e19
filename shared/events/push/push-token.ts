import * as z from "zod";
import { pushTransport } from "#shared/registry/settings/push.ts";

/** A device's address at a push provider. */
const pushTokenItem = z.object({
  transport: pushTransport,
  app: z.string(),
  token: z.string(),
  clientId: z.string(),
  /** The endpoint of SNS that stands for it; absent while the app is in no platform application. */
  endpointArn: z.string().optional(),
  /** Unix milliseconds. */
  registeredAt: z.int(),
});
export type PushToken = z.infer<typeof pushTokenItem>;

/** All push tokens of a user: one item, so that their limit holds under concurrency, and delivery reads them with the sockets. */
export const pushTokensItem = z.object({
  userId: z.uuid(),
  revision: z.int(),
  /** The one registered last is at the end. */
  tokens: z.array(pushTokenItem),
});
export type PushTokens = z.infer<typeof pushTokensItem>;

/** Sort key of the item among those that a user is reached by. */
export const pushTokensEntry = "push-tokens";

/** About how many bytes a token takes. */
export const bytesOf = ({ app, token, clientId, endpointArn = "" }: PushToken): number =>
  app.length + token.length + clientId.length + endpointArn.length;
