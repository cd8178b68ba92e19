/** For how long a message stays with a worker that has died. A worker that lives renews this long before. */
export const holdSeconds = 10;
/** A lease ends before SQS delivers the message again, which would otherwise find it leased, and be dropped. */
export const marginSeconds = 2;

/**
 * Renew what a worker holds, again and again, early enough that one late renewal does no harm.
 * @param renew never fails
 * @returns a function that ends it, and waits for what is under way
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
