import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { addBot, newRunningService, removeBot } from "../../support/bots.ts";
import { newConversation } from "../../support/conversations.ts";
import { putOnList, serviceData } from "../../support/services.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam } from "../../support/teams.ts";
import { signedServiceToken } from "../../support/tokens.ts";
import { newUser } from "../../support/users.ts";

const denied = "403 access-denied";

it("where a team requires a second factor, its members cannot add bots or change its list, but see all services", async () => {
  const [team, provider] = await Promise.all([newTeam(), serviceData().newProvider()]);
  const service = await newRunningService(provider);
  await putOnList(team, team.owner, service);
  const group = await newConversation([team.owner], { team });
  const { body } = await addBot(team.owner, group, service);
  const bot = { token: service.server.bots[0]?.token };
  const path = `/i/teams/${team.id}/features/sndFactorPasswordChallenge`;
  await internalApi("PUT", `${path}/unlocked`);
  const { status } = await internalApi("PATCH", path, { json: { status: "enabled" } });
  expect(status).toBe(200);

  const unknown = { id: randomUUID() };
  expect(outcome(await addBot(team.owner, group, service))).toBe(denied);
  expect(outcome(await addBot(team.owner, unknown, service))).toBe(denied);
  expect(outcome(await removeBot(team.owner, group, body.id))).toBe(denied);
  expect(outcome(await removeBot(team.owner, unknown, body.id))).toBe(denied);
  expect(outcome(await putOnList(team, team.owner, service, false))).toBe(denied);
  const services = await api("GET", `/services?start=${encodeURIComponent(service.name)}`, team.owner);
  expect(outcome(services)).toBe("200");
  // The rights of a bot depend on the server, on its conversation, and on the users it asks about.
  expect(outcome(await api("GET", "/bot/self", bot))).toBe("200");
  expect(outcome(await api("GET", "/bot/client", bot))).toBe("200");
  expect(outcome(await api("GET", "/bot/conversation", bot))).toBe(denied);
  expect(outcome(await api("GET", `/bot/users/${team.owner.id}/clients`, bot))).toBe(denied);
  expect(outcome(await api("GET", `/bot/users/${randomUUID()}/clients`, bot))).toBe("200");
  expect(outcome(await api("DELETE", "/bot/self", bot))).toBe("200");
});

it("where the server requires a second factor, bots can do nothing but read their profiles", async () => {
  const stack = await stackWith({
    sndFactorPasswordChallenge: { defaults: { status: "enabled", lockStatus: "locked" } },
  });
  const ada = await newUser({}, stack);
  const wanted = { id: randomUUID(), provider: randomUUID() };
  expect(outcome(await addBot(ada, { id: randomUUID() }, wanted, stack))).toBe(denied);
  expect(outcome(await removeBot(ada, { id: randomUUID() }, randomUUID(), stack))).toBe(denied);
  const [providerId, botId, conversationId] = [randomUUID(), randomUUID(), randomUUID()];
  const token = await signedServiceToken({ type: "bot", providerId, botId, conversationId }, stack);
  const call = async (method: string, path: string, json?: unknown) =>
    outcome(await stack.publicApi(method, path, { token, json }));
  expect(await call("GET", "/bot/self")).toBe("404 not-found");
  for (const path of [
    "client",
    "client/prekeys",
    `users?ids=${ada.id}`,
    `users/${ada.id}/clients`,
    "conversation",
  ])
    expect([path, await call("GET", `/bot/${path}`)]).toEqual([path, denied]);
  expect(await call("DELETE", "/bot/self")).toBe(denied);
  expect(await call("POST", "/bot/client/prekeys", { prekeys: [] })).toBe(denied);
  expect(await call("POST", "/bot/users/prekeys", {})).toBe(denied);
  expect(await call("POST", "/bot/messages", { sender: "1", recipients: {} })).toBe(denied);
});
