import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { boundUsers, deleteBoundUsers } from "#shared/provisioning/delete-bound-users.ts";
import type { IdentityProvider } from "#shared/provisioning/identity-provider.ts";
import { orderProvisioningJob } from "#shared/provisioning/provisioning-job.ts";
import { removeProvider } from "#shared/provisioning/remove-provider.ts";
import type { Deps } from "../deps.ts";
import { announceProvider } from "./announce-provider.ts";
import { protectOwnersFromPurge } from "./protect-owners.ts";
import { getProvider } from "./read-providers.ts";
import { requireTeamAdmin } from "./team-admin.ts";

interface DeletionCommand {
  readonly userId: string;
  readonly id: string;
  /** Whether its users are deleted with it. */
  readonly isPurge: boolean;
}

/** Users whose provider is removed. */
interface Purge {
  readonly teamId: string;
  readonly issuers: readonly string[];
}

/** How long users are deleted before the answer; a worker deletes the rest. */
const purgeMilliseconds = 5000;
/** By then the request has certainly ended: no function that answers requests runs for longer. */
const workerDelaySeconds = 30;

/**
 * Remove an identity provider, the tokens bound to it and, on request, its users. The order of the checks is part of
 * the interface.
 *
 * The job that deletes the users is committed with the removal, after which the provider gets no new ones: if somebody
 * gets an account through it at the same time, the removal is decided again.
 *
 * @throws ApiError `not-found`, `insufficient-permissions`, `cannot-delete-own-idp`, `idp-has-bound-users`
 * @see operation `idp-delete`
 */
export async function deleteProvider(deps: Deps, { userId, id, isPurge }: DeletionCommand): Promise<void> {
  const purge = await change<Purge | undefined>(deps, async () => {
    const { provider, admin } = await getProvider(deps, { userId, id });
    const { teamId } = provider;
    const ids = admin.provisioning.providers.map((listed) => listed.id);
    const others = (await deps.identityProviders.getMany(ids)).filter((other) => other.id !== id);
    const issuers = issuersOf(provider, others);
    const ownIssuer = admin.account.samlIdentity?.issuer;
    if (ownIssuer !== undefined && issuers.includes(ownIssuer)) throw new ApiError("cannot-delete-own-idp");
    const isBound = await hasUsers(deps, { teamId, issuers });
    if (isBound && !isPurge) throw new ApiError("idp-has-bound-users");
    if (isBound) await protectOwnersFromPurge(deps, admin, issuers);
    const order = { job: "delete-bound-users" as const, teamId, issuers };
    return {
      writes: [
        ...requireTeamAdmin(deps, admin),
        ...(await removeProvider(deps, admin.provisioning, provider, isBound ? issuers : [])),
        ...endReplacement(deps, others, id),
      ],
      messages: [
        ...announceProvider(deps, { userId, before: provider }),
        ...(isBound ? [orderProvisioningJob(deps.outbox, order, { delaySeconds: workerDelaySeconds })] : []),
      ],
      result: isBound ? { teamId, issuers } : undefined,
    };
  });
  if (purge !== undefined) await beginPurge(deps, purge);
}

/** The issuers under which only this provider of the team finds users. */
function issuersOf({ issuer, oldIssuers }: IdentityProvider, others: readonly IdentityProvider[]): string[] {
  const known = new Set(others.flatMap((other) => [other.issuer, ...other.oldIssuers]));
  return [issuer, ...oldIssuers.filter((old) => !known.has(old))];
}

async function hasUsers({ accounts }: Deps, { teamId, issuers }: Purge): Promise<boolean> {
  for (const issuer of issuers) for await (const _ of boundUsers(accounts, { teamId, issuer })) return true;
  return false;
}

/** Lets the provider that this one had replaced create accounts again. */
const endReplacement = ({ identityProviders }: Deps, others: readonly IdentityProvider[], id: string) =>
  others
    .filter(({ replacedBy }) => replacedBy === id)
    .flatMap((other) => identityProviders.save(other, { ...other, replacedBy: undefined }));

/** A failure is left to the worker, which runs anyway. */
async function beginPurge(deps: Deps, purge: Purge): Promise<void> {
  const stopAt = deps.clock() + purgeMilliseconds;
  try {
    await deleteBoundUsers(deps, purge, () => deps.clock() >= stopAt);
  } catch (error) {
    deps.log.warn("purge-left-to-worker", { teamId: purge.teamId, error: error as Error });
  }
}
