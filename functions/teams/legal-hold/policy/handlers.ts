import { guardMessages } from "#shared/conversations/legal-hold/guard.ts";
import { hasLegalHoldDevice } from "#shared/devices/device.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import type { routes } from "./routes.ts";

export const createHandlers = (deps: Deps): Handlers<typeof routes> => ({
  "guard-legalhold-policy-conflicts": async ({ body: { glhProtectee, glhUserClients } }) => {
    if (glhProtectee.tag === "ProtectedUser")
      await checkPolicy(deps, { userId: glhProtectee.contents, peerIds: Object.keys(glhUserClients) });
    return {};
  },
});

/**
 * Check that legal hold does not keep a user apart from others. All of their devices count, because each receives what
 * is sent.
 *
 * @throws ApiError `missing-legalhold-consent`
 * @see operation `guard-legalhold-policy-conflicts`
 */
async function checkPolicy(
  deps: Deps,
  { userId, peerIds }: { userId: string; peerIds: readonly string[] },
): Promise<void> {
  const userIds = [...new Set([userId, ...peerIds])];
  const found = await deps.devices.getMany(userIds);
  const underHold = new Set(found.filter(hasLegalHoldDevice).map((one) => one.userId));
  await guardMessages(deps, { userIds, underHold });
}
