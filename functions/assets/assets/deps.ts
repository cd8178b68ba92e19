import { AccountStore } from "#shared/accounts/account-store.ts";
import { AssetStore } from "#shared/assets/asset-store.ts";
import { Bucket } from "#shared/platform/files/bucket.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { DailyBudget } from "#shared/platform/rate-limit/daily-budget.ts";
import { Switches } from "#shared/platform/switches.ts";
import { Statistics } from "#shared/platform/usage/statistics.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { ServiceStore } from "#shared/services/service-store.ts";
import { LegalHoldSessions } from "#shared/sessions/legal-hold-sessions.ts";
import { verifiers } from "#shared/sessions/tokens/verifiers.ts";
import { UploadPlaces } from "./upload-places.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps(
  {
    ...verifiers,
    accounts: AccountStore,
    assets: AssetStore,
    budget: DailyBudget,
    legalHoldSessions: LegalHoldSessions,
    outbox: Outbox,
    services: ServiceStore,
    statistics: Statistics,
    switches: Switches,
  },
  (deps) => ({
    bucket: new Bucket(deps, "assets"),
    places: new UploadPlaces(deps.config.relayUploads),
  }),
);
