import type { ErrorName } from "#shared/registry/errors.ts";
import type { AccountStatus } from "./account.ts";

const obstacles = {
  suspended: "suspended",
  ephemeral: "ephemeral",
  "pending-invitation": "pending-activation",
  deleted: "invalid-credentials",
} as const satisfies Partial<Record<AccountStatus, ErrorName>>;

/** Why a user who has proved their identity still cannot log in; undefined for an active account. */
export const loginObstacle = (status: AccountStatus) => (status === "active" ? undefined : obstacles[status]);
