import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { api } from "../../support/api.ts";
import { idOf, newDevice } from "../../support/devices.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { activationCode, newEmail, somePassword } from "../../support/users.ts";

/** A client generated from the document that the stack serves, the way client developers would generate theirs. */

interface Input {
  readonly body?: unknown;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | boolean>>;
}

type Client = { auth: { bearer(token: string): void } } & Record<
  string,
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever arrived
  (input?: Input) => Promise<any>
>;

const folder = mkdtempSync(join(tmpdir(), "parley-client-"));
let client: Client;

beforeAll(async () => {
  const document = join(folder, "openapi.json");
  const output = join(folder, "client.ts");
  writeFileSync(document, JSON.stringify((await api("GET", "/v8/api/openapi.json")).body));
  const { status, stderr } = spawnSync(
    process.execPath,
    [
      "node_modules/@redocly/cli/bin/cli.js",
      "generate-client",
      document,
      `--output=${output}`,
      `--server-url=${sharedStack().publicUrl}/v8`,
      "--args-style=grouped",
    ],
    {
      encoding: "utf8",
      env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    },
  );
  if (status !== 0) throw new Error(`No client was generated: ${stderr}`);
  ({ client } = await import(pathToFileURL(output).href));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Calls an operation by its id, as the client spells it. */
function call(operationId: string, input?: Input) {
  const method = client[operationId.replaceAll(/\W/g, "_")];
  if (method === undefined) throw new Error(`The client lacks ${operationId}`);
  return method(input);
}

describe("a client that is generated from the API document", () => {
  it("registers, adds a device, logs in and lists the devices", async () => {
    const email = newEmail();
    const profile = await call("register", { body: { name: "Ada", email, password: somePassword } });
    expect(profile).toMatchObject({ name: "Ada", locale: "en" });

    const { code } = await activationCode({ email });
    expect(await call("post-activate", { body: { email, code } })).toEqual({ email, first: true });

    const session = await call("login", {
      body: { email, password: somePassword },
      query: { persist: true },
    });
    expect(session).toMatchObject({ user: profile.id, token_type: "Bearer" });
    client.auth.bearer(session.access_token);

    expect(await call("get-self")).toMatchObject({ id: profile.id, email });
    const device = newDevice({ label: "laptop" });
    expect(await call("add-client", { body: device })).toMatchObject({ id: idOf(device), label: "laptop" });
    expect(await call("list-clients")).toMatchObject([{ id: idOf(device), type: "permanent" }]);
    expect(await call("get-client", { path: { client: idOf(device) } })).toMatchObject({ label: "laptop" });
  });

  it("distinguishes errors by the label in their body", async () => {
    const login = call("login", { body: { email: newEmail(), password: somePassword } });
    await expect(login).rejects.toMatchObject({
      status: 403,
      body: { code: 403, label: "invalid-credentials" },
    });
  });
});
