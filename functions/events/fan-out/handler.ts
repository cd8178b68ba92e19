import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { eventMessage } from "#shared/events/event-message.ts";
import { socketStart } from "#shared/events/sockets/socket-start.ts";
import { type LaneNudge, laneNudge } from "#shared/platform/messaging/outbox-item.ts";
import { emitMetric } from "#shared/platform/metrics.ts";
import { deliverEvent } from "./deliver-event.ts";
import type { Deps } from "./deps.ts";
import { startSocket } from "./start-socket.ts";

/**
 * Handle nudges from the queue `events`. A nudge names a group and its newest message; the group's messages up to that
 * one are delivered in order. A failure ends the group's turn: the queue repeats the nudge, and no message overtakes.
 */
export function createHandler(deps: Deps) {
  const { clock, log, outbox } = deps;

  async function deliverLane(nudge: LaneNudge, isFirstReceive: boolean): Promise<void> {
    const isRepeated = !isFirstReceive || nudge.isResent === true;
    for await (const item of outbox.pendingOf(nudge, { isRepeated })) {
      const message = eventMessage.safeParse(item.payload);
      if (!message.success) {
        await outbox.park(item, message.error);
        continue;
      }
      await deliverEvent(deps, message.data, { isRepeated: isRepeated || item.deliveries > 0 });
      await outbox.complete(item);
      const value = clock() - message.data.committedAt;
      emitMetric("DeliveryMilliseconds", { value, unit: "Milliseconds", queue: "events", log });
    }
  }

  async function handle({ body, attributes }: SQSRecord): Promise<void> {
    const content: unknown = JSON.parse(body);
    const start = socketStart.safeParse(content);
    if (start.success) await startSocket(deps, start.data.socketId);
    else await deliverLane(laneNudge.parse(content), attributes.ApproximateReceiveCount === "1");
  }

  /** Handles the records of one group in their order. @returns those that have to be delivered again */
  async function handleInOrder(records: SQSRecord[]): Promise<SQSRecord[]> {
    for (const [index, record] of records.entries()) {
      try {
        await handle(record);
      } catch (error) {
        log.error("fan-out-failed", { sqsMessageId: record.messageId, error: error as Error });
        return records.slice(index);
      }
    }
    return [];
  }

  return async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const groups = Map.groupBy(
      Records,
      ({ attributes, messageId }) => attributes.MessageGroupId ?? messageId,
    );
    const failed = await Promise.all([...groups.values()].map(handleInOrder));
    return { batchItemFailures: failed.flat().map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
}
