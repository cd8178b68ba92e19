import { afterAll, expect, it } from "vitest";
import { callTimeouts } from "#shared/platform/aws-client-options.ts";
import { outcome } from "../../support/api.ts";
import { type HangingProxy, startHangingProxy } from "../../support/hanging-proxy.ts";
import { nextMessage } from "../../support/messages.ts";
import { type OwnStack, ownStack, stopOwnStacks } from "../../support/own-stack.ts";
import { waitPatiently } from "../../support/patient-calls.ts";
import { activationCode, newEmail, register, somePassword } from "../../support/users.ts";

/** By service, the calls whose first attempt gets no answer. */
const hangingCalls = {
  DYNAMODB: ["BatchGetItem", "TransactWriteItems"],
  SECRETS_MANAGER: ["GetSecretValue"],
  SESV2: ["outbound-emails"],
};

const environment = { ...process.env };
const proxies: HangingProxy[] = [];

/** The functions of this stack reach AWS through proxies: they create their clients when they are first called. */
async function stackBehindProxies(): Promise<OwnStack> {
  const stack = await ownStack();
  Object.assign(callTimeouts, { answer: 3000 });
  for (const [service, actions] of Object.entries(hangingCalls)) {
    const name = `AWS_ENDPOINT_URL_${service}`;
    const proxy = await startHangingProxy(process.env[name] ?? "", actions);
    proxies.push(proxy);
    process.env[name] = proxy.url;
  }
  return stack;
}

afterAll(async () => {
  // Stacks stop before the proxies, through which their workers would otherwise go on calling.
  await stopOwnStacks();
  Object.assign(process.env, environment);
  waitPatiently();
  for (const { stop } of proxies) stop();
});

it("an account is registered and activated although AWS leaves calls without an answer", async () => {
  const stack = await stackBehindProxies();
  const email = newEmail();
  expect(outcome(await register({ email, password: somePassword }, stack))).toBe("201");
  const { code } = await activationCode({ email }, stack);
  expect((await nextMessage(email)).headers["X-Svc-Code"]).toBe(code);
  expect(outcome(await stack.publicApi("POST", "/activate", { json: { email, code } }))).toBe("200");
  expect(proxies.flatMap(({ hung }) => [...hung]).toSorted()).toEqual(
    Object.values(hangingCalls).flat().toSorted(),
  );
});
