import type { AwsCall } from "#lib/local/aws-calls.ts";

/** Some calls of AWS: where a fault happens, where one of two racers waits, and where a process dies. */
export interface Calls {
  readonly service?: AwsCall["service"];
  /** Such as `PutItem`, or one of several. */
  readonly action?: string | readonly string[];
  /** Texts that their bodies contain, all of them. */
  readonly mentions?: string | readonly string[];
  /** A text that their bodies do not contain. */
  readonly omits?: string;
  /** Which attempts of the SDK at a call; by default all. */
  readonly attempt?: "first" | "repeated" | "last" | "not last";
}

/** Calls of DynamoDB that change something. */
export const writes = ["PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"];

const attempts: Record<NonNullable<Calls["attempt"]>, (call: AwsCall) => boolean> = {
  first: ({ isFirstAttempt }) => isFirstAttempt,
  repeated: ({ isFirstAttempt }) => !isFirstAttempt,
  last: ({ isLastAttempt }) => isLastAttempt,
  "not last": ({ isLastAttempt }) => !isLastAttempt,
};

/** Whether a call is one of some. */
export const isOneOf = ({ service, action, mentions = [], omits, attempt }: Calls, call: AwsCall): boolean =>
  (service === undefined || service === call.service) &&
  (action === undefined || [action].flat().includes(call.action)) &&
  (attempt === undefined || attempts[attempt](call)) &&
  [mentions].flat().every((text) => call.body.includes(text)) &&
  (omits === undefined || !call.body.includes(omits));
