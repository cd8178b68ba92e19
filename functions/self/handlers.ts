import { ApiError } from "#shared/errors.ts";
import type { Handlers } from "#shared/http/route.ts";
import { toSelfProfile } from "#shared/schemas/self-profile.ts";
import type { Deps } from "./deps.ts";
import type { routes } from "./routes.ts";

export function createHandlers({ accounts, clock, settings }: Deps): Handlers<typeof routes> {
  return {
    "get-self": async ({ actor }) => {
      const account = await accounts.get(actor.userId);
      if (account === undefined) throw new ApiError("not-found");
      return { body: toSelfProfile(account, settings, clock()) };
    },
  };
}
