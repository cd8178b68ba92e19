interface Listed {
  readonly payload: readonly {
    readonly type: string;
    readonly conversation?: string;
    readonly time?: string;
    readonly data?: unknown;
  }[];
}

/**
 * Check that each event of a conversation has a later time than the one before: clients treat an event without a later
 * time as a repetition.
 * @param notifications of one list, in its order
 */
export function checkTimes(notifications: readonly Listed[]): void {
  const last = new Map<string, { type: string; time: string; recipient: string | undefined }>();
  for (const { type, conversation, time, data } of notifications.flatMap(({ payload }) => payload)) {
    if (conversation === undefined || time === undefined) continue;
    const { recipient } = Object(data) as { recipient?: string };
    const before = last.get(conversation);
    // A list for all devices has a message once for each.
    const isSameMessage = before?.time === time && recipient !== undefined && before.recipient !== recipient;
    if (before !== undefined && !isSameMessage && Date.parse(time) <= Date.parse(before.time))
      throw new Error(`${type} at ${time} follows ${before.type} at ${before.time}`);
    last.set(conversation, { type, time, recipient });
  }
}
