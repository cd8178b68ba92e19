import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import type { Context } from "./command.ts";
import { InternalApi } from "./internal-api.ts";
import { suppressedLift } from "./suppressed.ts";

/** The notes of `suppressed lift` to the operator of a stage, for an answer of SES. */
async function lift(status: number, errorType?: string) {
  const asked: string[] = [];
  const ses = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(status, errorType === undefined ? {} : { "x-amzn-errortype": errorType });
    response.end(JSON.stringify({ message: "not authorized: ses:DeleteSuppressedDestination" }));
  });
  await once(ses.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void ses.close());
  vi.stubEnv("AWS_ENDPOINT_URL_SESV2", `http://127.0.0.1:${(ses.address() as AddressInfo).port}`);
  vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test");
  onTestFinished(() => void vi.unstubAllEnvs());
  const sent: string[] = [];
  const send = async (url: URL, { method }: { method: string }) => {
    sent.push(`${method} ${url.pathname}`);
    return new Response(null, { status: 200 });
  };
  const endpoint = async () => ({ url: "http://127.0.0.1:1", send });
  const told = { notes: [] as string[], hasFailed: false };
  const context: Context = {
    api: new InternalApi({ endpoint, isDryRun: false }),
    stage: "prod",
    url: undefined,
    isDryRun: false,
    commands: [],
    confirm: async () => {},
    note: (text) => told.notes.push(text),
    fail: () => {
      told.hasFailed = true;
    },
  };
  await suppressedLift.run(context, { address: "ada@example.com" });
  expect(sent).toEqual(["DELETE /i/mail-suppressions"]);
  expect(asked[0]).toBe("DELETE /v2/email/suppression/addresses/ada%40example.com");
  return told;
}

it("tells whether the list of SES had the address", async () => {
  expect(await lift(200)).toEqual({
    notes: ["The list that SES keeps for the account had ada@example.com: it is taken from it, too."],
    hasFailed: false,
  });
  expect(await lift(404, "NotFoundException")).toEqual({
    notes: ["The list that SES keeps for the account does not have ada@example.com."],
    hasFailed: false,
  });
});

it("fails when the list of SES may still have the address, and names the missing permission", async () => {
  const { notes, hasFailed } = await lift(403, "AccessDeniedException");
  expect(hasFailed).toBe(true);
  expect(notes).toEqual([
    expect.stringContaining("lack a permission: not authorized: ses:DeleteSuppressedDestination"),
  ]);
});
