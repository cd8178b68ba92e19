import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "./deps.ts";
import { reauthenticateUser } from "./reauthenticate-user.ts";
import type { Reauthentication, routes } from "./routes.ts";
import { findPendingCode, sendCode } from "./second-factor-codes.ts";
import { findLimits, resetLimits, withdrawSecondFactorCodes } from "./user-limits.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const reauthenticate = async (userId: string, { verification_code: code, ...proof }: Reauthentication) => {
    await reauthenticateUser(deps, { userId, code, ...proof });
    return {};
  };

  return {
    "send-verification-code": async ({ body }) => {
      await sendCode(deps, body);
      return {};
    },

    "i-get-verification-code": async ({ params }) => ({
      body: (await findPendingCode(deps, { userId: params.uid, action: params.action })) ?? null,
    }),

    "i-delete-verification-codes": async ({ params }) => {
      await withdrawSecondFactorCodes(deps, params.uid);
      return {};
    },

    "i-get-user-limits": async ({ params }) => ({ body: { limits: await findLimits(deps, params.uid) } }),

    "i-reset-user-limits": async ({ params }) => {
      await resetLimits(deps, params.uid);
      return {};
    },

    "i-reauthenticate": ({ params, body }) => reauthenticate(params.uid, body),

    "i-reauthenticate-post": ({ params, body }) => reauthenticate(params.uid, body),
  };
}
