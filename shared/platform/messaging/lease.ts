/** How long a message stays with a dead worker; a live one renews its lease in time. */
export const leaseSeconds = 10;
/** A lease in the outbox ends before SQS delivers the message again; otherwise, the delivery would find it leased and be dropped. */
export const marginSeconds = 2;

/**
 * Renew what a worker has leased, repeatedly and so early that one late renewal does no harm.
 * @param renew never fails
 * @returns a function that stops it, and waits for a renewal under way
 */
export function keepRenewing(renew: () => Promise<void>, seconds: number): () => Promise<void> {
  let renewal = Promise.resolve();
  const timer = setInterval(
    () => {
      renewal = renewal.then(renew);
    },
    (seconds - marginSeconds) * 300,
  );
  return async () => {
    clearInterval(timer);
    await renewal;
  };
}
