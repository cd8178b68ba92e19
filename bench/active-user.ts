/**
 * The activity of a user in a month: the profile behind the price per user. Assumed, not observed: a phone that is
 * opened a dozen times a day, and a desktop app that stays connected for a working day.
 */
export const activeUser = {
  days: 30,
  /** Requests per day, by the benchmark operation that represents them. */
  requestsPerDay: {
    "POST /access": 16,
    "GET /self": 6,
    "authenticate a request": 40,
    "GET /search/contacts": 2,
    "POST /users/list-prekeys, 100 devices": 1,
  },
  /** Messages sent per day, to five others who have a socket each. Their messages are in their own price. */
  messagesPerDay: 100,
  messageMembers: 6,
  /** Other events received per day, each by one socket. */
  deliveriesPerDay: 50,
  openSocketHoursPerDay: 10,
  pingSeconds: 20,
} as const;

/** Dollars per month for one active user, by purpose. */
export function monthlyPrice({
  dollarsPerMillionRequests,
  dollarsPerMillionDeliveries,
  dollarsPerMillionMessages,
  dollarsPerMillionPings,
  monthlyDollarsPerSocket,
}: {
  /** Requests, by name of the operation. */
  readonly dollarsPerMillionRequests: ReadonlyMap<string, number>;
  readonly dollarsPerMillionDeliveries: number;
  /** With posts. */
  readonly dollarsPerMillionMessages: number;
  readonly dollarsPerMillionPings: number;
  /** The price of a socket that is always open. */
  readonly monthlyDollarsPerSocket: number;
}): { requests: number; messages: number; deliveries: number; pings: number; sockets: number } {
  const { days, requestsPerDay, messagesPerDay, deliveriesPerDay, openSocketHoursPerDay, pingSeconds } =
    activeUser;
  const pings = (days * openSocketHoursPerDay * 3600) / pingSeconds;
  const requests = Object.entries(requestsPerDay).map(([name, count]) => {
    const price = dollarsPerMillionRequests.get(name);
    if (price === undefined) throw new Error(`The benchmark has no operation ${name}`);
    return (count * days * price) / 1e6;
  });
  return {
    requests: requests.reduce((sum, price) => sum + price, 0),
    messages: (messagesPerDay * days * dollarsPerMillionMessages) / 1e6,
    pings: (pings * dollarsPerMillionPings) / 1e6,
    deliveries: (deliveriesPerDay * days * dollarsPerMillionDeliveries) / 1e6,
    sockets: (openSocketHoursPerDay / 24) * monthlyDollarsPerSocket,
  };
}
