import { randomUUID } from "node:crypto";
import type { Account } from "#shared/accounts/account.ts";
import { IdentityTakenError } from "#shared/accounts/account-errors.ts";
import { indexUpdateMessages } from "#shared/accounts/index-update.ts";
import type { Provisioner } from "#shared/platform/http/route.ts";
import { change, combine } from "#shared/platform/messaging/change.ts";
import { announceChanges } from "#shared/provisioning/announce-changes.ts";
import type { Deps } from "../deps.ts";
import { samlIdentityFor } from "./profile.ts";
import { protectOwners, readTeamUser, type TeamUser } from "./team-user.ts";
import { answerTaken } from "./uniqueness.ts";

/** Whether a directory has created or adopted a user. */
export const isAdopted = ({ managedByScim, scim }: Account): boolean => managedByScim && scim !== undefined;

/**
 * The user as adopted by a directory: managed by it, with the identity that follows from its token, and with a handle.
 * Changes of the address that the user has begun are cancelled. Undefined for a user who has nothing to serve as
 * external id.
 *
 * @param externalId by which the directory found the user; absent: derived from the account
 * @param handle for a user without one
 */
export function adoptedAccount(
  { clock, settings }: Pick<Deps, "clock" | "settings">,
  { account, provider }: Pick<TeamUser, "account" | "provider">,
  externalId = account.scim?.externalId ?? account.samlIdentity?.nameId.text ?? account.email,
  handle = account.userId,
): Account | undefined {
  if (externalId === undefined) return undefined;
  const now = clock();
  return {
    ...account,
    emailUnvalidated: account.email === undefined ? account.emailUnvalidated : undefined,
    managedByScim: true,
    samlIdentity: samlIdentityFor(externalId, provider, settings, account.samlIdentity),
    scim: { externalId, createdAt: now, updatedAt: now },
    handle: account.handle ?? handle,
  };
}

/**
 * Read a user for a directory, which adopts a member whom no directory manages yet (spec section GET). Undefined for
 * users outside the team, and for a member with nothing to serve as external id. Taking the user's id as a handle does
 * not prevent the adoption: the user then gets another handle.
 *
 * @throws ApiError `scim-uniqueness` when another user has the external id or SAML identity; `scim-forbidden` for an
 *   owner; `unauthenticated`
 */
export async function readAndAdopt(
  deps: Deps,
  provisioner: Provisioner,
  userId: string,
  externalId?: string,
): Promise<TeamUser | undefined> {
  const { accounts, identityProviders, outbox } = deps;
  return withFreeHandle((handle) =>
    change<TeamUser | undefined>(deps, async () => {
      const user = await readTeamUser(deps, provisioner, userId);
      if (user === undefined || isAdopted(user.account)) return { result: user };
      protectOwners(user);
      const adopted = adoptedAccount(deps, user, externalId, handle);
      if (adopted === undefined) return { result: undefined };
      const effects = combine(
        {
          writes: accounts.save(user.account, adopted),
          messages: announceChanges(deps, user.account, adopted),
        },
        { messages: indexUpdateMessages(outbox, user.account, adopted) },
        user.provider && { writes: [identityProviders.addReference(user.provider)] },
      );
      return { ...effects, result: { ...user, account: adopted } };
    }),
  ).catch(answerTaken);
}

/** Changes a user, adopting with another handle if the first one is taken. */
export const withFreeHandle = <Result>(attempt: (handle?: string) => Promise<Result>): Promise<Result> =>
  attempt().catch((error) => {
    if (error instanceof IdentityTakenError && error.kind === "handle") return attempt(randomUUID());
    throw error;
  });
