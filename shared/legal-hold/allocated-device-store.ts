import { randomUUID } from "node:crypto";
import type { Clock } from "#shared/platform/clock.ts";
import { StaleReadError, type Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { findItem, type Item, Table } from "#shared/platform/data/table.ts";
import { type AllocatedDevice, allocatedDevice, type DeviceKeys } from "./allocated-device.ts";

const deviceKey = (userId: string) => ({ owner: `user#${userId}`, entry: "legal-hold" });

/** Longer than a function runs: whoever holds a device and has not let it go by then is dead. */
const holdMilliseconds = 20_000;

/** A device of legal hold that one request holds. */
export interface HeldDevice {
  readonly userId: string;
  readonly version: string;
  readonly keys?: DeviceKeys | undefined;
}

/** Devices that legal hold services have made. Access pattern: by user. */
export class AllocatedDeviceStore {
  readonly tableName: string;
  readonly #table: Table<"clients">;
  readonly #clock: Clock;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "clients");
    this.tableName = this.#table.name;
    this.#clock = context.clock;
  }

  /** Keys of a user's device, for a batch read together with other tables. */
  keys = (userId: string) => [deviceKey(userId)];

  /** Find a user's device among the items of a batch read of `keys`. */
  deviceOf(userId: string, items: readonly Item[]): AllocatedDevice | undefined {
    const found = findItem(items, deviceKey(userId));
    return found && allocatedDevice.parse(found);
  }

  /** Whether another request is asking the service. */
  isHeld = (device: AllocatedDevice | undefined): boolean => (device?.heldUntil ?? 0) > this.#clock();

  /**
   * Hold the device while a service is asked: nobody else does meanwhile, and a change of the device ends it. Rejected as
   * `StaleReadError` when the device is not as it was read.
   */
  hold(userId: string, known: AllocatedDevice | undefined): { held: HeldDevice; write: Write } {
    const held = { userId, version: randomUUID(), keys: known?.keys };
    return { held, write: this.#put(known, { ...held, heldUntil: this.#clock() + holdMilliseconds }) };
  }

  /** Condition that the device is still held by the same request. Rejected as `StaleReadError`. */
  requireHeld({ userId, version }: HeldDevice): Write {
    return this.#table.requireWrite(deviceKey(userId), {
      ...isVersion(version),
      onRejected: () => new StaleReadError(`legal hold device of ${userId}`),
    });
  }

  /** Let the device go, with these keys. Rejected as `StaleReadError` when it is no longer held by the same request. */
  release(held: HeldDevice, keys: DeviceKeys | undefined): Write {
    return this.#put(held, { userId: held.userId, version: randomUUID(), keys });
  }

  /** Forget the device, whoever holds it. May be repeated. */
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
        onRejected: () => new StaleReadError(`legal hold device of ${device.userId}`),
      },
    );
  }
}

const isVersion = (version: string) => ({
  ConditionExpression: "version = :known",
  ExpressionAttributeValues: { ":known": version },
});
