import { Readable } from "node:stream";
import { CreatePlatformEndpointCommand, SetEndpointAttributesCommand, SNSClient } from "@aws-sdk/client-sns";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AwsAnswer, interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { PushEndpointStore } from "#shared/events/push/push-endpoint-store.ts";
import { PushTokenStore } from "#shared/events/push/push-token-store.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { type ApiAnswer, api, internalApi, outcome } from "../../support/api.ts";
import { registerDevice } from "../../support/devices.ts";
import { eventually } from "../../support/eventually.ts";
import { type OwnStack, stopOwnStacks } from "../../support/own-stack.ts";
import {
  endpointAttributes,
  newAppleToken,
  newClientId,
  newPushToken,
  type PushToken,
  pushApplications,
  pushTokensOf,
  registerPushToken,
  removePushToken,
} from "../../support/push-tokens.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newUser, somePassword, type User } from "../../support/users.ts";

const sns = new SNSClient({ region: "eu-central-1" });
let configured: OwnStack;
beforeAll(async () => {
  configured = await stackWith({ pushApplications });
});
afterAll(stopOwnStacks);

const storesOf = (prefix: string) => {
  const context = { dynamo: createDynamo(), config: stackConfig(prefix), clock: systemClock };
  return { tokens: new PushTokenStore(context), endpoints: new PushEndpointStore(context) };
};
/** ARN of the endpoint that a user's token has in the configured stack. */
async function endpointOf(userId: string, { token }: PushToken): Promise<string> {
  const { tokens } = await storesOf(configured.prefix).tokens.get(userId);
  return tokens.find((one) => one.token === token)?.endpointArn ?? "";
}
const usersOf = async (arn: string) => (await storesOf(configured.prefix).endpoints.get(arn)).userIds;
const outcomeOf = async (answering: Promise<ApiAnswer>) => outcome(await answering);
const concurrently = <Result>(times: number, task: () => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: times }, task));

