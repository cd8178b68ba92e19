import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { contactIdentities } from "../activation/contact-identities.ts";
import type { Account } from "../data/account/account.ts";
import type { AccountStore } from "../data/account/account-store.ts";
import { tombstoneOf } from "../data/account/tombstone.ts";
import { retryStale, type Write } from "../data/conditions.ts";
import { activationKey } from "../data/identity-lookup.ts";
import type { SessionStore } from "../data/session/session-store.ts";
import type { EventPublisher } from "../events/publisher.ts";
import { userDelete } from "../events/user-delete.ts";
import type { Actor } from "../http/route.ts";
import { commitWithMessages } from "../messaging/commit-with-messages.ts";
import type { Outbox } from "../messaging/outbox.ts";
import { stageIndexUpdate } from "../search/stage-index-update.ts";
import type { Settings } from "../settings.ts";

/** What the queue `erasures` carries of an account that was deleted. */
export const erasureOrder = z.object({
  userId: z.uuid(),
  /** Keys of the activation codes that were made for its identities. */
  activationKeys: z.array(z.string()),
});

export interface DeletionDeps {
  readonly accounts: AccountStore;
  readonly client: DynamoDBDocumentClient;
  readonly events: EventPublisher;
  readonly outbox: Outbox;
  readonly sessions: SessionStore;
  readonly settings: Settings;
}

/**
 * Delete an account: at once it is a tombstone without identities and cookies; what belonged to it is erased by the
 * worker `erasure`.
 *
 * @param options.proof write that joins the transaction: what may delete only once
 * @returns whether there was an account that was not deleted before; undefined when there is none
 */
export async function deleteAccount(
  deps: DeletionDeps,
  userId: string,
  { origin, proof }: { origin?: Actor; proof?: Write } = {},
): Promise<boolean | undefined> {
  const { accounts, client, events, outbox, sessions, settings } = deps;
  return retryStale(async () => {
    const account = await accounts.get(userId);
    if (account === undefined) return undefined;
    if (account.status === "deleted") return false;
    const tombstone = tombstoneOf(account);
    const event = { id: userId, qualified_id: { domain: settings.domain, id: userId } };
    const messages = [
      ...events.stage(userDelete, event, { sender: userId, recipients: [{ userId }], origin }),
      ...stageIndexUpdate(outbox, account, tombstone),
      outbox.stage("erasures", {
        userId,
        activationKeys: identitiesKnownOf(account, settings).map(activationKey),
      } satisfies z.input<typeof erasureOrder>),
    ];
    await commitWithMessages(
      client,
      [
        ...accounts.save(account, tombstone),
        sessions.revokeAll(userId, tombstone.sessionEpoch),
        ...(proof === undefined ? [] : [proof]),
      ],
      messages,
    );
    return true;
  });
}

function identitiesKnownOf(
  { email, emailUnvalidated, phone, phoneUnvalidated }: Account,
  settings: Settings,
) {
  return [
    ...contactIdentities({ email, phone }, settings),
    ...contactIdentities({ email: emailUnvalidated, phone: phoneUnvalidated }, settings),
  ];
}
