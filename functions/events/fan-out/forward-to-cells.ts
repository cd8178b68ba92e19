import { SendMessageCommand } from "@aws-sdk/client-sqs";
import { cellsNotification } from "#shared/events/cells-notification.ts";
import { type LaneNudge, readLane } from "#shared/platform/messaging/outbox-item.ts";
import { toSqsText } from "#shared/platform/messaging/to-sqs-text.ts";
import type { Deps } from "./deps.ts";

/** Whether a nudge is about the operator's queue for Cells rather than our own recipients. */
export const isForCells = ({ lane }: Pick<LaneNudge, "lane">): boolean =>
  readLane(lane)?.queue === "cells-events";

/** Time for the messages of a lane in one run: other events of the same conversation wait for the run. */
const laneMilliseconds = 5000;

/**
 * Send the messages of a lane to the operator's queue for Cells, in order. They have lanes of their own, so that no
 * member waits when that queue cannot be reached.
 *
 * @throws Error of SQS, or when the time is up: the repeated nudge then starts with the first message that was not sent
 */
export async function forwardToCells(
  { clock, cellsSqs, config, outbox }: Deps,
  nudges: readonly LaneNudge[],
  { isRepeated }: { isRepeated: boolean },
): Promise<void> {
  const stopAt = clock() + laneMilliseconds;
  for await (const item of outbox.pendingOf(nudges, { isRepeated })) {
    const notification = cellsNotification.safeParse(item.payload);
    if (!notification.success) {
      await outbox.park(item, notification.error);
      continue;
    }
    if (clock() >= stopAt) throw new Error("The queue for Cells is slow");
    await cellsSqs.send(
      new SendMessageCommand({
        QueueUrl: config.queueUrl("cells-events"),
        MessageBody: toSqsText(notification.data),
        MessageGroupId: readLane(item.lane)?.group,
        MessageDeduplicationId: notification.data.id,
      }),
    );
    await outbox.complete(item);
  }
}
