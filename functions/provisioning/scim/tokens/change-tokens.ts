import { describeAudited } from "#shared/platform/audit/audited.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { ScimToken } from "#shared/provisioning/scim-token.ts";
import type { Deps } from "../deps.ts";
import { readAsTokenOwner } from "./token-owner.ts";

/**
 * Rename a token of the actor's team; an unknown id changes nothing. An empty name stands for the id.
 *
 * @throws ApiError `not-a-team-member`, `insufficient-permissions`
 * @see operation `auth-tokens-put-name`
 */
export const renameToken = (deps: Deps, actor: Actor, { id, name }: { id: string; name: string }) =>
  changeTokens(deps, actor, id, (tokens) =>
    tokens.map((token) => (token.id === id ? { ...token, name: name || id } : token)),
  );

/**
 * Revoke a token of the actor's team; an unknown id changes nothing.
 *
 * @throws ApiError `not-a-team-member`, `insufficient-permissions`
 * @see operation `auth-tokens-delete`
 */
export const deleteToken = (deps: Deps, actor: Actor, id: string) =>
  changeTokens(deps, actor, id, (tokens) => tokens.filter((token) => token.id !== id));

function changeTokens(
  deps: Deps,
  { userId }: Actor,
  id: string,
  toNext: (tokens: readonly ScimToken[]) => ScimToken[],
): Promise<void> {
  const { provisioning, teams } = deps;
  describeAudited({ target: { token: id } });
  return change(deps, async () => {
    const { member, provisioning: before } = await readAsTokenOwner(deps, userId);
    if (!before.tokens.some((token) => token.id === id)) return undefined;
    return {
      writes: [
        ...provisioning.save(before, { ...before, tokens: toNext(before.tokens) }),
        teams.requirePermissions(member),
      ],
    };
  });
}
