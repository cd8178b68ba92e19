import type { Actor, Handlers } from "#shared/platform/http/route.ts";
import { toUtcSecond } from "#shared/platform/http/wire-types.ts";
import type { Deps } from "../deps.ts";
import { deleteToken, renameToken } from "./change-tokens.ts";
import { createToken, type TeamToken } from "./create-token.ts";
import { toTokenInfoV0 } from "./older-token-views.ts";
import type { routes } from "./routes.ts";
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
