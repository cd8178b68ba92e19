import { randomUUID } from "node:crypto";
import type { Clock } from "#shared/platform/clock.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { Table } from "#shared/platform/data/table.ts";
import { type AllocatedDevice, allocatedDevice, type DeviceKeys } from "./allocated-device.ts";

const deviceKey = (userId: string) => ({ owner: `user#${userId}`, entry: "legal-hold" });

/** Longer than any function runs: a request that has not released a device by then has died. */
const lockMilliseconds = 20_000;

/** A legal hold device, locked by one request. */
export interface LockedDevice {
  readonly userId: string;
  readonly version: string;
  readonly keys?: DeviceKeys | undefined;
}

/** Devices created by legal hold services. Access pattern: by user. */
export class AllocatedDeviceStore {
  readonly #table: Table<"clients">;
  readonly #clock: Clock;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "clients");
    this.#clock = context.clock;
  }

  async get(userId: string): Promise<AllocatedDevice | undefined> {
    const item = await this.#table.get(deviceKey(userId));
    return item && allocatedDevice.parse(item);
  }

  /** Whether another request is asking the service. */
  isLocked = (device: AllocatedDevice | undefined): boolean => (device?.heldUntil ?? 0) > this.#clock();

  /**
   * Lock the device while a service is asked; a change of the device ends the lock. Rejected as
   * `StaleReadError` when the device has changed since it was read.
   */
  lock(userId: string, known: AllocatedDevice | undefined): { locked: LockedDevice; write: Write } {
    const { heldUntil: _, ...stored } = known ?? {};
    const locked = { ...stored, userId, version: randomUUID(), keys: known?.keys };
    return { locked, write: this.#put(known, { ...locked, heldUntil: this.#clock() + lockMilliseconds }) };
  }

  /** Condition that the device is still locked by the same request. Rejected as `StaleReadError`. */
  requireLocked({ userId, version }: LockedDevice): Write {
    return this.#table.requireWrite(deviceKey(userId), { ...isVersion(version) });
  }

  /** Release the device, with these keys. Rejected as `StaleReadError` when it is no longer locked by the same request. */
  release(locked: LockedDevice, keys: DeviceKeys | undefined): Write {
    return this.#put(locked, { ...locked, version: randomUUID(), keys });
  }

  /** Remove the device, even if it is locked. May be repeated. */
  removeRecord(userId: string): Write {
    return this.#table.deleteWrite(deviceKey(userId));
  }

  #put(known: Pick<AllocatedDevice, "version"> | undefined, device: AllocatedDevice): Write {
    return this.#table.putWrite(
      { ...deviceKey(device.userId), ...device },
      {
        ...(known === undefined
          ? { ConditionExpression: "attribute_not_exists(version)" }
          : isVersion(known.version)),
      },
    );
  }
}

const isVersion = (version: string) => ({
  ConditionExpression: "version = :known",
  ExpressionAttributeValues: { ":known": version },
});
