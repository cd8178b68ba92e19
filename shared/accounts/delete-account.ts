import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import type { EventPublisher } from "#shared/events/publisher.ts";
import { closeSockets } from "#shared/events/sockets/socket-closure.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Outbox } from "#shared/platform/messaging/outbox.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { SessionStore } from "#shared/sessions/session-store.ts";
import type { Account } from "./account.ts";
import type { AccountStore } from "./account-store.ts";
import { contactIdentities } from "./activation/contact-identities.ts";
import { userDelete } from "./events/user-delete.ts";
import { activationKey } from "./identity-lookup.ts";
import { indexUpdateMessages } from "./index-update.ts";
import { tombstoneOf } from "./tombstone.ts";

/** What the queue `erasures` carries about a deleted account. */
export const erasureOrder = z.object({
  userId: z.uuid(),
  /** Keys of the activation codes that were issued for its identities. */
  activationKeys: z.array(z.string()),
});

/** What deleting an account needs. */
export interface DeletionDeps {
  readonly accounts: AccountStore;
  readonly dynamo: DynamoDBDocumentClient;
  readonly events: EventPublisher;
  readonly outbox: Outbox;
  readonly sessions: SessionStore;
  readonly settings: Settings;
}

/**
 * Delete an account: it immediately becomes a tombstone without identities and cookies; the worker `erasure` erases
 * what belonged to it.
 *
 * @param options.proof write that joins the transaction, such as the consumption of a single-use code
 * @returns whether the account was deleted now; false when it had been before, undefined when there is none
 */
export async function deleteAccount(
  deps: DeletionDeps,
  userId: string,
  { origin, proof }: { origin?: Actor; proof?: Write } = {},
): Promise<boolean | undefined> {
  const { accounts, events, outbox, sessions, settings } = deps;
  return change<boolean | undefined>(deps, async () => {
    const account = await accounts.get(userId);
    if (account === undefined) return { result: undefined };
    if (account.status === "deleted") return { result: false };
    const tombstone = tombstoneOf(account);
    const event = { id: userId, qualified_id: { domain: settings.domain, id: userId } };
    return {
      writes: [
        ...accounts.save(account, tombstone),
        sessions.revokeAll(userId, tombstone.sessionEpoch),
        ...(proof === undefined ? [] : [proof]),
      ],
      messages: [
        ...events.toSelf(origin ?? { userId }, userDelete, event),
        ...indexUpdateMessages(outbox, account, tombstone),
        closeSockets(outbox, { userId }),
        outbox.message("erasures", {
          userId,
          activationKeys: contactIdentitiesOf(account, settings).map(activationKey),
        } satisfies z.input<typeof erasureOrder>),
      ],
      result: true,
    };
  });
}

function contactIdentitiesOf(
  { email, emailUnvalidated, phone, phoneUnvalidated }: Account,
  settings: Settings,
) {
  return [
    ...contactIdentities({ email, phone }, settings),
    ...contactIdentities({ email: emailUnvalidated, phone: phoneUnvalidated }, settings),
  ];
}
