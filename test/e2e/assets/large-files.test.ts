// Over HTTP, as clients send files: only there does a body arrive as a stream.
import { createHash } from "node:crypto";
import { APIClient } from "@wireapp/api-client";
import { AssetRetentionPolicy } from "@wireapp/api-client/lib/asset/AssetRetentionPolicy.js";
import { ClientType } from "@wireapp/api-client/lib/client/index.js";
import { beforeAll, describe, expect, it } from "vitest";
import { browserTest, hasBrowser, inBrowser } from "../../support/browser.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser, type User } from "../../support/users.ts";

/** The library takes only domains with a dot and letters after it. */
const domain = "parley.example";
/** What existing clients send: a photo or a short film, and the longest film of a team. */
const sizes = [20_000_000, 90_000_000] as const;

let stack: OwnStack;
let member: User;
let person: User;
beforeAll(async () => {
  stack = await stackWith({ domain });
  const team = await newTeam({}, stack);
  [member, person] = await Promise.all([team.add(), newUser({}, stack)]);
});

const contentOf = (bytes: number) => Buffer.alloc(bytes, "0123456789abcdefghi");
const hashOf = (content: Uint8Array) => createHash("sha256").update(content).digest("hex");

describe("the public client library", () => {
  it.each(sizes)("sends and receives a file of %i bytes", async (bytes) => {
    const client = new APIClient({
      urls: { name: "local", rest: stack.publicUrl, ws: stack.publicUrl.replace("http", "ws") },
    });
    await client.useVersion(6, 6);
    const { email, password } = member;
    await client.login({ email, password, clientType: ClientType.PERMANENT });
    const content = contentOf(bytes);
    const options = { public: false, retention: AssetRetentionPolicy.EXPIRING };
    const { key, token } = await client.api.asset.postAsset(content, options).response;
    const { buffer } = await client.api.asset.getAssetV4(key, domain, token).response;
    expect(hashOf(new Uint8Array(buffer))).toBe(hashOf(content));
  });
});

interface Outcome {
  readonly status: number;
  readonly label?: string;
  readonly key?: string;
  readonly isSame?: boolean;
}

describe.skipIf(!hasBrowser)("a page of another origin", inBrowser, () => {
  /** In the page: upload a file, and read it back. */
  async function exchange([url, token, bytes]: readonly [string, string, number]): Promise<Outcome> {
    const line = "\r\n";
    const part = (type: string, length: number) =>
      `--x${line}Content-Type: ${type}${line}Content-Length: ${length}${line}${line}`;
    const content = new Uint8Array(bytes).fill(1, bytes / 3, bytes / 2);
    const hash = async (data: BufferSource) =>
      new Uint8Array(await crypto.subtle.digest("SHA-256", data)).join();
    const body = new Blob([
      part("application/json", 2),
      `{}${line}`,
      part("application/octet-stream", bytes),
      content,
      `${line}--x--${line}`,
    ]);
    const headers = { authorization: `Bearer ${token}` };
    const sent = await fetch(`${url}/v8/assets`, {
      method: "POST",
      body,
      headers: { ...headers, "content-type": "multipart/mixed; boundary=x" },
    });
    const { key, label, domain } = await sent.json();
    if (sent.status !== 201) return { status: sent.status, label };
    const read = await fetch(`${url}/v8/assets/${domain}/${key}`, { headers });
    const isSame = (await hash(await read.arrayBuffer())) === (await hash(content));
    return { status: sent.status, key, isSame };
  }

  browserTest(
    "sends and receives large files, and reads why one is too large",
    async ({ newTab, newSite }) => {
      const { origin } = await newSite();
      const tab = await newTab({ javaScriptEnabled: true });
      await tab.goto(origin);
      const run = ({ token }: User, bytes: number) =>
        tab.evaluate(exchange, [stack.publicUrl, token, bytes] as const);
      for (const bytes of sizes)
        expect(await run(member, bytes)).toMatchObject({ status: 201, isSame: true });
      expect(await run(person, 26_214_433)).toEqual({ status: 413, label: "client-error" });
    },
  );
});

it("the sizes that existing servers take are the defaults, to the byte", async () => {
  const send = async ({ token }: User, bytes: number): Promise<number> => {
    const part = (type: string, length: number) =>
      `--x\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`;
    const body = Buffer.concat([
      Buffer.from(`${part("application/json", 2)}{}\r\n${part("application/octet-stream", bytes)}`),
      Buffer.alloc(bytes),
      Buffer.from("\r\n--x--\r\n"),
    ]);
    const headers = { authorization: `Bearer ${token}`, "content-type": "multipart/mixed; boundary=x" };
    const { status } = await fetch(`${stack.publicUrl}/v8/assets`, { method: "POST", headers, body });
    return status;
  };
  expect(await send(person, 26_214_432)).toBe(201);
  expect(await send(person, 26_214_433)).toBe(413);
  expect(await send(member, 104_857_632)).toBe(201);
  expect(await send(member, 104_857_633)).toBe(413);
});
