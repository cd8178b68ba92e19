import { Aws } from "aws-cdk-lib";
import { relayQueue } from "#shared/events/sockets/relay.ts";
import type { Stage } from "../stage.ts";

/** The queues of a stage's relays, which create and delete them: no template contains them. */
export class RelayQueues {
  /** The beginning of their URLs. */
  readonly urlPrefix: string;
  /** Matches the ARNs of all of them, and of no other queue. */
  readonly arn: string;

  constructor({ name }: Stage) {
    const namePrefix = `parley-${name}-relay-`;
    this.urlPrefix = `https://sqs.${Aws.REGION}.${Aws.URL_SUFFIX}/${Aws.ACCOUNT_ID}/${namePrefix}`;
    // One question mark for each character of an id. An asterisk would also match queues of a stage whose name ends in
    // "-relay".
    const anyRelay = "?".repeat(16);
    this.arn = `arn:${Aws.PARTITION}:sqs:${Aws.REGION}:${Aws.ACCOUNT_ID}:${relayQueue(namePrefix, anyRelay)}`;
  }
}
