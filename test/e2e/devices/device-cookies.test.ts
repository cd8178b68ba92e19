import { describe, expect, it } from "vitest";
import { type ApiAnswer, api, outcome } from "../../support/api.ts";
import { registerDevice } from "../../support/devices.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { cookieIdOf, partsOf } from "../../support/tokens.ts";
import { type Apis, logIn, newUser, type User } from "../../support/users.ts";

const daySeconds = 86_400;

/** A user with some devices. */
async function newOwner(deviceCount: number, apis?: Apis): Promise<User & { devices: string[] }> {
  const user = await newUser({}, apis);
  const devices: string[] = [];
  for (let index = 0; index < deviceCount; index++) {
    const fields = { class: "phone", password: user.password };
    devices.push((await registerDevice(user, fields, { publicApi: apis?.publicApi })).body.id);
  }
  return { ...user, devices };
}

const access = (cookie: string | undefined, clientId?: string, { publicApi = api }: Partial<Apis> = {}) =>
  publicApi("POST", `/access${clientId === undefined ? "" : `?client_id=${clientId}`}`, { cookie });

const deviceIn = (token: string | undefined) => partsOf(token).i;
const devicesOf = ({ body, cookie }: ApiAnswer) => [deviceIn(body.access_token), deviceIn(cookie)];

describe.concurrent("client_id at POST /access", () => {
  it("sets the cookie again at first use, with a token that names the device", async () => {
    const { cookie, devices } = await newOwner(1);
    const answer = await access(cookie, devices[0]);

    expect(answer.status).toBe(200);
    expect(devicesOf(answer)).toEqual([devices[0], devices[0]]);
    expect(cookieIdOf(answer.cookie)).toBe(cookieIdOf(cookie));
    expect(partsOf(answer.cookie).d).toBe(partsOf(cookie).d);
    expect(answer.setCookie).toMatch(/; path=\/access; Expires=[^;]+; HttpOnly; Secure$/);
  });

  it("sets a session cookie again, too, with the same expiry", async () => {
    const owner = await newOwner(1);
    const { cookie } = await logIn(owner, { isPersistent: false });
    const answer = await access(cookie, owner.devices[0]);

    expect(devicesOf(answer)).toEqual([owner.devices[0], owner.devices[0]]);
    expect(partsOf(answer.cookie)).toMatchObject({ l: "s", d: partsOf(cookie).d, r: partsOf(cookie).r });
    expect(answer.setCookie).not.toContain("Expires");
  });

  it("may be omitted afterwards, when access tokens still name the device", async () => {
    const { cookie, devices } = await newOwner(1);
    const { cookie: tied } = await access(cookie, devices[0]);
    for (const answer of [await access(tied), await access(tied, devices[0])]) {
      expect(answer.status).toBe(200);
      expect(devicesOf(answer)).toEqual([devices[0], undefined]);
    }
  });

  it("sets the cookie once more when its first response was lost", async () => {
    const { cookie, devices } = await newOwner(1);
    await access(cookie, devices[0]);
    for (const answer of [await access(cookie, devices[0]), await access(cookie)]) {
      expect(devicesOf(answer)).toEqual([devices[0], devices[0]]);
    }
  });

  it("is refused with 403 invalid-credentials when the cookie belongs to another device", async () => {
    const { cookie, devices } = await newOwner(2);
    const { cookie: tied } = await access(cookie, devices[0]);

    expect(outcome(await access(cookie, devices[1]))).toBe("403 invalid-credentials");
    expect(outcome(await access(tied, devices[1]))).toBe("403 invalid-credentials");
    expect((await access(tied, devices[0])).status).toBe(200);
  });

  it("leaves the user's other cookies for other devices", async () => {
    const owner = await newOwner(2);
    const { cookie: other } = await logIn(owner);
    await access(owner.cookie, owner.devices[0]);

    expect(devicesOf(await access(other, owner.devices[1]))).toEqual([owner.devices[1], owner.devices[1]]);
  });

  it("is refused with 403 unknown-client when the user has no such device, and ties no cookie", async () => {
    const [owner, stranger] = await Promise.all([newOwner(1), newOwner(1)]);
    for (const clientId of [stranger.devices[0], "0", "__proto__", "constructor", "x".repeat(64)]) {
      expect(outcome(await access(owner.cookie, clientId))).toBe("403 unknown-client");
    }
    expect(devicesOf(await access(owner.cookie))).toEqual([undefined, undefined]);
    expect((await access(owner.cookie, owner.devices[0])).status).toBe(200);
  });

  it("is refused with 400 bad-request when it is empty or too long", async () => {
    const { cookie } = await newUser();
    for (const clientId of ["", "x".repeat(65)]) {
      expect(outcome(await access(cookie, clientId))).toBe("400 bad-request");
    }
  });

  it("is refused once the device is removed, as are the cookies tied to it", async () => {
    const owner = await newOwner(1);
    const [clientId] = owner.devices;
    const { cookie: tied } = await access(owner.cookie, clientId);
    const { cookie: other } = await logIn(owner);
    await api("DELETE", `/v8/clients/${clientId}`, {
      token: owner.token,
      json: { password: owner.password },
    });

    expect(outcome(await access(tied, clientId))).toBe("403 invalid-credentials");
    expect(outcome(await access(other, clientId))).toBe("403 unknown-client");
  });

  it("ties the cookie to one of two devices that use it concurrently", async () => {
    const { cookie, devices } = await newOwner(2);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => access(cookie, devices[index % 2])),
    );

    expect(answers.map(outcome).toSorted()).toEqual([
      ...Array(10).fill("200"),
      ...Array(10).fill("403 invalid-credentials"),
    ]);
    const winners = answers.filter(({ status }) => status === 200).flatMap(devicesOf);
    expect(new Set(winners).size).toBe(1);
  });

  it("leaves no cookie tied to a device that is removed concurrently", async () => {
    const owner = await newOwner(1);
    const [clientId] = owner.devices;
    const cookies = (await Promise.all(Array.from({ length: 5 }, () => logIn(owner)))).map(
      ({ cookie }) => cookie,
    );
    const remove = () =>
      api("DELETE", `/v8/clients/${clientId}`, { token: owner.token, json: { password: owner.password } });
    const [, ...answers] = await Promise.all([
      remove(),
      ...cookies.map((cookie) => access(cookie, clientId)),
    ]);

    for (const answer of answers) expect(["200", "403 unknown-client"]).toContain(outcome(answer));
    const tied = answers.flatMap(({ cookie }) => cookie ?? []);
    for (const cookie of tied) expect(outcome(await access(cookie))).toBe("403 invalid-credentials");
  });
});

