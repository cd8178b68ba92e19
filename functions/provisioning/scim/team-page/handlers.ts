import { mailSecondFactorCode } from "#shared/accounts/second-factor/mail-second-factor-code.ts";
import { needsSecondFactor, secondFactorKey } from "#shared/accounts/second-factor/second-factor.ts";
import { onTeamForm, showTeamPage } from "#shared/accounts/team-pages/team-page.ts";
import { teamPaths } from "#shared/accounts/team-pages/team-paths.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { hashOfScimToken } from "#shared/provisioning/scim-token.ts";
import type { Deps } from "../deps.ts";
import { createToken } from "../tokens/create-token.ts";
import { deleteToken } from "../tokens/handlers.ts";
import { readAsTokenOwner } from "../tokens/token-owner.ts";
import type { routes } from "./routes.ts";
import { tokensPage } from "./tokens-page.ts";

/** Cookie that carries a new token to the page, which shows it once. */
const cookieName = "new-token";

/** Sent to this page only. A redirect takes no minute. */
const cookieOf = (value: string, maxAgeSeconds: number) =>
  `${cookieName}=${value}; Path=${teamPaths.tokens}; Max-Age=${maxAgeSeconds}; HttpOnly; Secure; SameSite=Strict`;

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { config } = deps;
  return {
    "get-team-tokens-page": async (input) => {
      const [carried] = input.cookiesNamed(cookieName);
      const text = carried && Buffer.from(carried, "base64url").toString();
      const page = await showTeamPage(deps, "tokens", input, async (frame, { account }) => {
        const { provisioning } = await readAsTokenOwner(deps, account.userId);
        const { tokens, providers } = provisioning;
        const { teamId, samlIdentity } = account;
        const isOurs = text !== undefined && tokens.some(({ hash }) => hash === hashOfScimToken(text));
        return tokensPage(frame, {
          ...{ tokens, providers, address: `${config.publicUrl}/scim/v2` },
          created: isOurs ? text : undefined,
          needsCode: await needsSecondFactor(deps, { teamId, hasSamlIdentity: samlIdentity !== undefined }),
        });
      });
      return { ...page, ...(carried !== undefined && { cookies: [cookieOf("", 0)] }) };
    },

    "post-team-token": async (input) => {
      const cookies: string[] = [];
      const answer = await onTeamForm(deps, "tokens", input, async ({ userId }) => {
        const { purpose: description, provider, password, code } = input.body;
        const { text } = await createToken(
          deps,
          { userId },
          {
            description,
            idp: provider === "" ? {} : { id: provider },
            ...(password !== undefined && { password }),
            ...(code !== "" && { secondFactor: code }),
          },
        );
        cookies.push(cookieOf(Buffer.from(text).toString("base64url"), 60));
        return "token-created";
      });
      return { ...answer, cookies };
    },

    "post-team-token-code": (input) =>
      onTeamForm(deps, "tokens", input, async ({ userId }) => {
        await mailSecondFactorCode(deps, { key: secondFactorKey(userId, "create_scim_token"), userId });
        return "code-sent";
      }),

    "post-team-token-revocation": (input) =>
      onTeamForm(deps, "tokens", input, async ({ userId }) => {
        await deleteToken(deps, { userId }, input.body.token);
        return "token-revoked";
      }),
  };
}
