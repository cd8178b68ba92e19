import { json } from "node:stream/consumers";
import { beforeAll, describe, expect, it } from "vitest";
import { awsAnswer, interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { type ApiAnswer, outcome } from "../../support/api.ts";
import { type Fault, injectFaults, withLostAnswers } from "../../support/faults.ts";
import {
  approveLegalHold,
  devicesOf,
  endLegalHold,
  legalHoldStatusOf,
  newHeldTeam,
  requestLegalHold,
  withPassword,
} from "../../support/legal-hold-members.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { partsOf } from "../../support/tokens.ts";
import { logIn } from "../../support/users.ts";

describe("the legal hold of a member, with faults and as time passes", () => {
  let stack: OwnStack;
  beforeAll(async () => {
    stack = await stackWith({}, { isClockStopped: true });
  });

  it("is shown correctly when it changes during the read", async () => {
    const { team, service, member } = await newHeldTeam(stack);
    await requestLegalHold(team, member, team.owner, stack.publicApi);
    let isTorn = false;
    const endTear = interceptAwsCalls(async (call, send) => {
      const answer = await send();
      if (isTorn || call.action !== "BatchGetItem" || !call.body.includes(member.id)) return answer;
      isTorn = true;
      const read = (await json(answer.response.body)) as {
        Responses: Record<string, { entry?: { S: string } }[]>;
      };
      const withoutDevice = Object.entries(read.Responses).map(([table, items]) => [
        table,
        items.filter(({ entry }) => entry?.S !== "legal-hold"),
      ]);
      return awsAnswer(200, { ...read, Responses: Object.fromEntries(withoutDevice) });
    });
    const shown = await legalHoldStatusOf(team, member, member, stack.publicApi).finally(endTear);
    expect(isTorn).toBe(true);
    expect(shown).toMatchObject({ status: "pending", last_prekey: service.devices[0]?.last_prekey });
  });

  it("gives its device a cookie that is renewed like others, remains one of legal hold, and ends with it", async () => {
    const { publicApi } = stack;
    const { team, service, member } = await newHeldTeam(stack);
    await requestLegalHold(team, member, team.owner, publicApi);
    expect(outcome(await approveLegalHold(team, member, withPassword, member, publicApi))).toBe("200");
    const [confirmed] = service.callsOf("/confirm");
    const { refresh_token: cookie, client_id: clientId } = Object(confirmed?.body);
    const access = (value: string | undefined) => publicApi("POST", "/access", { cookie: value });
    const renewAgeSeconds = 14 * 86_400;
    stack.advance(renewAgeSeconds);
    const renewed = await access(cookie);
    expect(renewed.status).toBe(200);
    expect(partsOf(renewed.body.access_token)).toMatchObject({ t: "la", i: clientId });
    expect(partsOf(String(renewed.cookie))).toMatchObject({ t: "lu", i: clientId });
    expect((await access(cookie)).status).toBe(200);
    stack.advance(renewAgeSeconds);
    expect((await access(cookie)).status).toBe(403);
    expect((await access(renewed.cookie)).status).toBe(200);
    const { body } = await logIn(team.owner, { apis: stack });
    const owner = { ...team.owner, token: body.access_token };
    expect(outcome(await endLegalHold(team, member, withPassword, owner, publicApi))).toBe("200");
    expect((await access(renewed.cookie)).status).toBe(403);
  });

  it.each([
    ["conflicts with others", ["conflicts"]],
    ["fails until the SDK gives up", ["failed", "failed"]],
  ] satisfies [string, Fault[]][])(
    "is requested, approved and ended once when answers get lost and the repeated transaction %s",
    async (_, repetitions) => {
      const { publicApi } = stack;
      const { team, service, member } = await newHeldTeam(stack);
      const { owner } = team;
      const losing = async (step: () => Promise<ApiAnswer>) =>
        outcome(await withLostAnswers(step, { repetitions }));
      const state = async () => {
        const { status } = await legalHoldStatusOf(team, member, member, publicApi);
        return [status, (await devicesOf(member, publicApi)).length, service.callsOf("/remove").length];
      };
      expect(await losing(() => requestLegalHold(team, member, owner, publicApi))).toBe("201");
      expect(await state()).toEqual(["pending", 0, 0]);
      expect(await losing(() => approveLegalHold(team, member, withPassword, member, publicApi))).toBe("200");
      expect(await state()).toEqual(["enabled", 1, 0]);
      expect(await losing(() => endLegalHold(team, member, withPassword, owner, publicApi))).toBe("200");
      expect(await state()).toEqual(["disabled", 0, 1]);
    },
  );

  it("can be requested again immediately after a request that got no answer from DynamoDB", async () => {
    const { publicApi } = stack;
    const { team, member } = await newHeldTeam(stack);
    const ask = () => requestLegalHold(team, member, team.owner, publicApi);
    const faults = Array.from({ length: 6 }, () => "answer-lost" as const);
    const endFaults = injectFaults(({ action, body }) =>
      action === "TransactWriteItems" && body.includes("heldUntil") ? faults.shift() : undefined,
    );
    expect(outcome(await ask().finally(endFaults))).toBe("503 service-unavailable");
    expect(outcome(await ask())).toBe("201");
  });

  it("stays unchanged when a function dies between the service's answer and the commit, until a repetition 20 s later", async () => {
    const { publicApi } = stack;
    const { team, service, member } = await newHeldTeam(stack);
    const { owner } = team;
    const ask = () => requestLegalHold(team, member, owner, publicApi);
    const agree = () => approveLegalHold(team, member, withPassword, member, publicApi);
    const stop = () => endLegalHold(team, member, withPassword, owner, publicApi);
    const status = async () => (await legalHoldStatusOf(team, member, member, publicApi)).status;
    const devices = () => devicesOf(member, publicApi);
    const dyingAfter = async (path: string, step: () => Promise<ApiAnswer>) => {
      const before = service.callsOf(path).length;
      const endFaults = injectFaults(({ action }) =>
        action === "TransactWriteItems" && service.callsOf(path).length > before ? "dies-before" : undefined,
      );
      return (await step().finally(endFaults)).status;
    };

    expect(await dyingAfter("/initiate", ask)).toBe(500);
    expect(await status()).toBe("disabled");
    stack.advance(19);
    expect(outcome(await ask())).toBe("409 concurrent-change");
    stack.advance(1);
    expect(outcome(await ask())).toBe("201");

    expect(await dyingAfter("/confirm", agree)).toBe(500);
    expect(await status()).toBe("pending");
    stack.advance(20);
    expect(outcome(await agree())).toBe("200");
    expect(await devices()).toHaveLength(1);

    expect(await dyingAfter("/remove", stop)).toBe(500);
    expect([await status(), (await devices()).length]).toEqual(["enabled", 1]);
    expect(outcome(await stop())).toBe("200");
    expect([await status(), (await devices()).length]).toEqual(["disabled", 0]);
  });
});
