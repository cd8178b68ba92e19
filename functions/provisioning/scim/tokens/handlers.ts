import { describeAudited } from "#shared/platform/audit/audited.ts";
import type { Actor, Handlers } from "#shared/platform/http/route.ts";
import { toUtcSecond } from "#shared/platform/http/wire-types.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { ScimToken } from "#shared/provisioning/scim-token.ts";
import type { Deps } from "../deps.ts";
import { createToken, type TeamToken } from "./create-token.ts";
import { type routes, toTokenInfoV0 } from "./routes.ts";
import { readAsTokenOwner } from "./token-owner.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  return {
    "auth-tokens-create": async ({ actor, body }) => {
      const { idp: id, verification_code: secondFactor, ...request } = body;
      const { text, token } = await createToken(deps, actor, { ...request, secondFactor, idp: { id } });
      return { body: { token: text, info: toView(token) } };
    },

    "auth-tokens-create-v0": async ({ actor, body, isPrefixed }) => {
      const { idp: id, name, verification_code: secondFactor, ...request } = body;
      const { text, token } = await createToken(
        deps,
        actor,
        isPrefixed
          ? { ...request, secondFactor, idp: "the-only-one" }
          : { ...request, name, secondFactor, idp: { id } },
      );
      return { body: { token: text, info: toTokenInfoV0(toView(token), { isPrefixed }) } };
    },

    "auth-tokens-list": async ({ actor }) => ({
      body: { tokens: (await listTokens(deps, actor)).map(toView) },
    }),

    "auth-tokens-put-name": async ({ actor, params, body }) => {
      await renameToken(deps, actor, { id: params.id, name: body.name });
      return { body: [] };
    },

    "auth-tokens-delete": async ({ actor, query }) => {
      await deleteToken(deps, actor, query.id);
      return {};
    },
  };
}

const toView = ({ id, teamId, createdAt, name, description, idpId }: TeamToken) => ({
  id,
  team: teamId,
  created_at: toUtcSecond(createdAt),
  name,
  description,
  idp: idpId,
});

/**
 * List the tokens of the actor's team, oldest first.
 *
 * @throws ApiError `not-a-team-member`, `insufficient-permissions`
 * @see operation `auth-tokens-list`
 */
async function listTokens(deps: Deps, { userId }: Actor): Promise<TeamToken[]> {
  const { teamId, tokens } = (await readAsTokenOwner(deps, userId)).provisioning;
  return tokens.map((token) => ({ ...token, teamId }));
}

/**
 * Rename a token of the actor's team; an unknown id changes nothing. An empty name stands for the id.
 *
 * @throws ApiError `not-a-team-member`, `insufficient-permissions`
 * @see operation `auth-tokens-put-name`
 */
const renameToken = (deps: Deps, actor: Actor, { id, name }: { id: string; name: string }) =>
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
