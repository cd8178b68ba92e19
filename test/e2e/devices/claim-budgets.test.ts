import { beforeAll, describe, expect, it } from "vitest";
import { lastPrekeyId } from "#shared/devices/prekey.ts";
import { type ApiAnswer, outcome } from "../../support/api.ts";
import { connectUsers, localDomain, updateConnection } from "../../support/connections.ts";
import { registerDevice } from "../../support/devices.ts";
import { newMlsDevice } from "../../support/key-packages.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { newPrekeys } from "../../support/prekeys.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam } from "../../support/teams.ts";
import { type Apis, newUser, register, type User } from "../../support/users.ts";

/** Number of claims that the budget of all strangers to a user allows. */
const ofStrangers = 10;
const inStore = 20;

type Caller = Pick<User, "token">;

/** Its clock stands still, so no day ends while a test spends its budget. */
let stack: OwnStack;
beforeAll(async () => {
  stack = await stackWith({}, { isClockStopped: true });
});

async function anonymousUser(): Promise<Caller> {
  const { cookie } = await register({}, stack);
  return { token: (await stack.publicApi("POST", "/access", { cookie })).body.access_token };
}

/** A user with a device that has prekeys. */
async function withPrekeys(apis: Apis = stack): Promise<User> {
  const user = await newUser({}, apis);
  await registerDevice(user, { prekeys: newPrekeys(inStore) }, { publicApi: apis.publicApi });
  return user;
}

const claimPrekey = ({ token }: Caller, { id }: Pick<User, "id">, { publicApi }: Pick<Apis, "publicApi">) =>
  publicApi("GET", `/v8/users/${localDomain}/${id}/prekeys`, { token });

/** Ids of prekeys claimed one after another, without those of the last-resort prekey. */
async function claimPrekeys(
  caller: Caller,
  owner: Pick<User, "id">,
  { count = inStore, apis = stack }: { count?: number; apis?: Pick<Apis, "publicApi"> } = {},
): Promise<number[]> {
  const ids: number[] = [];
  for (let index = 0; index < count; index++) {
    const { status, body } = await claimPrekey(caller, owner, apis);
    expect(status).toBe(200);
    ids.push(...body.clients.map(({ prekey }: { prekey: { id: number } }) => prekey.id));
  }
  expect(ids).toHaveLength(count);
  return ids.filter((id) => id !== lastPrekeyId);
}

const claimPackages = ({ token }: Caller, { id }: Pick<User, "id">): Promise<ApiAnswer> =>
  stack.publicApi("POST", `/v8/mls/key-packages/claim/${localDomain}/${id}?ciphersuite=0x0001`, { token });

/** A user with a device that has key packages. */
async function withPackages(): Promise<User> {
  const user = await newUser({}, stack);
  const { make, clientId, token } = await newMlsDevice(user, stack);
  const key_packages = await Promise.all(Array.from({ length: inStore }, () => make()));
  const path = `/v8/mls/key-packages/self/${clientId}`;
  expect((await stack.publicApi("POST", path, { token, json: { key_packages } })).status).toBe(201);
  return user;
}

describe.concurrent("claims of prekeys", () => {
  it("give an anonymous user only the last-resort prekey, one by one and in a list", async () => {
    const [anonymous, owner] = await Promise.all([anonymousUser(), withPrekeys()]);
    expect(await claimPrekeys(anonymous, owner, { count: 3 })).toEqual([]);
    const devices = await stack.publicApi("GET", `/v8/users/${localDomain}/${owner.id}/clients`, anonymous);
    const [{ id }] = devices.body;
    const json = { [localDomain]: { [owner.id]: [id] } };
    const { body } = await stack.publicApi("POST", "/v8/users/list-prekeys", { ...anonymous, json });
    expect(body.qualified_user_client_prekeys[localDomain][owner.id][id].id).toBe(lastPrekeyId);
    const one = await stack.publicApi("GET", `/v8/users/${localDomain}/${owner.id}/prekeys/${id}`, anonymous);
    expect(one.body.prekey.id).toBe(lastPrekeyId);
  });

  it("leave enough for others, however many strangers claim", async () => {
    const [owner, friend, ...strangers] = (await Promise.all([
      withPrekeys(),
      newUser({}, stack),
      newUser({}, stack),
      newUser({}, stack),
    ])) as [User, User, User, User];
    await connectUsers(friend, owner, stack);
    const claimed = await Promise.all(strangers.map((stranger) => claimPrekeys(stranger, owner)));
    expect(claimed.flat()).toHaveLength(ofStrangers);
    expect(await claimPrekeys(friend, owner)).toHaveLength(inStore - ofStrangers);
  });

  it("by team mates and by the user are not limited like those of strangers", async () => {
    const team = await newTeam({}, stack);
    const [owner, mate] = await Promise.all([team.add(), team.add()]);
    await registerDevice(
      owner,
      { prekeys: newPrekeys(inStore), password: owner.password },
      { publicApi: stack.publicApi },
    );
    expect(await claimPrekeys(mate, owner, { count: 12 })).toHaveLength(12);
    expect(await claimPrekeys(owner, owner, { count: 8 })).toHaveLength(8);
  });

  it("count as those of a stranger once the connection is blocked", async () => {
    const [owner, former] = await Promise.all([withPrekeys(), newUser({}, stack)]);
    await connectUsers(former, owner, stack);
    await updateConnection(owner, former, "blocked", stack);
    expect(await claimPrekeys(former, owner, { count: 12 })).toHaveLength(ofStrangers);
  });

  it("have a budget for each pair of users, even of contacts", async () => {
    const apis = await stackWith({ setClaimDailyBudget: { perPair: 3 } }, { isClockStopped: true });
    const [owner, friend, other] = await Promise.all([
      withPrekeys(apis),
      newUser({}, apis),
      newUser({}, apis),
    ]);
    await Promise.all([connectUsers(friend, owner, apis), connectUsers(other, owner, apis)]);
    expect(await claimPrekeys(friend, owner, { count: 5, apis })).toHaveLength(3);
    expect(await claimPrekeys(other, owner, { count: 2, apis })).toHaveLength(2);
  });
});

describe.concurrent("claims of key packages", () => {
  it("give an anonymous user no packages of others", async () => {
    const [anonymous, owner] = await Promise.all([anonymousUser(), withPackages()]);
    const { status, body } = await claimPackages(anonymous, owner);
    expect({ status, body }).toEqual({ status: 200, body: { key_packages: [] } });
  });

  it("are refused to strangers beyond a budget, which leaves enough for others", async () => {
    const [owner, friend, stranger] = await Promise.all([
      withPackages(),
      newUser({}, stack),
      newUser({}, stack),
    ]);
    await connectUsers(friend, owner, stack);
    const outcomes: string[] = [];
    for (let count = 0; count < ofStrangers + 2; count++) {
      outcomes.push(outcome(await claimPackages(stranger, owner)));
    }
    const tooMany = "429 too-many-requests";
    expect(outcomes).toEqual([...Array(ofStrangers).fill("200"), tooMany, tooMany]);
    const refused = await claimPackages(stranger, owner);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await claimPackages(friend, owner)).body.key_packages).toHaveLength(1);
    expect(outcome(await claimPackages(owner, owner))).toBe("200");
  });
});
