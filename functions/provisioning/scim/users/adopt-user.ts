import { randomUUID } from "node:crypto";
import type { Account } from "#shared/accounts/account.ts";
import { IdentityTakenError } from "#shared/accounts/account-errors.ts";
import { announceChanges } from "#shared/accounts/announce-update.ts";
import { indexUpdateMessages } from "#shared/accounts/index-update.ts";
import type { Provisioner } from "#shared/platform/http/route.ts";
import { change, combine } from "#shared/platform/messaging/change.ts";
import type { Deps } from "../deps.ts";
import { samlIdentityFor } from "./profile.ts";
import { protectOwners, readTeamUser, type TeamUser } from "./team-user.ts";
import { answerTaken } from "./uniqueness.ts";

/** Whether a directory has created or adopted a user. */
export const isAdopted = ({ managedByScim, scim }: Account): boolean => managedByScim && scim !== undefined;

/** How a directory has found a user. */
interface Found {
  readonly externalId?: string;
  /** An address; absent: the user name is the handle. */
  readonly userName?: string;
}

/**
 * The user as adopted by a directory: managed by it, with the identity that follows from its token, and with a handle.
 * Changes of the address that the user has begun are cancelled. Undefined for a user without anything that could serve
 * as external id.
 *
 * @param found how the directory found the user; without an external id, that is derived from the account
 * @param handle for a user without one
 */
export function adoptedAccount(
  { clock, settings }: Pick<Deps, "clock" | "settings">,
  { account, provider }: Pick<TeamUser, "account" | "provider">,
  found: Found = {},
  handle = account.userId,
): Account | undefined {
  const {
    externalId = account.scim?.externalId ?? account.samlIdentity?.nameId.text ?? account.email,
    userName,
  } = found;
  if (externalId === undefined) return undefined;
  const now = clock();
  return {
    ...account,
    emailUnvalidated: account.email === undefined ? account.emailUnvalidated : undefined,
    managedByScim: true,
    samlIdentity: samlIdentityFor(externalId, provider, settings, account.samlIdentity),
    scim: { externalId, userName, createdAt: now, updatedAt: now },
    handle: account.handle ?? handle,
  };
}

/**
 * Read a user for a directory, which adopts a member whom no directory manages yet. Undefined for users outside the
 * team, and for a member with nothing to serve as external id. Taking the user's id as a handle does not prevent the
 * adoption: the user then gets another handle.
 *
 * @throws ApiError `scim-uniqueness` when another user has the external id or SAML identity; `scim-forbidden` for an
 * owner; `unauthenticated`
 */
export async function readAndAdopt(
  deps: Deps,
  provisioner: Provisioner,
  userId: string,
  found?: Found,
): Promise<TeamUser | undefined> {
  const { accounts, identityProviders, outbox } = deps;
  return withFreeHandle((handle) =>
    change<TeamUser | undefined>(deps, async () => {
      const user = await readTeamUser(deps, provisioner, userId);
      if (user === undefined || isAdopted(user.account)) return { result: user };
      protectOwners(user);
      const adopted = adoptedAccount(deps, user, found, handle);
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

/** Changes a user, with another handle when somebody has just taken the one that the service has chosen. */
export async function withFreeHandle<Result>(
  attempt: (handle?: string) => Promise<Result>,
  attempts = 2,
): Promise<Result> {
  for (let number = 1; ; number++)
    try {
      return await attempt(number === 1 ? undefined : randomUUID());
    } catch (error) {
      const isTaken = error instanceof IdentityTakenError && error.kind === "handle";
      if (!isTaken || number === attempts) throw error;
    }
}
