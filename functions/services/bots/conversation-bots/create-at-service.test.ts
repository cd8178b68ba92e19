import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { afterAll, describe, expect, it, vi } from "vitest";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { createLog } from "#shared/platform/log.ts";
import { parseRsaKey, rsaFingerprint } from "#shared/platform/outbound/rsa-key.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import type { Service } from "#shared/services/service.ts";
import { type BotServiceOptions, startBotService } from "../../../../test/support/bot-service.ts";
import { lastPrekey, newPrekey, newPrekeys } from "../../../../test/support/prekeys.ts";
import {
  newServiceCertificate,
  newServiceKey,
  sharedServiceKey,
} from "../../../../test/support/tls-service.ts";
import { createAtService } from "./create-at-service.ts";

const stops: (() => void)[] = [];
afterAll(() => {
  for (const stop of stops) stop();
});

function toService(baseUrl: string, ...publicKeys: string[]): Service {
  const keys = publicKeys.map((pem) => {
    const key = parseRsaKey(pem);
    return { pem, bits: 2048, fingerprint: (key && rsaFingerprint(key)) ?? "" };
  });
  return {
    providerId: randomUUID(),
    serviceId: randomUUID(),
    revision: 1,
    name: "Quiz",
    summary: "Asks",
    description: "Asks",
    assets: [],
    tags: ["quiz"],
    isEnabled: true,
    baseUrl,
    keys,
    authTokens: ["first", "second"],
  };
}

async function start(options?: BotServiceOptions) {
  const server = await startBotService(options);
  stops.push(server.stop);
  return { server, service: toService(server.baseUrl, server.publicKey) };
}

/** Start a service that answers with these bytes, whatever the request. */
async function startRaw(answer: string, { ends = false } = {}): Promise<Service> {
  const key = sharedServiceKey();
  const server = createTlsServer(
    { key: key.privateKey, cert: await newServiceCertificate(key) },
    (socket) =>
      void socket
        .once("data", () => (ends ? socket.end(answer) : socket.write(answer)))
        .on("error", () => undefined),
  ).listen(0, "127.0.0.1");
  stops.push(() => server.close());
  await once(server, "listening");
  return toService(`https://127.0.0.1:${(server.address() as AddressInfo).port}`, key.publicKey);
}

const origin = { userId: randomUUID(), name: "Ada", accentId: 1, handle: "ada", teamId: randomUUID() };
const wanted = {
  botId: randomUUID(),
  clientId: "a1",
  token: "token",
  locale: "en",
  origin,
  conversation: { conversationId: randomUUID() },
  members: [],
} as unknown as Parameters<typeof createAtService>[2];

interface Conditions {
  readonly timeoutMilliseconds?: number;
  readonly allowsPrivateAddresses?: boolean;
}

function create(
  service: Service,
  { timeoutMilliseconds = 4000, allowsPrivateAddresses = true }: Conditions = {},
) {
  const settings = parseSettings({ services: { timeoutMilliseconds, allowsPrivateAddresses } });
  const log = createLog("test", "SILENT");
  const warn = vi.spyOn(log, "warn");
  return { created: createAtService({ log, settings }, service, wanted), warn };
}

/** `ok`, or the status and label of the refusal. */
const outcomeOf = (service: Service, conditions?: Conditions) =>
  create(service, conditions).created.then(
    () => "ok",
    (error) => (error instanceof ApiError ? `${error.status} ${error.label}` : error),
  );
const failed = "502 bad-gateway";

const good = { prekeys: newPrekeys(2), last_prekey: lastPrekey() };
const twice = newPrekey(1);