describe.concurrent("registering a push token", () => {
  it("returns it with its Location, and lists it to its user and to internal callers", async () => {
    const user = await newUser();
    const wanted = newPushToken();
    const { status, body, headers } = await registerPushToken(user, wanted);
    expect({ status, body, location: headers.get("location") }).toEqual({
      status: 201,
      body: wanted,
      location: wanted.token,
    });
    expect(await pushTokensOf(user)).toEqual([wanted]);
    const internal = await internalApi("GET", `/i/push-tokens/${user.id}`);
    expect({ status: internal.status, body: internal.body }).toEqual({
      status: 200,
      body: { tokens: [wanted] },
    });
  });

  it("stores one row when it is repeated", async () => {
    const user = await newUser();
    const wanted = newPushToken();
    expect(await outcomeOf(registerPushToken(user, wanted))).toBe("201");
    expect(await outcomeOf(registerPushToken(user, wanted))).toBe("201");
    expect(await pushTokensOf(user)).toEqual([wanted]);
  });

  it("replaces the former token of the same device and app", async () => {
    const user = await newUser();
    const former = newPushToken();
    const next = newPushToken({ client: former.client });
    const ofOtherApp = newPushToken({ client: former.client, app: "messenger-beta" });
    const ofOtherDevice = newPushToken();
    for (const token of [former, ofOtherApp, ofOtherDevice, next]) await registerPushToken(user, token);
    expect(await pushTokensOf(user)).toEqual([ofOtherApp, ofOtherDevice, next]);
  });

  it("moves a token to the device that registers it last", async () => {
    const user = await newUser();
    const former = newPushToken();
    const next = { ...former, client: newClientId() };
    for (const token of [former, next]) await registerPushToken(user, token);
    expect(await pushTokensOf(user)).toEqual([next]);
  });

  it("stores one row for twenty concurrent requests", async () => {
    const user = await newUser(undefined, configured);
    const wanted = newPushToken();
    const answers = await concurrently(20, () => outcomeOf(registerPushToken(user, wanted, configured)));
    expect(answers).toEqual(Array(20).fill("201"));
    expect(await pushTokensOf(user, configured)).toEqual([wanted]);
    expect(await usersOf(await endpointOf(user.id, wanted))).toEqual([user.id]);
  });

  it("keeps no more tokens than a user may have when many are registered concurrently", async () => {
    const user = await newUser();
    await concurrently(5, async () => {
      for (let number = 0; number < 5; number++) await registerPushToken(user, newPushToken());
    });
    expect(await pushTokensOf(user)).toHaveLength(20);
  });

  it("removes the oldest tokens when a user exceeds the number, or the bytes, of tokens allowed", async () => {
    const user = await newUser();
    const large = Array.from({ length: 5 }, (_, number) =>
      newPushToken({ token: String(number).repeat(8192) }),
    );
    for (const token of large) await registerPushToken(user, token);
    expect((await pushTokensOf(user)).map(({ token }) => token[0])).toEqual(["2", "3", "4"]);
  });

  it.each<[string, object, string]>([
    ["a transport for VoIP", { transport: "APNS_VOIP" }, "400 apns-voip-not-supported"],
    ["its sandbox", { transport: "APNS_VOIP_SANDBOX" }, "400 apns-voip-not-supported"],
    [
      "a transport for VoIP, even if the token is also too long",
      { transport: "APNS_VOIP", token: "a".repeat(8193) },
      "400 apns-voip-not-supported",
    ],
    ["an FCM token beyond 8192 bytes", { token: "a".repeat(8193) }, "413 token-too-long"],
    ["an APNs token beyond 400 digits", { transport: "APNS", token: "a".repeat(401) }, "413 token-too-long"],
    ["an empty token", { token: "" }, "404 invalid-token"],
    ["a token that no header can carry", { token: "a\r\nset-cookie: b" }, "404 invalid-token"],
    ["a token beyond ASCII", { token: "ärger" }, "404 invalid-token"],
  ])("refuses %s", async (_, fields, expected) => {
    const user = await newUser();
    expect(await outcomeOf(registerPushToken(user, { ...newPushToken(), ...fields }))).toBe(expected);
    expect(await pushTokensOf(user)).toEqual([]);
  });

  it("is refused to a user who repeats it too often, before the provider is called", async () => {
    const stack = await stackWith(
      { pushApplications, setPushTokenRateLimit: { burst: 3, refillSeconds: 60 } },
      { isClockStopped: true },
    );
    const [user, other] = await Promise.all([newUser({}, stack), newUser({}, stack)]);
    let created = 0;
    const end = interceptAwsCalls((call, send) => {
      if (call.body.includes("Action=") && call.body.includes(`messenger-${user.id}`)) created++;
      return send();
    });
    const register = (person: User, number: number) =>
      outcomeOf(
        registerPushToken(person, { ...newPushToken(), token: `messenger-${person.id}-${number}` }, stack),
      );
    for (let number = 0; number < 3; number++) expect(await register(user, number)).toBe("201");
    const before = created;
    expect(await register(user, 3)).toBe("429 too-many-requests");
    expect(await register(other, 0)).toBe("201");
    expect(created).toBe(before);
    end();
    stack.advance(60);
    expect(await register(user, 3)).toBe("201");
  });

  it("requires a token", async () => {
    expect(await outcomeOf(api("POST", "/push/tokens", { json: newPushToken() }))).toBe("401 unauthorized");
  });

  it("stores nothing for a deleted user", async () => {
    const user = await newUser();
    await api("DELETE", "/self", { token: user.token, json: { password: somePassword } });
    expect(await outcomeOf(registerPushToken(user, newPushToken()))).toBe("404 invalid-token");
    const { body } = await internalApi("GET", `/i/push-tokens/${user.id}`);
    expect(body).toEqual({ tokens: [] });
  });
});

