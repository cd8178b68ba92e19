import { randomUUID } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { partOf } from "#shared/platform/audit/audit-record.ts";
import { batchPut } from "#shared/platform/data/batch-write.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { Table } from "#shared/platform/data/table.ts";
import { outcome } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import { nextMessage } from "../../support/messages.ts";
import { type OwnStack, ownStack } from "../../support/own-stack.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { type Receiver, receiverAuthority, startReceiver } from "../../support/webhooks.ts";

let stack: OwnStack;
const start = async (
  options: Parameters<typeof ownStack>[1] = {},
  { timeoutMilliseconds = 10_000 }: { timeoutMilliseconds?: number } = {},
) => {
  const authorities = [(await receiverAuthority()).cert];
  const webhooks = { allowsPrivateAddresses: true, authorities, timeoutMilliseconds, settleSeconds: 1 };
  stack = await ownStack({ webhooks, operatorEmail: "operator@example.com" }, options);
};
beforeAll(() => start());

async function receiver(): Promise<Receiver> {
  const started = await startReceiver();
  onTestFinished(() => started.stop());
  return started;
}

async function subscribe(
  team: Pick<Team, "id"> | undefined,
  { url }: Pick<Receiver, "url">,
  kinds: readonly string[] = ["team.*"],
) {
  const query = team === undefined ? "" : `?team=${team.id}`;
  const { status, body } = await stack.internalApi("POST", `/i/webhooks${query}`, { json: { url, kinds } });
  expect(status).toBe(201);
  const path = `/i/webhooks/${body.id}`;
  const { internalApi } = stack;
  // Otherwise, the collector would go through all hours that later tests let pass.
  onTestFinished(async () => void (await internalApi("DELETE", `${path}${query}`)));
  return {
    id: String(body.id),
    secret: String(body.secret),
    path: `${path}${query}`,
    at: (more: string) => `${path}${more}${query}`,
  };
}

/** Change a team on behalf of its owner, whose token may have expired. */
const rename = async (team: Team) => {
  const { status } = await stack.internalApi("PUT", `/teams/${team.id}`, {
    headers: { "z-user": team.owner.id },
    json: { name: `Team ${randomUUID()}` },
  });
  expect(status).toBe(200);
};

/** Let the collector find what has happened so far. */
async function collect(seconds = 2) {
  stack.advance(seconds);
  await stack.invoke("webhook-collector", {});
}

const show = async (webhook: { path: string }) => (await stack.internalApi("GET", webhook.path)).body;
const logOf = async (webhook: { at: (more: string) => string }) =>
  (await stack.internalApi("GET", webhook.at("/deliveries"))).body.deliveries;

