import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer as createPlainServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, describe, expect, it, vi } from "vitest";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { createLog, type Log } from "#shared/platform/log.ts";
import type { Resolve } from "#shared/platform/outbound/public-addresses.ts";
import { parseRsaKey, rsaFingerprint } from "#shared/platform/outbound/rsa-key.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import {
  type LegalHoldServiceOptions,
  startLegalHoldService,
} from "../../../test/support/legal-hold-service.ts";
import { lastPrekey, newPrekey, newPrekeys } from "../../../test/support/prekeys.ts";
import {
  newAuthority,
  newServiceCertificate,
  newServiceKey,
  sharedServiceKey,
} from "../../../test/support/tls-service.ts";
import type { LegalHoldService } from "./legal-hold-service.ts";
import { LegalHoldClient } from "./service-client.ts";

const stops: (() => void)[] = [];
afterAll(() => {
  for (const stop of stops) stop();
});

function newClient({
  timeoutMilliseconds = 4000,
  allowsPrivateAddresses = true,
  resolve,
  log = createLog("test", "SILENT"),
}: {
  timeoutMilliseconds?: number;
  allowsPrivateAddresses?: boolean;
  resolve?: Resolve;
  log?: Log;
} = {}) {
  const settings = parseSettings({ legalHoldService: { timeoutMilliseconds, allowsPrivateAddresses } });
  return new LegalHoldClient({ settings, log, resolve });
}

async function start(options?: LegalHoldServiceOptions) {
  const server = await startLegalHoldService(options);
  stops.push(server.stop);
  return { server, service: toService(server) };
}

function toService(
  { baseUrl, publicKey, authToken }: Pick<LegalHoldService, "baseUrl" | "publicKey" | "authToken">,
  path = "",
): LegalHoldService {
  const key = parseRsaKey(publicKey);
  const fingerprint = (key && rsaFingerprint(key)) ?? "";
  return { teamId: randomUUID(), baseUrl: baseUrl + path, publicKey, fingerprint, authToken };
}

const member = () => ({ teamId: randomUUID(), userId: randomUUID() });
const labelOf = (calling: Promise<unknown>) =>
  calling.then(
    () => "ok",
    (error) => (error instanceof ApiError ? error.label : error),
  );

describe("a legal hold service that answers", () => {
  it("is asked for its status without the token", async () => {
    const { server, service } = await start();
    await newClient().checkStatus(service);
    expect(server.calls).toStrictEqual([{ method: "GET", path: "/status", authorization: undefined }]);
  });

  it("is called in the newest version that both sides know, with qualified users", async () => {
    const { server, service } = await start({ supported: [0, 1, 2] });
    const { teamId, userId } = member();
    const made = await newClient().initiate(service, { teamId, userId });
    expect(made).toStrictEqual({
      prekeys: server.devices[0]?.prekeys,
      lastPrekey: server.devices[0]?.last_prekey,
    });
    const authorization = `Bearer ${service.authToken}`;
    const domain = parseSettings({}).domain;
    expect(server.calls).toStrictEqual([
      { method: "GET", path: "/api-version", authorization },
      {
        method: "POST",
        path: "/v1/initiate",
        authorization,
        body: { qualified_user_id: { id: userId, domain }, team_id: teamId },
      },
    ]);
  });

  it.each([
    ["no version", { status: 404 }],
    ["nothing readable", { body: "<html>" }],
    ["versions of another kind", { body: { supported: "1" } }],
    ["the first version only", { body: { supported: [0] } }],
  ])("is called in the first version when it names %s", async (_case, answer) => {
    const { server, service } = await start();
    server.answer("/api-version", answer);
    const { teamId, userId } = member();
    const client = newClient();
    await client.confirm(service, { teamId, userId, clientId: "a1", refreshToken: "secret" });
    await client.remove(service, { teamId, userId });
    expect(server.callsOf("/confirm")).toMatchObject([
      {
        path: "/confirm",
        body: { user_id: userId, team_id: teamId, client_id: "a1", refresh_token: "secret" },
      },
    ]);
    expect(server.callsOf("/remove")).toMatchObject([
      { path: "/remove", body: { user_id: userId, team_id: teamId } },
    ]);
  });

  it("cannot be called without a version that both sides know", async () => {
    const { server, service } = await start({ supported: [2, 7] });
    expect(await labelOf(newClient().initiate(service, member()))).toBe("server-error");
    expect(server.callsOf("/initiate")).toStrictEqual([]);
  });

  it.each(["/hold/v2", "/hold/v2/", "/hold/v2//"])("keeps the path %s of its address", async (path) => {
    const { server, service } = await start();
    await newClient().checkStatus({ ...service, baseUrl: service.baseUrl + path });
    expect(server.calls).toMatchObject([{ path: "/hold/v2/status" }]);
  });
});