describe.concurrent("removing a push token", () => {
  it("removes every row with the token, and nothing else", async () => {
    const user = await newUser();
    const [one, other] = [newPushToken(), newPushToken({ token: "a/b%2Fc:d" })];
    const again = { ...one, app: "messenger-beta", client: newClientId() };
    for (const token of [one, other, again]) await registerPushToken(user, token);
    expect(await outcomeOf(removePushToken(user, one.token))).toBe("204");
    expect(await pushTokensOf(user)).toEqual([other]);
    expect(await outcomeOf(removePushToken(user, one.token))).toBe("404 not-found");
    expect(await outcomeOf(removePushToken(user, other.token))).toBe("204");
  });

  it("is refused for another user's token", async () => {
    const [owner, stranger] = await Promise.all([newUser(), newUser()]);
    const token = newPushToken();
    await registerPushToken(owner, token);
    expect(await outcomeOf(removePushToken(stranger, token.token))).toBe("404 not-found");
    expect(await pushTokensOf(owner)).toEqual([token]);
    expect(await pushTokensOf(stranger)).toEqual([]);
  });

  it("follows the removal of the device", async () => {
    const user = await newUser();
    const { body: device } = await registerDevice(user);
    const [token, other] = [newPushToken({ client: device.id }), newPushToken()];
    await registerPushToken(user, token);
    await registerPushToken(user, other);
    await api("DELETE", `/v8/clients/${device.id}`, { token: user.token, json: { password: somePassword } });
    await eventually(async () => expect(await pushTokensOf(user)).toEqual([other]));
  });

  it("follows the replacement of a temporary device", async () => {
    const user = await newUser();
    const { body: device } = await registerDevice(user, { type: "temporary" });
    await registerPushToken(user, newPushToken({ client: device.id }));
    await registerDevice(user, { type: "temporary", password: somePassword });
    await eventually(async () => expect(await pushTokensOf(user)).toEqual([]));
  });

  it("follows the deletion of the account, and removes the endpoint", async () => {
    const user = await newUser(undefined, configured);
    const token = newPushToken();
    await registerPushToken(user, token, configured);
    const arn = await endpointOf(user.id, token);
    await configured.publicApi("DELETE", "/self", { token: user.token, json: { password: somePassword } });
    await eventually(async () => {
      const { body } = await configured.internalApi("GET", `/i/push-tokens/${user.id}`);
      expect(body).toEqual({ tokens: [] });
      expect(await endpointAttributes(arn)).toBeUndefined();
    });
  });
});