describe("a webhook of a team", () => {
  it("is told who has changed what, without content, signed as the library expects", async () => {
    const [team, target] = [await newTeam({}, stack), await receiver()];
    const { id, secret } = await subscribe(team, target, ["team.changed"]);
    const { token } = team.owner;
    await stack.publicApi("PUT", `/teams/${team.id}`, { token, json: { name: "Secret name" } });
    await collect();
    await eventually(() => expect(target.received).toHaveLength(1));
    const [{ headers, body }] = target.received as [Receiver["received"][number]];
    const verified = new Webhook(secret).verify(body, headers as Record<string, string>);
    expect(verified).toEqual({
      type: "team.changed",
      timestamp: expect.any(String),
      data: {
        operation: "update-team",
        actor: { kind: "user", user: team.owner.id },
        target: { tid: team.id },
        team: team.id,
      },
    });
    expect(() => new Webhook(secret).verify(`${body} `, headers as Record<string, string>)).toThrow();
    expect(id).toMatch(/^[\da-f-]{36}$/);
  });

  it("is told nothing about other kinds and teams, and nothing from before its creation", async () => {
    const [team, other, target] = [await newTeam({}, stack), await newTeam({}, stack), await receiver()];
    await rename(team);
    stack.advance(1);
    const webhook = await subscribe(team, target, ["team.deleted"]);
    await rename(team);
    await rename(other);
    await collect();
    expect(await show(webhook)).toMatchObject({ waiting: 0, status: "active" });
    expect(target.received).toEqual([]);
  });

  it("can be set to its present state, which retries at once if that is on", async () => {
    const [team, target] = [await newTeam({}, stack), await receiver()];
    const webhook = await subscribe(team, target);
    target.answer((response) => response.writeHead(500).end());
    await rename(team);
    await collect();
    await eventually(async () =>
      expect(await show(webhook)).toMatchObject({ next_attempt_at: expect.any(String) }),
    );
    for (const status of ["active", "off", "off"] as const) {
      const answer = await stack.internalApi("PATCH", webhook.path, { json: { status } });
      expect(answer).toMatchObject({ status: 200, body: { status } });
      expect(answer.body).not.toHaveProperty("next_attempt_at");
    }
  });

  it("is switched off by 410", async () => {
    const [team, target] = [await newTeam({}, stack), await receiver()];
    const webhook = await subscribe(team, target);
    target.answer((response) => response.writeHead(410).end());
    await rename(team);
    await collect();
    await eventually(async () =>
      expect(await show(webhook)).toMatchObject({ status: "off", off_reason: "gone" }),
    );
  });

  it("is signed by the former secret as well for a day, unless that has leaked", async () => {
    const [team, target] = [await newTeam({}, stack), await receiver()];
    const webhook = await subscribe(team, target);
    const { body } = await stack.internalApi("POST", webhook.at("/secret"));
    expect(body.secret).not.toBe(webhook.secret);
    await rename(team);
    await collect();
    await eventually(() => expect(target.received).toHaveLength(1));
    const [first] = target.received as [Receiver["received"][number]];
    for (const secret of [webhook.secret, body.secret])
      expect(() =>
        new Webhook(secret).verify(first.body, first.headers as Record<string, string>),
      ).not.toThrow();
    const query = webhook.at("/secret");
    await stack.internalApi("POST", `${query}&leaked=true`);
    await rename(team);
    await collect();
    await eventually(() => expect(target.received).toHaveLength(2));
    const second = target.received[1] as Receiver["received"][number];
    for (const secret of [webhook.secret, body.secret])
      expect(() =>
        new Webhook(secret).verify(second.body, second.headers as Record<string, string>),
      ).toThrow();
  });

  it("is deleted with the team or alone, together with its log", async () => {
    const [team, target] = [await newTeam({}, stack), await receiver()];
    const [one, other] = [await subscribe(team, target), await subscribe(team, target)];
    await rename(team);
    await collect();
    await eventually(() => expect(target.received).toHaveLength(2));
    expect(await stack.internalApi("DELETE", one.path)).toMatchObject({ status: 200 });
    expect(await stack.internalApi("GET", one.path)).toMatchObject({ status: 404 });
    const { status } = await stack.publicApi("DELETE", `/teams/${team.id}`, {
      token: team.owner.token,
      json: { password: team.owner.password },
    });
    expect(status).toBe(202);
    const webhooks = new Table({ dynamo: createDynamo(), config: stackConfig(stack.prefix) }, "webhooks");
    await eventually(async () => {
      expect(await stack.internalApi("GET", other.path)).toMatchObject({ status: 404 });
      const { items } = await webhooks.scanPage({});
      expect(items.filter((item) => JSON.stringify(item).includes(team.id))).toEqual([]);
    });
  });

  it("belongs to admins of the team and operators, up to a limit that holds for concurrent requests", async () => {
    const [team, target] = [await newTeam({}, stack), await receiver()];
    const [member, admin] = [await team.add("member"), await team.add("admin")];
    const json = { url: target.url, kinds: ["team.*"] };
    const create = (query: string, user?: { id: string }) =>
      stack.internalApi("POST", `/i/webhooks${query}`, {
        json,
        ...(user && { headers: { "z-user": user.id } }),
      });
    expect(await create(`?team=${team.id}`, member)).toMatchObject({ status: 403 });
    expect(await create("", admin)).toMatchObject({ status: 403 });
    expect(await create(`?team=${randomUUID()}`)).toMatchObject({ status: 404 });
    const answers = await Promise.all(Array.from({ length: 9 }, () => create(`?team=${team.id}`, admin)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201).length).toBe(5);
    expect(statuses.every((status) => [201, 403, 409, 503].includes(status))).toBe(true);
    const { body } = await stack.internalApi("GET", `/i/webhooks?team=${team.id}`);
    expect(body.webhooks).toHaveLength(5);
    expect(JSON.stringify(body)).not.toContain("whsec_");
  });

  it("shows and does nothing for other teams, for members, or as one of the operator", async () => {
    const [team, other, target] = [await newTeam({}, stack), await newTeam({}, stack), await receiver()];
    const [webhook, member] = [await subscribe(team, target), await team.add("member")];
    await rename(team);
    await collect();
    await eventually(async () => expect((await logOf(webhook))[0]).toMatchObject({ status: "delivered" }));
    const [{ id }] = await logOf(webhook);
    const calls: [Parameters<typeof stack.internalApi>[0], string, object?][] = [
      ["GET", ""],
      ["PATCH", "", { url: "https://evil.example/" }],
      ["DELETE", ""],
      ["POST", "/secret"],
      ["GET", "/deliveries"],
      ["POST", `/deliveries/${id}`],
    ];
    const owners: [number, string, { id: string }?][] = [
      [404, `?team=${other.id}`],
      [404, `?team=${other.id}`, other.owner],
      [404, ""],
      [403, `?team=${team.id}`, member],
      [403, `?team=${team.id}`, other.owner],
    ];
    for (const [method, more, json] of calls)
      for (const [status, query, user] of owners) {
        const answer = await stack.internalApi(method, `/i/webhooks/${webhook.id}${more}${query}`, {
          ...(json && { json }),
          ...(user && { headers: { "z-user": user.id } }),
        });
        expect([method, more, query, answer.status]).toEqual([method, more, query, status]);
        expect(JSON.stringify(answer.body)).not.toMatch(/whsec_|127\.0\.0\.1/);
      }
    expect(await show(webhook)).toMatchObject({ url: target.url, status: "active" });
    expect(target.received).toHaveLength(1);
  });
});

