import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { expect } from "vitest";
import { ConnectionStore } from "#shared/conversations/connections/connection-store.ts";
import { oneToOneConversationId } from "#shared/conversations/derived-ids.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { transact, type Write } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { type ApiAnswer, api } from "./api.ts";
import { stackConfig } from "./stack-config.ts";
import type { Apis, User } from "./users.ts";

type Target = Pick<User, "id">;
type Caller = Pick<User, "token">;

/** Domain of the stacks in tests. */
export const localDomain = "parley.localhost";

/** Request a connection with another user. */
export const requestConnection = (
  { token }: Caller,
  { id }: Target,
  { publicApi }: Pick<Apis, "publicApi"> = { publicApi: api },
): Promise<ApiAnswer> => publicApi("POST", `/connections/${localDomain}/${id}`, { token });

/** Change the status of a user's own side of a connection. */
export const updateConnection = (
  { token }: Caller,
  { id }: Target,
  status: string,
  { publicApi }: Pick<Apis, "publicApi"> = { publicApi: api },
): Promise<ApiAnswer> => publicApi("PUT", `/connections/${localDomain}/${id}`, { token, json: { status } });

/** A user's own side. */
export const getSide = (
  { token }: Caller,
  { id }: Target,
  { publicApi }: Pick<Apis, "publicApi"> = { publicApi: api },
): Promise<ApiAnswer> => publicApi("GET", `/connections/${localDomain}/${id}`, { token });

/** Status of each side; `none` where there is no connection. */
export async function sides(
  one: User,
  other: User,
  apis?: Pick<Apis, "publicApi">,
): Promise<[string, string]> {
  const answers = await Promise.all([getSide(one, other, apis), getSide(other, one, apis)]);
  return answers.map(({ status, body }) => (status === 404 ? "none" : body.status)) as [string, string];
}

/** A user's own side of a connection, as the API shows it. */
export const sideView = (user: Target, peer: Target, status: string) => ({
  from: user.id,
  to: peer.id,
  qualified_to: { domain: localDomain, id: peer.id },
  status,
  conversation: oneToOneConversationId(user.id, peer.id),
  qualified_conversation: { domain: localDomain, id: oneToOneConversationId(user.id, peer.id) },
  last_update: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
});

/** Events of a user about a connection, oldest first. */
// biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever arrived
export async function connectionEvents({ token }: User, peer: User): Promise<any[]> {
  const { body } = await api("GET", "/notifications?size=10000", { token });
  return (
    body.notifications
      // biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever arrived
      .flatMap(({ payload }: any) => payload)
      .filter(({ connection }: { connection?: { to: string } }) => connection?.to === peer.id)
  );
}

/** Make two users contacts of each other. */
export async function connectUsers(one: User, other: User, apis?: Pick<Apis, "publicApi">): Promise<void> {
  const requested = await requestConnection(one, other, apis);
  const accepted = await updateConnection(other, one, "accepted", apis);
  if (requested.status !== 201 || accepted.status !== 200) throw new Error("The users were connected before");
}

/** Access the stored connections of a stack, bypassing its API. */
export function connectionData({ prefix = "test" }: { prefix?: string } = {}) {
  const config = stackConfig(prefix);
  const dynamo = createDynamo();
  const TableName = config.tableName("connections");
  return {
    store: new ConnectionStore({ dynamo, config, clock: systemClock }),
    write: (writes: readonly Write[]) => transact(dynamo, writes),
    /** The counter of a user's connections that count towards the limit. */
    async countedPlaces({ id }: Target): Promise<number> {
      const get = new GetCommand({ TableName, Key: { owner: `user#${id}`, entry: "count" } });
      return (await dynamo.send(get)).Item?.occupied ?? 0;
    },
    async markDeleted({ id }: Target): Promise<void> {
      const update = new UpdateCommand({
        TableName: config.tableName("accounts"),
        Key: { pk: `user#${id}`, sk: "account" },
        UpdateExpression: "SET #status = :deleted ADD revision :one",
        ExpressionAttributeNames: { "#status": "status" },
        ExpressionAttributeValues: { ":deleted": "deleted", ":one": 1 },
      });
      await dynamo.send(update);
    },
  };
}