describe.concurrent("an SNS endpoint", () => {
  it("is created and deleted with its token", async () => {
    const user = await newUser(undefined, configured);
    const token = newAppleToken();
    expect(await outcomeOf(registerPushToken(user, token, configured))).toBe("201");
    const arn = await endpointOf(user.id, token);
    expect(arn).toMatch(/:endpoint\/APNS\/messenger\//);
    expect(await endpointAttributes(arn)).toEqual({ Enabled: "true", Token: token.token });
    await removePushToken(user, token.token, configured);
    await eventually(async () => expect(await endpointAttributes(arn)).toBeUndefined());
    expect(await usersOf(arn)).toEqual([]);
  });

  it("is enabled again when its token is registered again", async () => {
    const user = await newUser(undefined, configured);
    const token = newPushToken();
    await registerPushToken(user, token, configured);
    const arn = await endpointOf(user.id, token);
    await sns.send(new SetEndpointAttributesCommand({ EndpointArn: arn, Attributes: { Enabled: "false" } }));
    expect(await outcomeOf(registerPushToken(user, token, configured))).toBe("201");
    expect(await endpointAttributes(arn)).toMatchObject({ Enabled: "true" });
  });

  it("is taken over if it already exists with other attributes", async () => {
    const user = await newUser(undefined, configured);
    const token = newPushToken();
    const { EndpointArn: arn } = await sns.send(
      new CreatePlatformEndpointCommand({
        PlatformApplicationArn: pushApplications[0]?.arn,
        Token: token.token,
        CustomUserData: "somebody's",
      }),
    );
    expect(await outcomeOf(registerPushToken(user, token, configured))).toBe("201");
    expect(await endpointOf(user.id, token)).toBe(arn);
  });

  it("is deleted when another token replaces its own", async () => {
    const user = await newUser(undefined, configured);
    const former = newPushToken();
    await registerPushToken(user, former, configured);
    const arn = await endpointOf(user.id, former);
    await registerPushToken(user, newPushToken({ client: former.client }), configured);
    await eventually(async () => expect(await endpointAttributes(arn)).toBeUndefined());
  });

  it("is shared by several users of one phone, and deleted when the last one leaves", async () => {
    const users = await concurrently(3, () => newUser(undefined, configured));
    const token = newPushToken();
    const answers = users.map((user) => outcomeOf(registerPushToken(user, token, configured)));
    expect(await Promise.all(answers)).toEqual(["201", "201", "201"]);
    const arn = await endpointOf(users[0]?.id ?? "", token);
    expect((await usersOf(arn)).toSorted()).toEqual(users.map(({ id }) => id).toSorted());
    const [stays, ...leaving] = users;
    await Promise.all(leaving.map((user) => removePushToken(user, token.token, configured)));
    await eventually(async () => expect(await usersOf(arn)).toEqual([stays?.id]));
    expect(await endpointAttributes(arn)).toMatchObject({ Enabled: "true" });
  });

  it("is deleted when two users leave it concurrently", async () => {
    const users = await concurrently(2, () => newUser(undefined, configured));
    const token = newPushToken();
    for (const user of users) await registerPushToken(user, token, configured);
    const arn = await endpointOf(users[0]?.id ?? "", token);
    await Promise.all(users.map((user) => removePushToken(user, token.token, configured)));
    await eventually(async () => expect(await endpointAttributes(arn)).toBeUndefined());
    expect(await usersOf(arn)).toEqual([]);
  });

  it("exists for a user who joins while the last one leaves", async () => {
    const [leaving, joining] = await Promise.all([
      newUser(undefined, configured),
      newUser(undefined, configured),
    ]);
    const token = newPushToken();
    for (let round = 0; round < 5; round++) {
      await registerPushToken(leaving, token, configured);
      const [, joined] = await Promise.all([
        removePushToken(leaving, token.token, configured),
        outcomeOf(registerPushToken(joining, token, configured)),
      ]);
      expect(joined).toBe("201");
      const arn = await endpointOf(joining.id, token);
      await eventually(async () => expect(await usersOf(arn)).toEqual([joining.id]));
      expect(await endpointAttributes(arn)).toMatchObject({ Enabled: "true", Token: token.token });
      await removePushToken(joining, token.token, configured);
    }
  });

  it("has no more users than existing servers allow", async () => {
    const token = newPushToken();
    const first = await newUser(undefined, configured);
    await registerPushToken(first, token, configured);
    const arn = await endpointOf(first.id, token);
    const { endpoints } = storesOf(configured.prefix);
    const users = Array.from({ length: 54 }, () => crypto.randomUUID());
    await transact(createDynamo(), [endpoints.put(await endpoints.get(arn), [first.id, ...users])]);
    const further = await newUser(undefined, configured);
    expect(await outcomeOf(registerPushToken(further, token, configured))).toBe("413 metadata-too-long");
    expect(await outcomeOf(registerPushToken(first, token, configured))).toBe("201");
  });

  it.each<[string, Partial<PushToken>, string]>([
    ["an app that is not configured", { app: "other" }, "404 app-not-found"],
    ["an app of another transport", { transport: "APNS", app: "other" }, "404 app-not-found"],
    ["a token that the provider rejects", { transport: "APNS", token: "not-hex" }, "404 invalid-token"],
  ])("is refused for %s", async (_, fields, expected) => {
    const user = await newUser(undefined, configured);
    expect(await outcomeOf(registerPushToken(user, newPushToken(fields), configured))).toBe(expected);
    expect(await pushTokensOf(user, configured)).toEqual([]);
  });

  it.each<[string, number, string, string]>([
    ["is busy", 429, "Throttled", "413 sns-thread-budget-reached"],
    ["is down", 503, "ServiceUnavailable", "413 sns-thread-budget-reached"],
    ["no longer has the application", 404, "NotFound", "404 app-not-found"],
    ["does not know the token", 400, "InvalidParameter", "404 invalid-token"],
  ])("is not created while the provider %s", async (_, status, code, expected) => {
    const user = await newUser(undefined, configured);
    const token = newPushToken();
    const end = interceptAwsCalls(async ({ body }, send) =>
      body.includes(encodeURIComponent(token.token)) && body.includes("Action=")
        ? refusal(status, code)
        : send(),
    );
    expect(await outcomeOf(registerPushToken(user, token, configured)).finally(end)).toBe(expected);
    expect(await pushTokensOf(user, configured)).toEqual([]);
    expect(await outcomeOf(registerPushToken(user, token, configured))).toBe("201");
  });

  it("is created again if it vanishes before it is used", async () => {
    const user = await newUser(undefined, configured);
    const token = newPushToken();
    let vanished = 0;
    const end = interceptAwsCalls(async ({ body }, send) =>
      body.includes("SetEndpointAttributes") &&
      body.includes(encodeURIComponent(token.token)) &&
      vanished++ < 2
        ? refusal(404, "NotFound")
        : send(),
    );
    expect(await outcomeOf(registerPushToken(user, token, configured)).finally(end)).toBe("201");
    expect(await pushTokensOf(user, configured)).toEqual([token]);
  });
});

/** An SNS error response. */
const refusal = (statusCode: number, code: string): AwsAnswer => ({
  response: {
    statusCode,
    headers: { "content-type": "text/xml" },
    body: Readable.from([
      `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${code}</Message></Error></ErrorResponse>`,
    ]),
  },
});