describe("a webhook of the operator", () => {
  it("is told what happens in any team, in order", async () => {
    const [one, other, target] = [await newTeam({}, stack), await newTeam({}, stack), await receiver()];
    const webhook = await subscribe(undefined, target, ["team.changed"]);
    for (const team of [one, other, one]) await rename(team);
    await collect();
    const ours = () =>
      target.received
        .map(({ body }) => JSON.parse(body).data.team)
        .filter((team) => [one.id, other.id].includes(team));
    await eventually(() => expect(ours()).toEqual([one.id, other.id, one.id]));
    await stack.internalApi("DELETE", webhook.path);
  });
});

describe("a receiver that answers late", () => {
  it("gets its events in turn with others", async () => {
    const team = await newTeam({}, stack);
    const receivers = await Promise.all(Array.from({ length: 3 }, () => receiver()));
    for (const each of receivers) {
      each.answer((response) => setTimeout(() => response.writeHead(204).end(), 1050));
      await subscribe(team, each);
    }
    for (let number = 0; number < 3; number++) await rename(team);
    await collect();
    await eventually(() => expect(receivers.map((each) => each.ids().length)).toEqual([3, 3, 3]));
  });
});

describe("a receiver that answers late each time", () => {
  it("gets all events, however many messages they take one after another", async () => {
    const [team, target] = [await newTeam({}, stack), await receiver()];
    let late = 0;
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + late);
    onTestFinished(() => clock.mockRestore());
    target.answer((response) => {
      late += 1500;
      response.writeHead(204).end();
    });
    await subscribe(team, target);
    for (let number = 0; number < 20; number++) await rename(team);
    await collect();
    await eventually(() => expect(target.ids()).toHaveLength(20));
  });
});

