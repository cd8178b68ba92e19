import { randomUUID } from "node:crypto";
import type { Account } from "#shared/accounts/account.ts";
import { AccountInactiveError } from "#shared/accounts/account-errors.ts";
import { confirmPassword } from "#shared/accounts/credentials/reauthenticate.ts";
import { checkSecondFactor } from "#shared/accounts/second-factor/second-factor.ts";
import { describeAudited } from "#shared/platform/audit/audited.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { hashOfScimToken, newScimTokenText, type ScimToken } from "#shared/provisioning/scim-token.ts";
import type { TeamProvisioning } from "#shared/provisioning/team-provisioning.ts";
import { TeamNotFoundError } from "#shared/teams/team-errors.ts";
import type { Deps } from "../deps.ts";
import { readAsTokenOwner } from "./token-owner.ts";

/** A token as its team sees it. */
export interface TeamToken extends ScimToken {
  readonly teamId: string;
}

interface Proof {
  readonly password?: string;
  readonly secondFactor?: string;
}

interface NewToken extends Proof {
  readonly name?: string;
  readonly description: string;
  /**
   * The identity provider of the users; `the-only-one` stands for the team's only provider, if any, as older clients
   * expect.
   */
  readonly idp: { readonly id?: string } | "the-only-one";
}

/**
 * Create a SCIM token for the team of one of its owners. Only a hash of it is stored.
 *
 * @returns the token itself, which is never shown again
 * @throws ApiError `not-a-team-member`, `insufficient-permissions`, `access-denied` with a wrong password,
 *   `code-authentication-required`, `code-authentication-failed`, `login-budget-exhausted`, `too-many-requests`,
 *   `token-limit-reached`, `more-than-one-idp`, `not-found` for an unknown provider; the order of the checks is part of
 *   the interface
 * @see operation `auth-tokens-create`
 */
export async function createToken(
  deps: Deps,
  { userId }: Actor,
  { name, description, idp, ...proof }: NewToken,
): Promise<{ text: string; token: TeamToken }> {
  const { accounts, clock, provisioning, settings, teams } = deps;
  const text = newScimTokenText();
  const id = randomUUID();
  describeAudited({ target: { token: id } });
  let isProven = false;
  const token = await change(deps, async () => {
    const { account, member, provisioning: before } = await readAsTokenOwner(deps, userId);
    if (!isProven) await proveIdentity(deps, account, proof);
    isProven = true;
    if (before.tokens.length >= settings.maxScimTokens) throw new ApiError("token-limit-reached");
    const added: ScimToken = {
      id,
      hash: hashOfScimToken(text),
      name: name || id,
      description,
      createdAt: clock(),
      idpId: idp === "the-only-one" ? onlyProvider(before) : knownProvider(before, idp.id),
      createdBy: userId,
    };
    const { teamId } = before;
    return {
      writes: [
        ...provisioning.save(before, { ...before, tokens: [...before.tokens, added] }),
        teams.requirePermissions(member),
        teams.requirePresent(teamId),
        accounts.requireActive(userId),
      ],
      result: { ...added, teamId },
    };
  })
    .catch(answer(TeamNotFoundError, "not-a-team-member"))
    .catch(answer(AccountInactiveError, "not-a-team-member"));
  return { text, token };
}

/** A user who logs in through an identity provider need not know a password, even if there is one. */
async function proveIdentity(deps: Deps, account: Account, { password, secondFactor }: Proof): Promise<void> {
  const needsNoPassword = account.samlIdentity !== undefined && password === undefined;
  if (!needsNoPassword) await confirmPassword(deps.passwordChecks, account, password);
  await checkSecondFactor(deps, account, { action: "create_scim_token", candidate: secondFactor });
}

function onlyProvider({ providers: [first, ...others] }: TeamProvisioning): string | undefined {
  if (others.length > 0) throw new ApiError("more-than-one-idp");
  return first?.id;
}

function knownProvider({ providers }: TeamProvisioning, id: string | undefined): string | undefined {
  if (id !== undefined && !providers.some((provider) => provider.id === id)) throw new ApiError("not-found");
  return id;
}
