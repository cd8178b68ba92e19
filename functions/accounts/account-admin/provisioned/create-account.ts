import type { Account } from "#shared/accounts/account.ts";
import { parseHandle } from "#shared/accounts/handle.ts";
import { answerJoining } from "#shared/accounts/join-team.ts";
import { normalizeRichInfo, type RichInfo } from "#shared/accounts/profiles/rich-info.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { createAccount, type NewPerson, provisionedAccount } from "#shared/provisioning/create-account.ts";
import type { Role } from "#shared/teams/permissions.ts";
import type { Deps } from "../deps.ts";
import { answerTaken } from "./change-account.ts";

export interface NewAccount {
  readonly userId: string;
  readonly person: NewPerson;
  readonly role: Role;
  readonly richInfo: RichInfo | undefined;
}

/**
 * Create an account with a given id for a user of an identity provider or a directory.
 *
 * @throws ApiError `invalid-handle`, `rich-info-too-large`, `handle-exists`, `key-exists` for an id, SAML identity or
 * external id in use, `no-team`, `too-many-team-members`, `too-many-members-for-legalhold`
 * @see operation `i-create-sso-user`
 */
export async function createProvisionedAccount(
  deps: Deps,
  { userId, person, role, richInfo }: NewAccount,
): Promise<Account> {
  const { accounts, settings } = deps;
  if (person.handle !== undefined) parseHandle(person.handle, settings);
  const account = { ...provisionedAccount(deps, person), userId };
  const normalized = richInfo && normalizeRichInfo(richInfo, settings);
  await change(deps, async () => {
    if ((await accounts.get(userId)) !== undefined) throw new ApiError("key-exists");
    return createAccount(deps, account, { role, ...(normalized && { richInfo: normalized }) });
  })
    .catch(answerTaken)
    .catch(answerJoining);
  return account;
}
