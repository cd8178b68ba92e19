import type { ConversationDeps } from "#shared/conversations/conversation-deps.ts";

/** Dependencies of bringing connections and groups in line with legal hold. */
export type SettlementDeps = Pick<
  ConversationDeps,
  | "accounts"
  | "clock"
  | "connections"
  | "conversations"
  | "dynamo"
  | "events"
  | "features"
  | "outbox"
  | "settings"
>;
