import type { Clock } from "#shared/platform/clock.ts";
import { onConditionFailed, type Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { Table } from "#shared/platform/data/table.ts";
import {
  type Device,
  DeviceNotFoundError,
  type Devices,
  devicesItem,
  findDevice,
  noDevices,
  removalsAfter,
} from "./device.ts";

/** A week, because nobody should learn more precisely when a device was active. */
const activityMilliseconds = 7 * 86_400 * 1000;

const devicesKey = (userId: string) => ({ owner: `user#${userId}`, entry: "devices" });

/** Devices of users. Access patterns: all of one user; all of several users. */
export class DeviceStore {
  readonly #table: Table<"clients">;
  readonly #clock: Clock;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "clients");
    this.#clock = context.clock;
  }

  async get(userId: string): Promise<Devices> {
    const item = await this.#table.get(devicesKey(userId));
    return item === undefined ? noDevices(userId) : devicesItem.parse(item);
  }

  /** Devices of several users, in any order; users without devices are left out. */
  async getMany(userIds: readonly string[]): Promise<Devices[]> {
    const items = await this.#table.getMany([...new Set(userIds)].map(devicesKey));
    return items.map((item) => devicesItem.parse(item));
  }

  /**
   * Record the week in which a device is active, by the week's end. Costs a read, and once a week a write; ignores an
   * unknown device. A concurrent `put` may undo this until the device is active again.
   */
  async recordActivity(userId: string, clientId: string, now: number): Promise<void> {
    const activeAt = Math.ceil(now / activityMilliseconds) * activityMilliseconds;
    const device = findDevice(await this.get(userId), clientId);
    if (device === undefined || (device.lastActiveAt ?? 0) >= activeAt) return;
    const update = this.#table.update(devicesKey(userId), {
      UpdateExpression: "SET devices.#id.lastActiveAt = :activeAt",
      ConditionExpression: "attribute_exists(devices.#id)",
      ExpressionAttributeNames: { "#id": clientId },
      ExpressionAttributeValues: { ":activeAt": activeAt },
    });
    await onConditionFailed(update, () => undefined);
  }

  /** Replace the devices of a user if they have not changed since they were read. Rejected as `StaleReadError`. */
  put(known: Devices, devices: Readonly<Record<string, Device>>): Write {
    const { userId, revision } = known;
    const removals = removalsAfter(known, devices, this.#clock());
    return this.#table.putWrite(
      { ...devicesKey(userId), ...known, devices, removals, revision: revision + 1 },
      { atRevision: revision },
    );
  }

  /** Condition that a user's devices are as they were read. Rejected as `StaleReadError`. */
  requireUnchanged({ userId, revision }: Devices): Write {
    return this.#table.requireWrite(devicesKey(userId), { atRevision: revision });
  }

  /** Delete the record of a deleted user, who gets no more devices, after all devices. May be repeated. */
  removeRecord(userId: string): Write {
    return this.#table.deleteWrite(devicesKey(userId));
  }

  /** Condition that a device exists. Rejected as `DeviceNotFoundError`. */
  require(userId: string, clientId: string): Write {
    return this.#table.requireWrite(devicesKey(userId), {
      ConditionExpression: "attribute_exists(devices.#id)",
      ExpressionAttributeNames: { "#id": clientId },
      onRejected: () => new DeviceNotFoundError(clientId),
    });
  }

  /**
   * Condition that a device has neither been removed nor registered again since the read. Rejected as `StaleReadError`.
   */
  requireSame(userId: string, { clientId, registeredAt }: Device): Write {
    return this.#table.requireWrite(devicesKey(userId), {
      ConditionExpression: "devices.#id.registeredAt = :registeredAt",
      ExpressionAttributeNames: { "#id": clientId },
      ExpressionAttributeValues: { ":registeredAt": registeredAt },
    });
  }
}
