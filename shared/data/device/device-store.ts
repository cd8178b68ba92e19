import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { Config } from "../../config.ts";
import { ApiError } from "../../errors.ts";
import { batchRead } from "../batch-read.ts";
import { isAtRevision, onConditionFailed, StaleReadError, type Write } from "../conditions.ts";
import { type Device, type Devices, devicesItem, findDevice, noDevices } from "./device.ts";

/** Nobody shall learn more exactly when a device was active. */
const activityMilliseconds = 7 * 86_400 * 1000;

const devicesKey = (userId: string) => ({ owner: `user#${userId}`, entry: "devices" });

/** Devices of users. Access patterns: all of one user; all of several users. */
export class DeviceStore {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;

  constructor(client: DynamoDBDocumentClient, config: Config) {
    this.#client = client;
    this.#tableName = config.tableName("clients");
  }

  async get(userId: string): Promise<Devices> {
    const { Item } = await this.#client.send(
      new GetCommand({ TableName: this.#tableName, Key: devicesKey(userId), ConsistentRead: true }),
    );
    return Item === undefined ? noDevices(userId) : devicesItem.parse(Item);
  }

  /** Devices of users in any order; users without any are left out. */
  async getMany(userIds: readonly string[]): Promise<Devices[]> {
    const keys = [...new Set(userIds)].map(devicesKey);
    const items = await batchRead(this.#client, [{ tableName: this.#tableName, keys }]);
    return items.map((item) => devicesItem.parse(item));
  }

  /**
   * Note in which week a device is active, by the week's end. A read, and once a week a write; nothing for a device that
   * does not exist. Whoever replaces the devices meanwhile may undo it until the device is active again.
   */
  async noteActivity(userId: string, clientId: string, now: number): Promise<void> {
    const activeAt = Math.ceil(now / activityMilliseconds) * activityMilliseconds;
    const device = findDevice(await this.get(userId), clientId);
    if (device === undefined || (device.lastActiveAt ?? 0) >= activeAt) return;
    const update = new UpdateCommand({
      TableName: this.#tableName,
      Key: devicesKey(userId),
      UpdateExpression: "SET devices.#id.lastActiveAt = :activeAt",
      ConditionExpression: "attribute_exists(devices.#id)",
      ExpressionAttributeNames: { "#id": clientId },
      ExpressionAttributeValues: { ":activeAt": activeAt },
    });
    await onConditionFailed(this.#client.send(update), () => undefined);
  }

  /** Replace the devices of a user as they were read. Rejected as `StaleReadError`. */
  put({ userId, revision }: Devices, devices: Readonly<Record<string, Device>>): Write {
    return {
      item: {
        Put: {
          TableName: this.#tableName,
          Item: { ...devicesKey(userId), userId, devices, revision: revision + 1 },
          ...isAtRevision(revision),
        },
      },
      onRejected: () => new StaleReadError(`devices of ${userId}`),
    };
  }

  /** Condition that a device exists. Rejected as ApiError `client-not-found`. */
  require(userId: string, clientId: string): Write {
    return {
      item: {
        ConditionCheck: {
          TableName: this.#tableName,
          Key: devicesKey(userId),
          ConditionExpression: "attribute_exists(devices.#id)",
          ExpressionAttributeNames: { "#id": clientId },
        },
      },
      onRejected: () => new ApiError("client-not-found"),
    };
  }

  /** Condition that a device is neither gone nor registered anew since it was read. Rejected as `StaleReadError`. */
  requireSame(userId: string, { clientId, registeredAt }: Device): Write {
    return {
      item: {
        ConditionCheck: {
          TableName: this.#tableName,
          Key: devicesKey(userId),
          ConditionExpression: "devices.#id.registeredAt = :registeredAt",
          ExpressionAttributeNames: { "#id": clientId },
          ExpressionAttributeValues: { ":registeredAt": registeredAt },
        },
      },
      onRejected: () => new StaleReadError(`device ${clientId} of ${userId}`),
    };
  }
}
