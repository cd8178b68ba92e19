import type { Actor } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import type { TeamToken } from "./create-token.ts";
import { readAsTokenOwner } from "./token-owner.ts";

/**
 * List the tokens of the actor's team, oldest first.
 *
 * @throws ApiError `not-a-team-member`, `insufficient-permissions`
 * @see operation `auth-tokens-list`
 */
export async function listTokens(deps: Deps, { userId }: Actor): Promise<TeamToken[]> {
  const { teamId, tokens } = (await readAsTokenOwner(deps, userId)).provisioning;
  return tokens.map((token) => ({ ...token, teamId }));
}
