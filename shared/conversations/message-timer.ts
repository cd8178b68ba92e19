import { fromStored, type Int64, toStored } from "#shared/platform/int64.ts";
import type { Conversation } from "./conversation.ts";

/** The message timer of a conversation in milliseconds. */
export const messageTimerOf = ({
  messageTimer,
  messageTimerDigits,
}: Pick<Conversation, "messageTimer" | "messageTimerDigits">): Int64 | undefined =>
  messageTimer === undefined ? undefined : fromStored(messageTimer, messageTimerDigits);

/** The fields of a conversation that hold its message timer. */
export function messageTimerFields(timer: Int64 | undefined) {
  const { number, digits } = timer === undefined ? {} : toStored(timer);
  return { messageTimer: number, messageTimerDigits: digits };
}
