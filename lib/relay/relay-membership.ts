import { SQSClient } from "@aws-sdk/client-sqs";
import { relayQueue } from "#shared/events/sockets/relay.ts";
import type { RelayStore } from "#shared/events/sockets/relay-store.ts";
import { awsClientOptions } from "#shared/platform/aws-client-options.ts";
import type { Log } from "#shared/platform/log.ts";
import { deleteQueue } from "./relay-inbox.ts";

/** Number of its own signs of life between which a relay looks for dead ones. */
const renewalsPerSearch = 6;

/** Clean up after a relay that has died. */
async function removeRelay(
  { relays, queues, sqs }: { relays: RelayStore; queues: string; sqs: SQSClient },
  id: string,
): Promise<void> {
  await deleteQueue(sqs, relayQueue(queues, id));
  await relays.remove(id);
}

/** Remove all relays. Only for callers who are certain that none of them runs. */
export async function removeAllRelays({
  relays,
  queues,
}: {
  relays: RelayStore;
  queues: string;
}): Promise<void> {
  const sqs = new SQSClient(awsClientOptions());
  try {
    for (const id of await relays.all()) await removeRelay({ relays, queues, sqs }, id);
  } finally {
    sqs.destroy();
  }
}

/**
 * Records that a relay is alive, closes sockets whose orders could not be queued, and cleans up after dead relays.
 * @returns a function that ends this
 */
export function keepMembership({
  id,
  relays,
  queues,
  log,
  renewalSeconds,
  onRemoved,
  close,
}: {
  id: string;
  relays: RelayStore;
  /** Prefix of the URLs of the relays' queues. */
  queues: string;
  log: Log;
  renewalSeconds: number;
  /** Called when others have removed the relay. */
  onRemoved: () => void;
  close: (socketIds: readonly string[]) => void;
}): () => Promise<void> {
  const sqs = new SQSClient(awsClientOptions());
  let closed: readonly string[] = [];
  let turn = 0;
  let working: Promise<void> = Promise.resolve();

  async function renew(): Promise<void> {
    try {
      const toClose = await relays.renew(id, closed);
      if (toClose === undefined) return onRemoved();
      close(toClose);
      closed = toClose;
      if (turn++ % renewalsPerSearch === 0) await removeDead();
    } catch (error) {
      log.error("relay-not-renewed", { error: error as Error });
    }
  }

  async function removeDead(): Promise<void> {
    for (const dead of await relays.dead()) {
      await removeRelay({ relays, queues, sqs }, dead);
      log.warn("dead-relay-removed", { relayId: dead });
    }
  }

  const timer = setInterval(() => {
    working = working.then(renew);
  }, renewalSeconds * 1000);
  working = renew();
  return async () => {
    clearInterval(timer);
    await working;
    sqs.destroy();
  };
}