describe("a hostile receiver", () => {
  beforeAll(() => start({}, { timeoutMilliseconds: 3000 }));

  it.each([
    ["never answers", () => undefined],
    ["never ends its headers", (response) => response.socket?.write("HTTP/1.1 200 OK\r\nx: y\r\n")],
    [
      "sends headers without end",
      (response) => {
        const { socket } = response;
        socket?.on("error", () => undefined);
        socket?.write("HTTP/1.1 200 OK\r\n");
        const timer = setInterval(() => socket?.write(`x: ${"y".repeat(60_000)}\r\n`), 5);
        socket?.on("close", () => clearInterval(timer));
      },
    ],
    ["redirects", (response) => response.writeHead(307, { location: "http://127.0.0.1/" }).end()],
    ["closes the connection", (response) => response.socket?.destroy()],
    [
      "switches to another protocol",
      ({ socket }) =>
        socket?.write("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"),
    ],
    [
      "announces its answer without end",
      ({ socket }) => {
        socket?.on("error", () => undefined);
        const timer = setInterval(() => socket?.write("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(100)), 5);
        socket?.on("close", () => clearInterval(timer));
      },
    ],
  ] satisfies [string, Parameters<Receiver["answer"]>[0]][])("that %s delays nobody else", async (_, how) => {
    const [team, hostile, good] = [await newTeam({}, stack), await receiver(), await receiver()];
    hostile.answer(how);
    const bad = await subscribe(team, hostile);
    await subscribe(team, good);
    for (let number = 0; number < 3; number++) await rename(team);
    await collect();
    await eventually(() => expect(new Set(good.ids()).size).toBe(3));
    await eventually(async () =>
      expect((await logOf(bad)).at(-1)).toMatchObject({ attempts: 1, status: "waiting" }),
    );
    expect(hostile.received).toHaveLength(1);
  });

  it("whose answer does not end counts as having answered", async () => {
    const [team, target] = [await newTeam({}, stack), await receiver()];
    const webhook = await subscribe(team, target);
    target.answer((response) => {
      response.on("error", () => undefined);
      response.writeHead(200);
      const timer = setInterval(() => response.write("x".repeat(100_000)), 1);
      response.on("close", () => clearInterval(timer));
    });
    await rename(team);
    await collect();
    await eventually(async () => expect((await logOf(webhook))[0]).toMatchObject({ status: "delivered" }));
  });

  it("can be tried with an event that has not happened, even while the webhook is off", async () => {
    const [team, target] = [await newTeam({}, stack), await receiver()];
    const webhook = await subscribe(team, target);
    await stack.internalApi("PATCH", webhook.path, { json: { status: "off" } });
    const tried = await stack.internalApi("POST", webhook.at("/test"));
    expect([tried.status, tried.body]).toEqual([200, { delivered: true, answer: 204 }]);
    const [{ headers, body } = { headers: {}, body: "" }] = target.received;
    const event = new Webhook(webhook.secret).verify(body, headers as Record<string, string>);
    expect(event).toMatchObject({ type: "test", data: { team: team.id } });
    target.answer((response) => response.writeHead(500).end());
    const failed = await stack.internalApi("POST", webhook.at("/test"));
    expect(failed.body).toEqual({ delivered: false, answer: 500, problem: "status 500" });
    expect(await logOf(webhook)).toEqual([]);
  });

  it("on loopback may have any certificate where the operator says so", async () => {
    const target = await receiver();
    const trying = async (trustsLoopback: boolean) => {
      const own = await stackWith({ webhooks: { allowsPrivateAddresses: true, trustsLoopback } });
      const team = await newTeam({}, own);
      const json = { url: target.url, kinds: ["team.*"] };
      const { body } = await own.internalApi("POST", `/i/webhooks?team=${team.id}`, { json });
      return (await own.internalApi("POST", `/i/webhooks/${body.id}/test?team=${team.id}`)).body;
    };
    expect(await trying(true)).toEqual({ delivered: true, answer: 204 });
    expect(await trying(false)).toEqual({ delivered: false, problem: "the certificate cannot be trusted" });
  });

  it("with a certificate of no known authority gets nothing", async () => {
    const strict = await ownStack({ webhooks: { allowsPrivateAddresses: true, settleSeconds: 1 } });
    const [team, target] = [await newTeam({}, strict), await receiver()];
    const json = { url: target.url, kinds: ["team.*"] };
    const { body } = await strict.internalApi("POST", `/i/webhooks?team=${team.id}`, { json });
    const { token } = team.owner;
    await strict.publicApi("PUT", `/teams/${team.id}`, { token, json: { name: "New name" } });
    strict.advance(2);
    await strict.invoke("webhook-collector", {});
    await eventually(async () => {
      const path = `/i/webhooks/${body.id}/deliveries?team=${team.id}`;
      const { deliveries } = (await strict.internalApi("GET", path)).body;
      expect(deliveries[0]).toMatchObject({ problem: "the certificate cannot be trusted" });
    });
    expect(target.received).toEqual([]);
  });

  it("at a private address is neither accepted nor called", async () => {
    const strict = await ownStack({ webhooks: { settleSeconds: 1 } });
    const team = await newTeam({}, strict);
    const create = (url: string) =>
      strict.internalApi("POST", `/i/webhooks?team=${team.id}`, { json: { url, kinds: ["team.*"] } });
    for (const url of [
      "https://127.0.0.1/",
      "https://10.0.0.1/",
      "https://169.254.169.254/latest",
      "https://[::1]/",
      "https://[::ffff:10.0.0.1]/",
      "https://localhost/",
      "https://0x7f.1/",
      "http://example.com/",
      "https://user:secret@example.com/",
    ])
      expect((await create(url)).status, url).toBe(400);
  });
});

describe("a webhook, over days", () => {
  // The clock is far ahead of that of other stacks, and makes no attempt due by itself.
  beforeAll(() => start({ isClockStopped: true }));

  it("gets the same event with the same id, and no later one, until it accepts it", async () => {
    const [team, target] = [await newTeam({}, stack), await receiver()];
    const webhook = await subscribe(team, target);
    target.answer((response) => response.writeHead(500).end());
    for (let number = 0; number < 3; number++) await rename(team);
    await collect();
    await eventually(async () =>
      expect(await show(webhook)).toMatchObject({ waiting: 3, failing_since: expect.any(String) }),
    );
    await collect(40);
    await eventually(async () => expect((await logOf(webhook)).at(-1).attempts).toBeGreaterThan(1));
    expect(new Set(target.ids()).size).toBe(1);
    target.answer((response) => response.writeHead(200).end());
    await collect(3600);
    await eventually(async () => expect(await show(webhook)).toMatchObject({ waiting: 0 }));
    const order = [...new Set(target.ids())];
    expect(order).toHaveLength(3);
    const log = await logOf(webhook);
    expect(log.map(({ message }: { message: string }) => message).reverse()).toEqual(order);
    expect(log[0]).toMatchObject({ status: "delivered", attempts: 1, answer: 200 });
    expect(log[2].attempts).toBeGreaterThan(2);
  });

  it("gives up an event after a day, and can send it again by command", async () => {
    const [team, target] = [await newTeam({}, stack), await receiver()];
    const webhook = await subscribe(team, target);
    target.answer((response) => response.writeHead(503).end());
    await rename(team);
    await collect();
    await eventually(async () =>
      expect((await logOf(webhook))[0]).toMatchObject({ status: "waiting", attempts: 1 }),
    );
    const [{ id, message }] = await logOf(webhook);
    const path = webhook.at(`/deliveries/${id}`);
    expect(await stack.internalApi("POST", path)).toMatchObject({ status: 409 });
    await collect(25 * 3600);
    await eventually(async () =>
      expect((await logOf(webhook))[0]).toMatchObject({ status: "given-up", attempts: 2 }),
    );
    target.answer((response) => response.writeHead(200).end());
    expect((await stack.internalApi("POST", path)).body).toEqual({ delivered: true, answer: 200 });
    expect(target.ids().at(-1)).toBe(message);
    expect((await logOf(webhook))[0]).toMatchObject({ status: "delivered", attempts: 3 });
  });

  it("stays on if an event fails once, long after the one before was given up", async () => {
    const [team, target] = [await newTeam({}, stack), await receiver()];
    const webhook = await subscribe(team, target);
    target.answer((response) => response.writeHead(503).end());
    await rename(team);
    await collect();
    await eventually(async () => expect((await logOf(webhook))[0]).toMatchObject({ attempts: 1 }));
    await collect(25 * 3600);
    await eventually(async () => expect((await logOf(webhook))[0]).toMatchObject({ status: "given-up" }));
    stack.advance(8 * 86_400);
    await rename(team);
    await collect();
    await eventually(async () => expect((await logOf(webhook))[0]).toMatchObject({ attempts: 1 }));
    expect(await show(webhook)).toMatchObject({ status: "active", waiting: 1 });
    target.answer((response) => response.writeHead(200).end());
    await collect(3700);
    await eventually(async () => expect((await logOf(webhook))[0]).toMatchObject({ status: "delivered" }));
  });

  it("gets events that were committed late after the others, once, with an entry in the log like all others", async () => {
    const [team, target] = [await newTeam({}, stack), await receiver()];
    const webhook = await subscribe(team, target);
    const [chain, time, id] = [`team-${team.id}`, new Date(stack.clock() + 500).toISOString(), randomUUID()];
    stack.advance(1);
    await rename(team);
    await collect(60);
    await eventually(() => expect(target.received).toHaveLength(1));
    const part = partOf(time.slice(0, 13), chain);
    const record = { time, event: "team.changed", operation: "update-team", actor: { kind: "user" } };
    const item = { part, entry: `${chain}#${time}#${id}`, ...record, target: { tid: team.id } };
    await batchPut(createDynamo(), { tableName: stack.tableName("audit"), items: [item] });
    await collect(3600);
    await eventually(() => expect(target.received).toHaveLength(2));
    await collect(3600);
    expect(target.ids()[1]).toBe(`msg_${id}`);
    expect(target.received).toHaveLength(2);
    const [late] = await logOf(webhook);
    expect(late).toMatchObject({ message: `msg_${id}`, status: "delivered" });
    const again = await stack.internalApi("POST", webhook.at(`/deliveries/${late.id}`));
    expect(again.body).toEqual({ delivered: true, answer: 204 });
    expect(target.ids()).toHaveLength(3);
  });

  it("has a log of one month, even if older entries are not purged yet", async () => {
    const [team, target] = [await newTeam({}, stack), await receiver()];
    const webhook = await subscribe(team, target);
    await rename(team);
    await collect();
    await eventually(async () => expect((await logOf(webhook))[0]).toMatchObject({ status: "delivered" }));
    const [{ id }] = await logOf(webhook);
    // Once switched on again, it continues from now, and does not read the hours in between.
    await stack.internalApi("PATCH", webhook.path, { json: { status: "off" } });
    stack.advance(29 * 86_400);
    await stack.internalApi("PATCH", webhook.path, { json: { status: "active" } });
    await rename(team);
    await collect();
    await eventually(async () =>
      expect(await logOf(webhook)).toMatchObject([{ status: "delivered" }, { id, status: "delivered" }]),
    );
    stack.advance(2 * 86_400);
    expect(await logOf(webhook)).toHaveLength(1);
    expect(outcome(await stack.internalApi("POST", webhook.at(`/deliveries/${id}`)))).toBe("404 not-found");
  });

  it("is switched off after a week of failures, with a mail to the owners, and starts anew", async () => {
    const [team, target] = [await newTeam({}, stack), await receiver()];
    const webhook = await subscribe(team, target);
    target.answer((response) => response.writeHead(302, { location: target.url }).end());
    await rename(team);
    await collect();
    await eventually(async () =>
      expect(await show(webhook)).toMatchObject({ failing_since: expect.any(String) }),
    );
    await collect(6 * 86_400);
    await eventually(async () => expect((await logOf(webhook))[0]).toMatchObject({ attempts: 2 }));
    await rename(team);
    await collect(86_500);
    await eventually(async () => expect((await logOf(webhook))[0]).toMatchObject({ attempts: 1 }));
    await collect(3700);
    await eventually(async () =>
      expect(await show(webhook)).toMatchObject({ status: "off", off_reason: "failing", waiting: 0 }),
    );
    const mail = await nextMessage(team.owner.email, { purpose: "WebhookOff" });
    expect(mail).toMatchObject({ subject: expect.stringMatching("was switched off") });
    expect(mail.text).toContain(new URL(target.url).host);
    expect(mail.text).not.toContain("/hook");
    await rename(team);
    await collect();
    target.answer((response) => response.writeHead(200).end());
    const before = target.received.length;
    const { body } = await stack.internalApi("PATCH", webhook.path, { json: { status: "active" } });
    expect(body).toMatchObject({ status: "active", waiting: 0 });
    expect(body).not.toHaveProperty("failing_since");
    await rename(team);
    await collect();
    await eventually(() => expect(target.received).toHaveLength(before + 1));
  });
});

describe("the secret of a webhook", () => {
  it("is in no log and no table", async () => {
    const lines: string[] = [];
    const write = (text: string | Uint8Array) => lines.push(String(text)) > 0;
    const spies = [process.stdout, process.stderr].map((stream) =>
      vi.spyOn(stream, "write").mockImplementation(write),
    );
    onTestFinished(() => {
      for (const spy of spies) spy.mockRestore();
    });
    await start({ logLevel: "DEBUG" });
    const [team, target] = [await newTeam({}, stack), await receiver()];
    const webhook = await subscribe(team, target);
    const { body } = await stack.internalApi("POST", webhook.at("/secret"));
    await rename(team);
    await collect();
    await eventually(() => expect(target.received).toHaveLength(1));
    const logged = lines.join("");
    const webhooks = new Table({ dynamo: createDynamo(), config: stackConfig(stack.prefix) }, "webhooks");
    const items = JSON.stringify((await webhooks.scanPage({})).items);
    expect(logged).toContain("i-rotate-webhook-secret");
    expect(items).toContain(webhook.id);
    for (const secret of [webhook.secret, String(body.secret)]) {
      const [, key = ""] = secret.split("_");
      expect(logged).not.toContain(key);
      expect(items).not.toContain(key);
    }
  });
});
