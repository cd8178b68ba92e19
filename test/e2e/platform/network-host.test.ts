import { request } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { GetObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { fetchBytes, mixed } from "../../support/assets.ts";
import { nextMessage } from "../../support/messages.ts";
import { newDataFolder, startOwnRunner } from "../../support/own-runner.ts";
import type { Runner } from "../../support/runner.ts";
import { uploadBody } from "../../support/upload-body.ts";
import { registeredUser, type User } from "../../support/users.ts";

/** `npm start -- --host`, as a phone in the same network meets it. */

const host = Object.values(networkInterfaces())
  .flatMap((addresses = []) => addresses)
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

describe.skipIf(host === undefined)("--host", { meta: { needs: "an IPv4 address in a network" } }, () => {
  let runner: Runner;
  let ada: User;
  beforeAll(async () => {
    runner = await startOwnRunner(newDataFolder(), { host });
    ada = await registeredUser({}, runner);
  }, 120_000);

  const hostOf = (url: string) => URL.parse(url)?.hostname;
  const upload = async () => {
    const headers = { ...mixed, authorization: `Bearer ${ada.token}` };
    const sent = await fetch(`${runner.publicUrl}/v8/assets`, {
      method: "POST",
      headers,
      body: uploadBody({ content: "from a phone", options: { public: true } }),
    });
    return (await sent.json()) as { key: string; domain: string };
  };
  const addressOf = async ({ key, domain }: { key: string; domain: string }) => {
    const path = `/v8/assets/${domain}/${key}`;
    const { status, headers } = await runner.publicApi("GET", path, { token: ada.token });
    expect(status).toBe(302);
    return headers.get("location") ?? "";
  };

  it("serves the public API at the address, and the other two on this machine only", () => {
    expect(hostOf(runner.publicUrl)).toBe(host);
    expect(hostOf(runner.internalUrl)).toBe("127.0.0.1");
    expect(hostOf(runner.consoleUrl)).toBe("127.0.0.1");
  });

  it.for(["internalUrl", "consoleUrl"] as const)("opens no port for its %s", async (name) => {
    const socket = connect({ host, port: Number(new URL(runner[name]).port) });
    const failure = await new Promise((resolve) => {
      socket.on("connect", () => resolve("connected"));
      socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code));
    });
    socket.destroy();
    expect(failure).toBe("ECONNREFUSED");
  });

  it("sends mails whose links lead to the address", async () => {
    const { text } = await nextMessage(ada.email, { purpose: "Activation", consoleUrl: runner.consoleUrl });
    expect(text).toContain(`${runner.publicUrl}/`);
  });

  it("gives files back that were uploaded", async () => {
    const address = await addressOf(await upload());
    expect(hostOf(address)).toBe(host);
    expect(String((await fetchBytes(address)).bytes)).toBe("from a phone");
  });

  it("opens sockets", async () => {
    const { token } = ada;
    const address = `${runner.publicUrl.replace("http", "ws")}/await?access_token=${token}`;
    const socket = new WebSocket(address);
    const pong = new Promise((resolve, reject) => {
      socket.on("open", () => socket.send("ping"));
      socket.on("message", (data) => String(data) === "pong" && resolve("pong"));
      socket.on("error", reject);
    });
    expect(await pong).toBe("pong");
    socket.terminate();
  });

  it("sets cookies that browsers keep without TLS", async () => {
    const json = { email: ada.email, password: ada.password };
    const { setCookie } = await runner.publicApi("POST", "/login", { json });
    expect(setCookie).toMatch(/^zuid=[^;]+; path=\/access; HttpOnly$/);
  });

  it("lets pages of the address call it, but not pages of other sites", async () => {
    const allowed = async (origin: string) => {
      const answer = await runner.publicApi("GET", "/api-version", { headers: { origin } });
      return answer.headers.get("access-control-allow-origin");
    };
    expect(await allowed(`http://${host}:3000`)).toBe(`http://${host}:3000`);
    for (const origin of ["http://192.0.2.99:3000", `http://${host}.example`, `https://${host}.nip.io`])
      expect(await allowed(origin), origin).toBeNull();
  });

  it("gives files to nobody without a signature of this start", async () => {
    const { origin, pathname } = new URL(await addressOf(await upload()));
    const [, bucket = "", ...name] = pathname.split("/");
    const s3 = new S3Client({
      endpoint: origin,
      region: "eu-central-1",
      credentials: { accessKeyId: "local", secretAccessKey: "local" },
    });
    const get = new GetObjectCommand({ Bucket: bucket, Key: name.join("/") });
    const guessed = await getSignedUrl(s3, get, { expiresIn: 300 });
    s3.destroy();
    const signed = { authorization: "AWS4-HMAC-SHA256 any" };
    const statusOf = async (...sent: Parameters<typeof fetchBytes>) => (await fetchBytes(...sent)).status;
    expect(await statusOf(guessed)).toBe(403);
    expect(await statusOf(`${origin}${pathname}`)).toBe(403);
    expect(await statusOf(`${origin}${pathname}`, { ...signed, origin: "http://evil.example" })).toBe(403);
    expect(await statusOf(`${origin}${pathname}`, { host: "evil.example" })).toBe(403);
    // A connection from this machine but from another address looks like one from another machine.
    expect(await statusFrom("127.0.0.1", `${origin}${pathname}`, signed)).toBe(403);
    expect(await statusFrom("127.0.0.1", `${origin}${pathname}`, { ...signed, host: "127.0.0.1" })).toBe(403);
  });
});

/** Status of a request whose connection comes from this address. */
const statusFrom = (localAddress: string, url: string, headers: Record<string, string>) =>
  new Promise<number | undefined>((resolve, reject) => {
    request(url, { localAddress, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on("error", reject)
      .end();
  });
