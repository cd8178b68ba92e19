import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CanaryAccount } from "#functions/platform/canary/canary-account.ts";
import { createHandler, type Deps } from "#functions/platform/canary/handler.ts";
import { canarySteps, runCanary } from "#functions/platform/canary/run-canary.ts";
import { type Call, createCanaryAccount } from "../../../scripts/canary/create-account.ts";
import { type Api, api, internalApi } from "../../support/api.ts";
import { withEffects } from "../../support/effects.ts";
import { eventually } from "../../support/eventually.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { newEmail } from "../../support/users.ts";

const called =
  (send: Api): Call =>
  (method, path, request) =>
    send(method, path, request);

const closing: (() => void)[] = [];
afterAll(() => {
  for (const close of closing) close();
});

/** A server in front of the stack that answers some requests itself. @returns its address, and the requests it saw */
async function inFront(answers: (...request: Parameters<RequestListener>) => boolean) {
  const seen: string[] = [];
  const server = createServer(async (request, response) => {
    seen.push(`${request.method} ${request.url?.replace(/\?.*|[^/]{30,}/g, "…")}`);
    if (answers(request, response)) return;
    const body = Buffer.concat(await request.toArray());
    const { host: _, connection: __, ...headers } = request.headers;
    const answer = await fetch(`${sharedStack().publicUrl}${request.url}`, {
      method: request.method,
      headers: headers as Record<string, string>,
      redirect: "manual",
      body: body.length > 0 ? body : undefined,
    });
    const {
      "content-encoding": ___,
      "transfer-encoding": ____,
      ...kept
    } = Object.fromEntries(answer.headers);
    response.writeHead(answer.status, { ...kept, "set-cookie": answer.headers.getSetCookie() });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

// A run gives up steps for which a busy machine may need longer: then it is repeated.
describe("the canary", () => {
  let account: CanaryAccount;
  beforeAll(async () => {
    account = await createCanaryAccount({
      publicApi: called(api),
      internalApi: called(internalApi),
      email: newEmail(),
      contactEmail: newEmail(),
    });
    await eventually(async () => {
      const { failure } = await run();
      if (failure !== undefined) throw failure.error;
    });
  });

  const run = (publicUrl = sharedStack().publicUrl) => {
    const socketUrl = sharedStack().publicUrl.replace(/^http/, "ws");
    return withEffects(() => runCanary({ publicUrl, socketUrl, account }));
  };
  const cookies = async () => {
    const { email, password } = account;
    const { body } = await api("POST", "/login", { json: { email, password } });
    return (await api("GET", "/cookies", { token: body.access_token })).body.cookies;
  };

  it("goes through all steps, even twice at the same time, and leaves no session", async () => {
    await eventually(async () => {
      const before = (await cookies()).length;
      const runs = await Promise.all([run(), run()]);
      expect(runs.map(({ failure }) => failure?.error)).toEqual([undefined, undefined]);
      for (const { milliseconds } of runs) expect(Object.keys(milliseconds)).toEqual([...canarySteps]);
      expect(await cookies()).toHaveLength(before + 1);
    });
  });

  it("names the step that fails, tries none after it, and logs out", async () => {
    const { url, seen } = await inFront((request, response) => {
      if (!(request.method === "POST" && request.url === "/v8/assets")) return false;
      response.writeHead(500, { "content-type": "application/json" }).end('{"label":"server-error"}');
      return true;
    });
    await eventually(async () => {
      const { milliseconds, failure } = await run(url);
      expect(failure).toMatchObject({
        step: "upload",
        error: { message: "POST /v8/assets was answered with 500 server-error" },
      });
      expect(Object.keys(milliseconds)).toEqual(["log-in", "access", "socket", "message"]);
    });
    expect(seen).toContain("POST /v8/access/logout");
    expect(seen.filter((request) => request.includes("search"))).toEqual([]);
  });

  it("removes its file when a later step fails", async () => {
    const { url, seen } = await inFront((request, response) => {
      if (!request.url?.startsWith("/v8/search")) return false;
      response.writeHead(200, { "content-type": "application/json" }).end('{"documents":[]}');
      return true;
    });
    await eventually(async () =>
      expect((await run(url)).failure).toMatchObject({
        step: "search",
        error: { message: "The search does not find the contact" },
      }),
    );
    expect(seen.slice(-2)).toEqual([
      expect.stringMatching(/^DELETE \/v8\/assets\//),
      "POST /v8/access/logout",
    ]);
  });

  it("gives up a step that is not answered", async () => {
    const { url } = await inFront((request) => request.url === "/v8/login");
    expect((await run(url)).failure).toMatchObject({ step: "log-in", error: { name: "TimeoutError" } });
  });

  it("fails without printing the password when nothing listens", async () => {
    const { failure } = await run("http://127.0.0.1:1");
    expect(failure?.step).toBe("log-in");
    expect(String(failure?.error)).not.toContain(account.password);
  });

  const reported = async (secret: string) => {
    const metrics: Record<string, unknown>[] = [];
    const log = { warn: () => {}, error: () => {}, metric: (fields: object) => metrics.push({ ...fields }) };
    const publicUrl = sharedStack().publicUrl;
    const handler = createHandler({
      config: { publicUrl, socketUrl: publicUrl.replace(/^http/, "ws") },
      log,
      secrets: { get: async (_: string, parse: (text: string) => unknown) => parse(secret) },
    } as unknown as Deps);
    await withEffects(() => handler());
    return metrics.map(({ _aws: _, ...fields }) => fields);
  };

  it("reports how long each step took, and that none failed", async () => {
    await eventually(async () =>
      expect(await reported(JSON.stringify(account))).toEqual([
        ...canarySteps.map((canary) => ({ canary, CanaryMilliseconds: expect.any(Number) })),
        { canary: "all", CanaryFailures: 0 },
      ]),
    );
  });

  it("reports the step that failed, also when it has no account yet", async () => {
    expect(await reported(JSON.stringify({ ...account, password: "not the password" }))).toEqual([
      { canary: "log-in", CanaryFailures: 1 },
      { canary: "all", CanaryFailures: 1 },
    ]);
    expect(await reported("{}")).toEqual([{ canary: "all", CanaryFailures: 1 }]);
  });
});
