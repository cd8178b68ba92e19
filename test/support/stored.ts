import { PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { inject } from "vitest";
import type { Account } from "#shared/data/account/account.ts";
import { createDocumentClient } from "#shared/data/client.ts";
import type { Connection } from "#shared/data/connection/connection.ts";

/** States that a test needs and no operation brings about, written into the tables of the shared stack. */

function client() {
  Object.assign(process.env, inject("emulators").environment);
  return createDocumentClient();
}

export async function editAccount(
  userId: string,
  fields: Partial<Pick<Account, "managedByScim" | "status">>,
): Promise<void> {
  const names = Object.keys(fields);
  const update = new UpdateCommand({
    TableName: "test-accounts",
    Key: { pk: `user#${userId}`, sk: "account" },
    UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join(", ")}`,
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [`:${name}`, value]),
    ),
  });
  await client().send(update);
}

/** Make two users contacts of each other. */
export async function connect(one: string, other: string): Promise<void> {
  const rows: Pick<Connection, "userId" | "peerId">[] = [
    { userId: one, peerId: other },
    { userId: other, peerId: one },
  ];
  for (const { userId, peerId } of rows) {
    const row: Connection = { userId, peerId, status: "accepted", updatedAt: Date.now(), revision: 1 };
    const key = { owner: `user#${userId}`, entry: `peer#${peerId}` };
    await client().send(new PutCommand({ TableName: "test-connections", Item: { ...key, ...row } }));
  }
}