describe("a legal hold service that fails", () => {
  it("is called up to three times in all", async () => {
    const { server, service } = await start();
    server.answer("/status", { status: 503 }, { status: 500 }, { status: 204 });
    await newClient().checkStatus(service);
    expect(server.calls).toHaveLength(3);
    server.answer("/status", { status: 503 });
    expect(await labelOf(newClient().checkStatus(service))).toBe("legalhold-unavailable");
    expect(server.calls).toHaveLength(6);
  });

  it("is not called again when it refuses", async () => {
    const { server, service } = await start();
    server.answer("/status", { status: 403 });
    expect(await labelOf(newClient().checkStatus(service))).toBe("legalhold-unavailable");
    expect(server.calls).toHaveLength(1);
  });

  it("has the reason for each failure logged, but not shown to the caller", async () => {
    const { server, service } = await start();
    const log = createLog("test", "SILENT");
    const warn = vi.spyOn(log, "warn");
    server.answer("/status", { status: 503 }, { status: 403 });
    expect(await labelOf(newClient({ log }).checkStatus(service))).toBe("legalhold-unavailable");
    const line = { teamId: service.teamId, path: "/status" };
    expect(warn.mock.calls).toEqual(
      ["status 503", "status 403"].map((reason) => ["legal-hold-service-failed", { ...line, reason }]),
    );
  });

  it("is unavailable when nothing listens at its address", async () => {
    const { server, service } = await start();
    server.stop();
    expect(await labelOf(newClient().checkStatus(service))).toBe("legalhold-unavailable");
  });

  it("is unavailable when it does not answer in time", async () => {
    const { server, service } = await start();
    server.answer("/status", undefined);
    // Long enough to take each call before it is given up.
    const client = newClient({ timeoutMilliseconds: 2000 });
    expect(await labelOf(client.checkStatus(service))).toBe("legalhold-unavailable");
    expect(server.calls).toHaveLength(3);
  });

  it("is unavailable when it accepts connections and says nothing", async () => {
    const mute = createServer(() => undefined).listen(0, "127.0.0.1");
    stops.push(() => mute.close());
    await new Promise((resolve) => mute.on("listening", resolve));
    const { service } = await start();
    const client = newClient({ timeoutMilliseconds: 200 });
    const baseUrl = `https://127.0.0.1:${(mute.address() as AddressInfo).port}`;
    expect(await labelOf(client.checkStatus({ ...service, baseUrl }))).toBe("legalhold-unavailable");
  });

  it("is unavailable when its answer has neither a length nor an end", async () => {
    const key = sharedServiceKey();
    const server = createTlsServer(
      { key: key.privateKey, cert: await newServiceCertificate(key) },
      (socket) =>
        void socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\n\r\n")).on("error", () => undefined),
    ).listen(0, "127.0.0.1");
    stops.push(() => server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const service = toService({ ...key, baseUrl: `https://127.0.0.1:${port}`, authToken: "token" });
    const client = newClient({ timeoutMilliseconds: 200 });
    expect(await labelOf(client.checkStatus(service))).toBe("legalhold-unavailable");
  });

  it("is unavailable when its name is never resolved", async () => {
    const { service } = await start();
    const client = newClient({ timeoutMilliseconds: 100, resolve: () => new Promise(() => undefined) });
    const baseUrl = "https://hold.example.com";
    expect(await labelOf(client.checkStatus({ ...service, baseUrl }))).toBe("legalhold-unavailable");
  });

  it.each([301, 302, 307, 308])("cannot redirect the call elsewhere (%i)", async (status) => {
    const [{ server, service }, elsewhere] = await Promise.all([start(), start()]);
    server.answer("/status", { status, headers: { location: `${elsewhere.service.baseUrl}/status` } });
    expect(await labelOf(newClient().checkStatus(service))).toBe("legalhold-unavailable");
    expect(elsewhere.server.connections).toBe(0);
  });

  it("is unavailable when its answer has no end", async () => {
    const { server, service } = await start();
    server.answer("/initiate", { body: `"${"a".repeat(64 * 1024)}"` });
    expect(await labelOf(newClient().initiate(service, member()))).toBe("legalhold-unavailable");
  });

  it("cannot create a device with malformed keys", async () => {
    const { server, service } = await start();
    const good = { prekeys: newPrekeys(2), last_prekey: lastPrekey() };
    const twice = newPrekey(1);
    const bad: [string, unknown][] = [
      ["no JSON", "prekeys"],
      ["nothing", undefined],
      ["a list", []],
      ["no last prekey", { prekeys: good.prekeys }],
      ["another last prekey", { ...good, last_prekey: newPrekey(7) }],
      ["a key under another id", { ...good, prekeys: [{ ...twice, id: 2 }] }],
      ["a key twice", { ...good, prekeys: [twice, twice] }],
      ["the last prekey as an ordinary one", { ...good, prekeys: [good.last_prekey] }],
      ["a malformed key", { ...good, prekeys: [{ id: 1, key: "AAAA" }] }],
    ];
    for (const [name, body] of bad) {
      server.answer("/initiate", { body });
      expect([name, await labelOf(newClient().initiate(service, member()))]).toStrictEqual([
        name,
        "legalhold-status-bad",
      ]);
    }
    server.answer("/initiate", { body: { ...good, extra: 1 } });
    expect(await newClient().initiate(service, member())).toStrictEqual({
      prekeys: good.prekeys,
      lastPrekey: good.last_prekey,
    });
  });
});

describe("a service that may not be the one that the team has named", () => {
  const unavailable = async (service: LegalHoldService) =>
    expect(await labelOf(newClient().checkStatus(service))).toBe("legalhold-unavailable");

  it("gets no request with another key in its certificate", async () => {
    const { server, service } = await start({ key: newServiceKey() });
    await unavailable({ ...service, fingerprint: toService((await start()).server).fingerprint });
    expect(server.calls).toStrictEqual([]);
    expect(server.connections).toBe(1);
  });

  it.each([
    ["no longer", { validFrom: new Date("2020-01-01"), validUntil: new Date("2021-01-01") }],
    ["not yet", { validFrom: new Date("2200-01-01"), validUntil: new Date("2201-01-01") }],
  ])("gets no request when its certificate is %s valid", async (_case, dates) => {
    const { server, service } = await start(dates);
    await unavailable(service);
    expect(server.calls).toStrictEqual([]);
  });

  it("gets no request when an unknown authority has signed its certificate", async () => {
    const issuer = await newAuthority();
    const { server, service } = await start({ issuer });
    await unavailable(service);
    expect(server.calls).toStrictEqual([]);
  });

  it("gets requests when a trusted authority has signed its certificate, for its name", async () => {
    const issuer = await newAuthority();
    const known = getCACertificates();
    setDefaultCACertificates([issuer.cert]);
    try {
      const { server, service } = await start({ issuer });
      await newClient().checkStatus(service);
      expect(server.calls).toHaveLength(1);
      const resolve: Resolve = async () => [{ address: "127.0.0.1", family: 4 }];
      const baseUrl = service.baseUrl.replace("127.0.0.1", "hold.example.com");
      const client = newClient({ resolve });
      expect(await labelOf(client.checkStatus({ ...service, baseUrl }))).toBe("legalhold-unavailable");
      expect(server.calls).toHaveLength(1);
    } finally {
      setDefaultCACertificates(known);
    }
  });

  it("gets no request over an old version of TLS", async () => {
    const { server, service } = await start({
      tls: { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" },
    });
    await unavailable(service);
    expect(server.calls).toStrictEqual([]);
  });

  it("is also reached with TLS 1.2", async () => {
    const { service } = await start({ tls: { maxVersion: "TLSv1.2" } });
    await newClient().checkStatus(service);
  });

  it("gets no request without TLS", async () => {
    const requests: unknown[] = [];
    const plain = createPlainServer((request) => requests.push(request.url)).listen(0, "127.0.0.1");
    stops.push(() => plain.close());
    await new Promise((resolve) => plain.on("listening", resolve));
    const { service } = await start();
    await unavailable({ ...service, baseUrl: `https://127.0.0.1:${(plain.address() as AddressInfo).port}` });
    expect(requests).toStrictEqual([]);
  });
});

describe("a service that may not be on the Internet", () => {
  it.each(["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0x7f.1", "2130706433"])(
    "is not called at %s",
    async (host) => {
      const { server, service } = await start();
      const baseUrl = service.baseUrl.replace("127.0.0.1", host);
      const client = newClient({ allowsPrivateAddresses: false });
      expect(await labelOf(client.checkStatus({ ...service, baseUrl }))).toBe("legalhold-unavailable");
      expect(server.connections).toBe(0);
    },
  );

  it("is not called when any address of its host name is private", async () => {
    const { server, service } = await start();
    const resolve: Resolve = async () => [
      { address: "8.8.8.8", family: 4 },
      { address: "127.0.0.1", family: 4 },
    ];
    const client = newClient({ allowsPrivateAddresses: false, resolve });
    const baseUrl = service.baseUrl.replace("127.0.0.1", "hold.example.com");
    expect(await labelOf(client.checkStatus({ ...service, baseUrl }))).toBe("legalhold-unavailable");
    expect(server.connections).toBe(0);
  });

  it("is not called at another address that its host name gets after the check", async () => {
    const { server, service } = await start();
    const names: string[] = [];
    const resolve: Resolve = async (name) => {
      names.push(name);
      // This address is reserved for documentation. The next look-up would find the service.
      return [{ address: names.length === 1 ? "203.0.113.1" : "127.0.0.1", family: 4 }];
    };
    const client = newClient({ timeoutMilliseconds: 150, resolve });
    const baseUrl = service.baseUrl.replace("127.0.0.1", "hold.example.com");
    expect(await labelOf(client.remove({ ...service, baseUrl }, member()))).toBe("legalhold-unavailable");
    expect(names).toStrictEqual(["hold.example.com"]);
    expect(server.connections).toBe(0);
  });

  it("is called by name at the address that was checked", async () => {
    const { server, service } = await start();
    const resolve: Resolve = async () => [{ address: "127.0.0.1", family: 4 }];
    const baseUrl = service.baseUrl.replace("127.0.0.1", "hold.example.com");
    await newClient({ resolve }).checkStatus({ ...service, baseUrl });
    expect(server.calls).toHaveLength(1);
  });
});
