import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { internalApi, outcome } from "../../support/api.ts";
import { conversationData } from "../../support/conversations.ts";
import { eventually } from "../../support/eventually.ts";
import { addDevices, recipientsOf, sendJson } from "../../support/otr-messages.ts";
import { type OwnStack, ownStack } from "../../support/own-stack.ts";
import { newTeam } from "../../support/teams.ts";
import { uploadBody } from "../../support/upload-body.ts";
import { logIn, newUser, registeredUser } from "../../support/users.ts";

const daySeconds = 86_400;
const dayOf = ({ clock }: OwnStack) => new Date(clock()).toISOString().slice(0, 10);

/** The counters of the stack's present day. */
async function countsOf(stack: OwnStack) {
  const day = dayOf(stack);
  const { body } = await stack.internalApi("GET", `/i/statistics/days?from=${day}&to=${day}`);
  return body.days[0];
}

/** A stack whose clock stands on the tenth of a month, at noon. */
async function stackOnTheTenth(): Promise<OwnStack> {
  const stack = await ownStack({ statistics: { sampleOneIn: 1 } }, { isClockStopped: true });
  const now = new Date(stack.clock());
  const tenth = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 10, 12);
  stack.advance((tenth - stack.clock()) / 1000);
  return stack;
}

describe.concurrent("active users", () => {
  it("are counted once a day, and once a month, however often and concurrently they come", async () => {
    const stack = await stackOnTheTenth();
    const { publicApi } = stack;
    const user = await registeredUser({}, stack);
    await Promise.all(Array.from({ length: 4 }, () => logIn(user, { apis: stack })));
    expect(await countsOf(stack)).toMatchObject({ registrations: 1, active_users: 1, monthly_users: 1 });

    stack.advance(daySeconds);
    const renewals = Array.from({ length: 8 }, () => publicApi("POST", "/access", { cookie: user.cookie }));
    for (const { status } of await Promise.all(renewals)) expect(status).toBe(200);
    await publicApi("POST", "/access", { cookie: user.cookie });
    expect(await countsOf(stack)).toMatchObject({ registrations: 0, active_users: 1, monthly_users: 0 });

    stack.advance(25 * daySeconds);
    await Promise.all([
      logIn(user, { apis: stack }),
      logIn(user, { apis: stack }),
      publicApi("POST", "/access", { cookie: user.cookie }),
    ]);
    expect(await countsOf(stack)).toMatchObject({ active_users: 1, monthly_users: 1 });
  });

  it("are each counted, even if they only log in", async () => {
    const stack = await stackOnTheTenth();
    const users = await Promise.all([newUser({}, stack), newUser({}, stack), newUser({}, stack)]);
    stack.advance(daySeconds);
    for (const user of users) expect(outcome(await logIn(user, { apis: stack }))).toBe("200");
    expect(await countsOf(stack)).toMatchObject({ active_users: 3 });
  });
});

describe.concurrent("the counters of a day", () => {
  let stack: OwnStack;
  beforeAll(async () => {
    stack = await stackOnTheTenth();
  });

  it("include failed logins, even of unknown addresses", async () => {
    const own = await stackOnTheTenth();
    const user = await newUser({}, own);
    await logIn({ ...user, password: "not the password" }, { apis: own });
    await logIn({ email: "nobody@example.com", password: "not the password" }, { apis: own });
    await logIn(user, { apis: own });
    expect(await countsOf(own)).toMatchObject({ failed_logins: 2 });
  });

  it("include messages, and deliveries to each recipient", async () => {
    const team = await newTeam({}, stack);
    const members = [team.owner, await team.add(), await team.add()];
    const [sender, ...others] = members as [typeof team.owner, ...(typeof team.owner)[]];
    const { newConversation } = conversationData(stack);
    const conversation = await newConversation(members, { team });
    const [device = ""] = await addDevices(sender, 1, stack);
    const devices = await Promise.all(others.map((other) => addDevices(other, 1, stack)));
    const recipients = recipientsOf(...others.map((other, index) => [other, devices[index] ?? []] as const));
    for (let sent = 0; sent < 3; sent++) {
      const message = { sender: device, recipients };
      expect((await sendJson(conversation, sender, message, { publicApi: stack.publicApi })).status).toBe(
        201,
      );
    }
    await eventually(async () => {
      expect(await countsOf(stack)).toMatchObject({ messages: 3, deliveries: 6 });
    });
  });

  it("are zero on a day without activity, and listed for up to 92 days", async () => {
    const { body } = await stack.internalApi("GET", "/i/statistics/days?from=2024-01-01&to=2024-04-01");
    expect(body.days).toHaveLength(92);
    expect(body.days[0]).toEqual({
      day: "2024-01-01",
      active_users: 0,
      monthly_users: 0,
      registrations: 0,
      failed_logins: 0,
      messages: 0,
      deliveries: 0,
    });
  });
});

