import { AccountStore } from "#shared/accounts/account-store.ts";
import type { LegalHoldStatus } from "#shared/accounts/legal-hold-status.ts";
import type { Device } from "#shared/devices/device.ts";
import { DeviceStore } from "#shared/devices/device-store.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { createRuntime } from "#shared/runtime/runtime.ts";
import { orderTeamJob } from "#shared/teams/team-job.ts";
import { stackConfig } from "./stack-config.ts";
import { testSettings } from "./test-settings.ts";
import type { User } from "./users.ts";

/** Id of the legal-hold device that `setLegalHold` gives to users. */
export const legalHoldDeviceId = "1e6a1401d";

const legalHoldDevice: Device = {
  clientId: legalHoldDeviceId,
  type: "legalhold",
  class: "legalhold",
  capabilities: ["legalhold-implicit-consent"],
  mlsPublicKeys: {},
  registeredAt: 0,
};

/**
 * Set a member's legal-hold status directly in the tables, with a device if it is `enabled`, as if the team had a
 * service. Connections and groups follow shortly afterwards.
 */
export async function setLegalHold(
  { id: userId }: Pick<User, "id">,
  legalHoldStatus: LegalHoldStatus,
  { prefix = "test", isSettled = true }: { prefix?: string; isSettled?: boolean } = {},
): Promise<void> {
  const runtime = createRuntime("test", { ...stackConfig(prefix), settings: parseSettings(testSettings) });
  const stores = storeContext(runtime);
  const accounts = new AccountStore(stores);
  const devices = new DeviceStore(stores);
  const outbox = new Outbox(runtime);
  await change(stores, async () => {
    const [account, known] = await Promise.all([accounts.get(userId), devices.get(userId)]);
    if (account?.teamId === undefined) throw new Error("Only members of teams can be under legal hold");
    const { [legalHoldDeviceId]: _, ...others } = known.devices;
    const next = legalHoldStatus === "enabled" ? { ...others, [legalHoldDeviceId]: legalHoldDevice } : others;
    const order = orderTeamJob(outbox, { job: "settle-legal-hold", teamId: account.teamId, userId });
    return {
      writes: [...accounts.save(account, { ...account, legalHoldStatus }), devices.put(known, next)],
      messages: isSettled ? [order] : [],
    };
  });
}
