import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { type BotEvent, botEvent } from "#shared/events/bot-event.ts";
import { type EventFields, eventView } from "#shared/events/event-view.ts";
import type { NotificationStore } from "#shared/events/notification-store.ts";
import type { Config } from "#shared/platform/config.ts";
import { parseExactJson } from "#shared/platform/exact-json.ts";
import type { Log } from "#shared/platform/log.ts";
import { createBatchWorker } from "#shared/platform/messaging/batch-worker.ts";

/** An event of a run, with the queue message that carries it. */
export interface BotJob {
  readonly record: SQSRecord;
  readonly event: BotEvent;
}

/** A queue with events for bots. */
export type BotQueue = "bot-events" | "slow-bot-events";

interface Options {
  readonly queue: BotQueue;
  readonly config: Pick<Config, "queueUrl">;
  readonly log: Log;
}

/**
 * Creates a worker of a queue with events for bots. The bots of a run are served concurrently, and those that are done
 * get their next events without waiting for the others.
 *
 * @param serve handles the events of one bot, in order; yields each once it is done
 */
export function createBotEventWorker(
  serve: (jobs: readonly [BotJob, ...BotJob[]]) => AsyncIterable<BotJob>,
  { queue, config, log }: Options,
) {
  /** @returns the messages that must come again */
  async function serveBot(records: readonly SQSRecord[]): Promise<readonly SQSRecord[]> {
    let done = 0;
    let jobs: readonly BotJob[] = [];
    try {
      jobs = records.map((record) => ({ record, event: botEvent.parse(JSON.parse(record.body)) }));
      const [first, ...others] = jobs;
      if (first === undefined) return [];
      for await (const _ of serve([first, ...others])) done++;
    } catch (error) {
      const { requestId } = jobs[done]?.event ?? {};
      const sqsMessageId = records[done]?.messageId;
      log.error("bot-events-failed", { sqsMessageId, requestId, error: error as Error });
    }
    return records.slice(done);
  }

  async function run(
    { Records }: SQSEvent,
    finish: (records: readonly SQSRecord[]) => void,
  ): Promise<SQSBatchResponse> {
    const bots = Map.groupBy(Records, ({ attributes, messageId }) => attributes.MessageGroupId ?? messageId);
    const failed = await Promise.all(
      [...bots.values()].map(async (records) => {
        const left = await serveBot(records);
        if (left.length === 0) finish(records);
        return left;
      }),
    );
    return { batchItemFailures: failed.flat().map(({ messageId }) => ({ itemIdentifier: messageId })) };
  }

  return createBatchWorker(run, { queue, config, log });
}

/** Read an event as its bot sees it. @returns undefined when a part of it is no longer stored */
export async function readBotEvent(
  { notifications }: { readonly notifications: Pick<NotificationStore, "payloads"> },
  { eventId, event, overlay, overlayId }: BotEvent,
): Promise<EventFields | undefined> {
  const wanted = [...(event === undefined ? [eventId] : []), ...(overlayId === undefined ? [] : [overlayId])];
  const stored = wanted.length === 0 ? new Map<string, string>() : await notifications.payloads(wanted);
  if (stored.size < wanted.length) return undefined;
  const overlayText = overlayId === undefined ? overlay : stored.get(overlayId);
  // The text that is stored under the id of an event is a list with only this event.
  const common =
    event === undefined
      ? parseAs<EventFields[]>(stored.get(eventId) ?? "[{}]")[0]
      : parseAs<EventFields>(event);
  const overlayFields = overlayText === undefined ? {} : { overlay: parseAs<EventFields>(overlayText) };
  return common && eventView(common, overlayFields);
}

const parseAs = <Parsed>(text: string) => parseExactJson(text) as Parsed;
