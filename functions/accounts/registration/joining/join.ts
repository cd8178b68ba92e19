import { newPassword } from "#shared/accounts/account-types.ts";
import { settleLogin, verifyCredentials } from "#shared/accounts/credentials/verify-credentials.ts";
import { storedEmailIdentity } from "#shared/accounts/identity.ts";
import { acceptInvitation, findInvitation, type OpenInvitation } from "#shared/accounts/join-team.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { toApiError } from "#shared/platform/http/to-api-error.ts";
import type { ErrorName } from "#shared/registry/errors.ts";
import type { Deps } from "../deps.ts";
import { register } from "../register.ts";
import type { JoinProblem } from "./routes.ts";

interface JoinCommand {
  readonly code: string;
  readonly name?: string;
  readonly password: string;
  /** Language of the page. */
  readonly locale: string;
}

const problems: Partial<Record<ErrorName, JoinProblem>> = {
  "invalid-credentials": "wrong-password",
  "login-budget-exhausted": "too-many-attempts",
  "too-many-requests": "too-many-attempts",
};

/**
 * Let an invitee join, with the existing account of the address, whose password is checked, or with a new one.
 *
 * @returns the invitation, and the problem if the form must be filled in again
 * @throws ApiError what `findInvitee`, `acceptInvitation` and `register` throw
 * @see operation `post-join`
 */
export async function join(
  deps: Deps,
  command: JoinCommand,
  sourceIp: string,
): Promise<{ invitee: Invitee; problem?: JoinProblem }> {
  const invitee = await findInvitee(deps, command.code);
  const problem = invitee.hasAccount ? undefined : flawOf(command);
  if (problem !== undefined) return { invitee, problem };
  try {
    await (invitee.hasAccount ? joinWithAccount : joinAsNewUser)(deps, invitee, command, sourceIp);
    return { invitee };
  } catch (error) {
    const problem = problems[toApiError(error).error];
    if (problem === undefined) throw error;
    return { invitee, problem };
  }
}

function flawOf({ name = "", password }: JoinCommand): JoinProblem | undefined {
  if (name.trim() === "") return "no-name";
  return newPassword.safeParse(password).success ? undefined : "short-password";
}

/** The link from the mailbox replaces the code that a login may need. */
async function joinWithAccount(
  deps: Deps,
  { invitation }: Invitee,
  { code, password }: JoinCommand,
  sourceIp: string,
): Promise<void> {
  const verified = await verifyCredentials(deps, { email: invitation.email, password }, sourceIp);
  const [account] = await Promise.all([deps.accounts.get(verified.userId), settleLogin(deps, verified)]);
  if (account === undefined) throw new ApiError("invalid-credentials");
  await acceptInvitation(deps, account, code);
}

async function joinAsNewUser(
  deps: Deps,
  { invitation: { email } }: Invitee,
  { code, name = "", password, locale }: JoinCommand,
  sourceIp: string,
): Promise<void> {
  const user = { name: name.trim(), email, password, team_code: code, locale };
  const profile = { accent_id: 0, assets: [], picture: [] };
  await register(deps, { ...user, ...profile }, sourceIp, { startsSession: false });
}

/** An invitation, and who may accept it. */
export interface Invitee extends OpenInvitation {
  /** Address of the inviter, if the account still has one. */
  readonly inviterEmail: string | undefined;
  /** Whether the address belongs to an account; that account can join. */
  readonly hasAccount: boolean;
}

/**
 * Find the invitation of a link, and whether its recipient has an account.
 *
 * @throws ApiError `cannot-join-multiple-teams` or `suspended` when the account cannot join; what `findInvitation` throws
 */
export async function findInvitee(deps: Deps, code: string): Promise<Invitee> {
  const { accounts, settings } = deps;
  const open = await findInvitation(deps, code);
  const { createdBy, email } = open.invitation;
  const address = storedEmailIdentity(email, settings);
  const [inviter, claim] = await Promise.all([
    createdBy === undefined ? undefined : accounts.get(createdBy),
    accounts.findClaim(address),
  ]);
  if (claim?.teamId !== undefined) throw new ApiError("cannot-join-multiple-teams");
  if (claim !== undefined && claim.status !== "active") throw new ApiError("suspended");
  return {
    ...open,
    inviterEmail: inviter?.email,
    hasAccount: claim !== undefined,
  };
}
