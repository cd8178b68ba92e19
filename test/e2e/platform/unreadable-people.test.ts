import { expect, it } from "vitest";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { Table } from "#shared/platform/data/table.ts";
import { api, outcome } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { openSocket } from "../../support/socket.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser } from "../../support/users.ts";

const context = { dynamo: createDynamo(), config: stackConfig("test") };
const accounts = new Table(context, "accounts");
const teams = new Table(context, "teams");

/** Give an account a value of another version. */
const damageAccount = (userId: string) =>
  accounts.update(
    { pk: `user#${userId}`, sk: "account" },
    {
      UpdateExpression: "SET accentId = :value",
      ExpressionAttributeValues: { ":value": "blue" },
    },
  );

it("an account that cannot be read is listed as failed, and unavailable by itself", async () => {
  const [ada, bea, viewer] = await Promise.all([newUser(), newUser(), newUser()]);
  await damageAccount(bea.id);
  const ids = [ada.id, bea.id].map((id) => ({ domain: localDomain, id }));
  const list = await api("POST", "/v8/list-users", { token: viewer.token, json: { qualified_ids: ids } });
  expect(list.body).toMatchObject({ found: [{ id: ada.id }], failed: [{ id: bea.id }] });
  const single = await api("GET", `/v8/users/${localDomain}/${bea.id}`, viewer);
  expect(outcome(single)).toBe("503 service-unavailable");
  expect(single.headers.get("retry-after")).toBe("60");
});

it("a member of a team who cannot be read is missing in lists, and keeps nobody from events", async () => {
  const team = await newTeam();
  const members = await Promise.all([team.add(), team.add(), team.add()]);
  const [damaged, ...others] = members.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  if (damaged === undefined) throw new Error("Nobody was added");
  await teams.update(
    { owner: `team#${team.id}`, entry: `member#${damaged.id}` },
    { UpdateExpression: "SET legalHoldStatus = :value", ExpressionAttributeValues: { ":value": "all" } },
  );
  const listed: string[] = [];
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams({
      maxResults: "1",
      ...(cursor !== undefined && { pagingState: cursor }),
    });
    const { body } = await api("GET", `/teams/${team.id}/members?${query}`, team.owner);
    listed.push(...body.members.map(({ user }: { user: string }) => user));
    cursor = body.hasMore ? body.pagingState : undefined;
  } while (cursor !== undefined);
  expect(listed.toSorted()).toEqual([team.owner.id, ...others.map(({ id }) => id)].toSorted());

  const readers = await Promise.all([damaged, ...others].map(({ token }) => openSocket("/await", { token })));
  const renamed = await api("PUT", "/self", { token: team.owner.token, json: { name: "Renamed" } });
  expect(outcome(renamed)).toBe("200");
  await Promise.all(
    readers.map((socket) => socket.next((frame) => JSON.stringify(frame).includes("Renamed"))),
  );
});
