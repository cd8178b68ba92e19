import type { Account } from "#shared/accounts/account.ts";
import { userHasFeature } from "#shared/accounts/features-of-user.ts";
import type { AccountDeps } from "../account-deps.ts";

type Features = Pick<AccountDeps, "features" | "settings">;

/** Whether the user's name is fixed, because certificates of end-to-end identity contain it. */
export const hasFixedName = (deps: Features, account: Account): Promise<boolean> =>
  userHasFeature(deps, "mlsE2EId", account);

/** Whether the handle is fixed for the same reason; users without one have yet to choose it. */
export const hasFixedHandle = async (deps: Features, account: Account): Promise<boolean> =>
  account.handle !== undefined && (await hasFixedName(deps, account));