describe("a service that is asked to create a bot", () => {
  it("is told who adds the bot, and gets its first token", async () => {
    const { server, service } = await start();
    await create(service).created;
    expect(server.calls[0]).toMatchObject({
      authorization: "Bearer first",
      body: { origin: { handle: "ada", team: origin.teamId } },
    });
  });

  it("may prove any of its keys", async () => {
    const { server } = await start();
    const other = newServiceKey().publicKey;
    expect(await outcomeOf(toService(server.baseUrl, other, server.publicKey))).toBe("ok");
    expect(await outcomeOf(toService(server.baseUrl, server.publicKey, other))).toBe("ok");
    expect(await outcomeOf(toService(server.baseUrl, other))).toBe(failed);
    expect(server.calls).toHaveLength(2);
    expect(server.connections).toBe(3);
  });

  it("may have a path in its address", async () => {
    const { server, service } = await start();
    server.answer("/quiz/v2/bots", { status: 201, body: good });
    expect(await outcomeOf({ ...service, baseUrl: `${service.baseUrl}/quiz/v2/` })).toBe("ok");
  });

  it.each<[string, unknown]>([
    ["no JSON", "prekeys"],
    ["nothing", undefined],
    ["a list", []],
    ["no prekeys", { last_prekey: good.last_prekey }],
    ["no last prekey", { prekeys: good.prekeys }],
    ["another last prekey", { ...good, last_prekey: newPrekey(7) }],
    ["a key under another id", { ...good, prekeys: [{ ...twice, id: 2 }] }],
    ["a key twice", { ...good, prekeys: [twice, twice] }],
    ["the last prekey as an ordinary one", { ...good, prekeys: [good.last_prekey] }],
    ["a malformed key", { ...good, prekeys: [{ id: 1, key: "AAAA" }] }],
    ["a name that is too long", { ...good, name: "x".repeat(129) }],
    ["an empty name", { ...good, name: "" }],
    ["half a character as its name", { ...good, name: "\ud83e" }],
    ["a colour that is none", { ...good, accent_id: "red" }],
    ["pictures without keys", { ...good, assets: [{ type: "image" }] }],
  ])("fails when it answers with %s", async (_case, body) => {
    const { server, service } = await start();
    server.answer("/bots", { status: 201, body });
    expect(await outcomeOf(service)).toBe(failed);
    expect(server.calls).toHaveLength(1);
  });

  it("may omit the name and pictures of its bot, and add unknown fields", async () => {
    const { server, service } = await start();
    server.answer("/bots", { status: 201, body: { ...good, name: null, assets: null, extra: 1 } });
    expect(await create(service).created).toMatchObject(good);
  });

  it.each([200, 204, 400, 403, 404, 500, 503])("fails with status %i, without a retry", async (status) => {
    const { server, service } = await start();
    server.answer("/bots", { status, body: good });
    expect(await outcomeOf(service)).toBe(failed);
    expect(server.calls).toHaveLength(1);
  });

  it("declines more bots with status 409", async () => {
    const { server, service } = await start();
    server.answer("/bots", { status: 409, body: good });
    expect(await outcomeOf(service)).toBe("409 too-many-bots");
  });

  it.each([301, 302, 307, 308])("cannot redirect the call elsewhere (%i)", async (status) => {
    const [{ server, service }, elsewhere] = await Promise.all([start(), start()]);
    server.answer("/bots", { status, headers: { location: `${elsewhere.service.baseUrl}/bots` } });
    expect(await outcomeOf(service)).toBe(failed);
    expect(elsewhere.server.connections).toBe(0);
  });

  it("is asked up to three times when it does not answer in time, and then fails", async () => {
    const { server, service } = await start();
    server.answer("/bots", undefined, undefined, { status: 201, body: good });
    // Long enough to take each call before it is given up.
    const { server: silent, service: silentService } = await start();
    silent.answer("/bots", undefined);
    const outcomes = await Promise.all(
      [service, silentService].map((asked) => outcomeOf(asked, { timeoutMilliseconds: 2000 })),
    );
    expect(outcomes).toEqual(["ok", failed]);
    expect([server.calls.length, silent.calls.length]).toEqual([3, 3]);
  });

  it("fails when its answer is too large, or never ends", async () => {
    const { server, service } = await start();
    server.answer("/bots", { status: 201, body: { ...good, extra: "a".repeat(512 * 1024) } });
    expect(await outcomeOf(service)).toBe(failed);
    const endless = await startRaw("HTTP/1.1 201 Created\r\n\r\n{");
    expect(await outcomeOf(endless, { timeoutMilliseconds: 200 })).toBe(failed);
  });

  it("may send interim responses before its answer, but not endlessly", async () => {
    const announcement = "HTTP/1.1 103 Early Hints\r\nlink: </style.css>\r\n\r\n";
    const answer = `HTTP/1.1 201 Created\r\nconnection: close\r\n\r\n${JSON.stringify(good)}`;
    const [some, many] = await Promise.all(
      [2, 1000].map((count) => startRaw(announcement.repeat(count) + answer, { ends: true })),
    );
    expect(some && (await outcomeOf(some))).toBe("ok");
    expect(many && (await outcomeOf(many))).toBe(failed);
  });

  it.each(["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]"])(
    "is not called at the private address %s",
    async (host) => {
      const { server, service } = await start();
      const baseUrl = service.baseUrl.replace("127.0.0.1", host);
      const conditions = { allowsPrivateAddresses: false };
      expect(await outcomeOf({ ...service, baseUrl }, conditions)).toBe(failed);
      expect(server.connections).toBe(0);
    },
  );

  it("has the reason for a failure logged, but not shown to the caller", async () => {
    const { server, service } = await start();
    server.answer("/bots", { status: 500 });
    const { created, warn } = create(service);
    await expect(created).rejects.toMatchObject({ label: "bad-gateway" });
    const { providerId, serviceId } = service;
    expect(warn.mock.calls).toEqual([["bot-not-created", { providerId, serviceId, reason: "status 500" }]]);
  });
});