describe.concurrent("the storage of a team", () => {
  const storageOf = async ({ internalApi, ...stack }: OwnStack, { id }: { id: string }) => {
    const month = new Date(stack.clock()).toISOString().slice(0, 7);
    const { body } = await internalApi("GET", `/i/statistics/teams/${id}?from=${month}&to=${month}`);
    return body.storage;
  };

  it("grows with uploads, and shrinks with deletions and when the month of expiry is over", async () => {
    const stack = await stackOnTheTenth();
    const team = await newTeam({}, stack);
    const { token } = team.owner;
    const upload = async (retention: string, content: string) => {
      const path = `${stack.publicUrl}/v8/assets`;
      const response = await fetch(path, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "multipart/mixed; boundary=frontier" },
        body: uploadBody({ options: { retention }, content }),
      });
      expect(response.status).toBe(201);
      return (await response.json()) as { key: string };
    };
    const kept = await upload("eternal", "12345");
    await upload("eternal", "123");
    await upload("volatile", "1234567");
    expect(await storageOf(stack, team)).toEqual({ bytes: 15, files: 3 });

    const path = `/v8/assets/parley.localhost/${kept.key}`;
    const deletions = await Promise.all([
      stack.publicApi("DELETE", path, { token }),
      stack.publicApi("DELETE", path, { token }),
    ]);
    expect(deletions.map(({ status }) => status).toSorted()).toEqual([200, 404]);
    expect(await storageOf(stack, team)).toEqual({ bytes: 10, files: 2 });

    stack.advance(62 * daySeconds);
    expect(await storageOf(stack, team)).toEqual({ bytes: 3, files: 1 });
  });
});

describe.concurrent("the consumption of teams", () => {
  it("is listed page by page, separately from that of no team", async () => {
    const stack = await stackOnTheTenth();
    const { internalApi, publicApi } = stack;
    const month = dayOf(stack).slice(0, 7);
    const teams = await Promise.all(Array.from({ length: 5 }, () => newTeam({}, stack)));
    const stranger = await newUser({}, stack);
    for (const { owner } of teams) await publicApi("GET", "/self", { token: owner.token });
    await publicApi("GET", "/self", { token: teams[0]?.owner.token ?? "" });
    await publicApi("GET", "/self", { token: stranger.token });

    const listed: { team: string; requests: number; read_units: number }[] = [];
    let start: string | undefined;
    do {
      const query = new URLSearchParams({ month, size: "2", ...(start !== undefined && { start }) });
      const { body } = await internalApi("GET", `/i/statistics/teams?${query}`);
      expect(body.without_team).toMatchObject({ requests: expect.any(Number) });
      expect(body.without_team.requests).toBeGreaterThan(0);
      listed.push(...body.teams);
      start = body.next;
    } while (start !== undefined);
    expect(listed.map(({ team }) => team)).toEqual(teams.map(({ id }) => id).toSorted());
    const first = listed.find(({ team }) => team === teams[0]?.id);
    expect(first).toMatchObject({ requests: 2 });
    expect(first?.read_units).toBeGreaterThan(0);

    const { body } = await internalApi(
      "GET",
      `/i/statistics/teams/${teams[0]?.id}?from=${month}&to=${month}`,
    );
    expect(body.months).toEqual([{ ...first, team: undefined, month }]);
  });

  it("is zero for an unknown team, and refused for invalid periods", async () => {
    const path = `/i/statistics/teams/${randomUUID()}`;
    const { body } = await internalApi("GET", `${path}?from=2024-11&to=2025-02`);
    expect(body.months.map(({ month }: { month: string }) => month)).toEqual([
      "2024-11",
      "2024-12",
      "2025-01",
      "2025-02",
    ]);
    expect(body.storage).toEqual({ bytes: 0, files: 0 });
    for (const query of ["from=2024-11&to=2024-10", "from=2024-13&to=2025-01", "from=2020-01&to=2026-01"])
      expect((await internalApi("GET", `${path}?${query}`)).status).toBe(400);
    expect((await internalApi("GET", "/i/statistics/teams?month=now")).status).toBe(400);
  });
});