describe("a renewed cookie", () => {
  it("is tied to the device of the old one, and both are tied when the device is named later", async () => {
    const apis: OwnStack = await stackWith();
    const owner = await newOwner(2, apis);
    const [first, second] = owner.devices;
    const [tiedEarly, tiedLate, tiedTooLate] = [
      (await access(owner.cookie, first, apis)).cookie,
      (await logIn(owner, { apis })).cookie,
      (await logIn(owner, { apis })).cookie,
    ];
    apis.advance(14 * daySeconds + 1);

    const renewed = await access(tiedEarly, first, apis);
    expect(devicesOf(renewed)).toEqual([first, first]);
    expect(cookieIdOf(renewed.cookie)).not.toBe(cookieIdOf(tiedEarly));

    // The first response is lost; the device is named only afterwards.
    const lost = await access(tiedLate, undefined, apis);
    expect(devicesOf(lost)).toEqual([undefined, undefined]);
    const late = await access(tiedLate, second, apis);
    expect(devicesOf(late)).toEqual([second, second]);
    expect(cookieIdOf(late.cookie)).toBe(cookieIdOf(lost.cookie));
    expect(outcome(await access(lost.cookie, first, apis))).toBe("403 invalid-credentials");
    expect(devicesOf(await access(lost.cookie, second, apis))).toEqual([second, second]);
    expect(devicesOf(await access(late.cookie, second, apis))).toEqual([second, undefined]);

    const successor = await access(tiedTooLate, undefined, apis);
    await access(successor.cookie, first, apis);
    expect(outcome(await access(tiedTooLate, second, apis))).toBe("403 invalid-credentials");
    expect(devicesOf(await access(tiedTooLate, undefined, apis))).toEqual([first, first]);
  });
});
