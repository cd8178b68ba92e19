import { createHash, randomUUID } from "node:crypto";
import { chunks } from "#shared/platform/chunks.ts";
import { parseSettings, type SettingsInput } from "#shared/registry/settings.ts";
import { conversationData } from "../test/support/conversations.ts";
import { addCrowd } from "../test/support/crowds.ts";
import { lastPrekey, newPrekeys } from "../test/support/prekeys.ts";
import { newIdentityProvider, readLoginPage, registerIdentityProvider } from "../test/support/saml.ts";
import { type BenchRequest, type BenchStack, call } from "./api-client.ts";
import { newDirectory } from "./directory.ts";

export interface Operation {
  readonly name: string;
  /** Goals: the smallest possible numbers; undefined without a goal. */
  readonly floor?: { readonly dynamodbCallsInSeries: number; readonly otherCalls: number };
  readonly expectedStatus: number;
  /** Whether a password is hashed: such requests take so long that only a few are sent. */
  readonly hashesPassword: boolean;
  /** Whether each request takes so long for other reasons that only a few are sent. */
  readonly isLarge?: boolean;
  /** Settings in which its stack differs from the others. */
  readonly settings?: SettingsInput;
  /** Create the users and codes for some requests; each request is sent once. */
  prepare(stack: BenchStack, count: number): Promise<BenchRequest[]>;
}

const password = "correct horse battery";
const newEmail = () => `bench-${randomUUID()}@example.com`;
/** Below the limit of 32 cookies per user, beyond which each login first removes one. */
const loginsPerUser = 20;
const renewAgeSeconds = 15 * 86_400;
const devicesPerUser = 5;
const conversationsAtATime = 50;
/** The number that client apps upload; more than are claimed here. */
const prekeysPerDevice = 100;
const { domain } = parseSettings({});

/** The limit of refresh tokens per user, beyond which each code first removes one. */
const grantsPerUser = 20;
const codeVerifier = "v".repeat(43);

const loginsUnlimited: SettingsInput = {
  saml: { requestRateLimitPerIp: { burst: 1_000_000, refillSeconds: 1 } },
};

/** Limits that are enforced, but never reached. */
const manyInvitations: SettingsInput = {
  setTeamInvitationRateLimit: {
    perInviter: { burst: 1_000_000, refillSeconds: 1 },
    perNetwork: { burst: 1_000_000, refillSeconds: 1 },
  },
  setTeamInvitationDailyBudget: 1_000_000,
};

const oauthOn: SettingsInput = { setOAuthEnabled: true };
const secondFactorOn: SettingsInput = { sndFactorPasswordChallenge: { defaults: { status: "enabled" } } };

export const operations: readonly Operation[] = [
  {
    name: "authenticate a request",
    floor: { dynamodbCallsInSeries: 0, otherCalls: 0 },
    expectedStatus: 400,
    hashesPassword: false,
    async prepare(stack, count) {
      return inTurns(count, async () => {
        // Refused for its body, which is checked after the token and before any read.
        const authorization = `Bearer ${(await logIn(stack)).token}`;
        return {
          method: "POST",
          path: "/cookies/remove",
          headers: { authorization },
          json: {},
        };
      });
    },
  },
  {
    name: "GET /self",
    floor: { dynamodbCallsInSeries: 1, otherCalls: 0 },
    expectedStatus: 200,
    hashesPassword: false,
    async prepare(stack, count) {
      return inTurns(count, async () => {
        const authorization = `Bearer ${(await logIn(stack)).token}`;
        return { method: "GET", path: "/self", headers: { authorization } };
      });
    },
  },
  {
    name: "POST /login, password",
    floor: { dynamodbCallsInSeries: 2, otherCalls: 0 },
    expectedStatus: 200,
    hashesPassword: true,
    async prepare(stack, count) {
      const users = await times(Math.ceil(count / loginsPerUser), () => activatedUser(stack, { password }));
      return Array.from({ length: count }, (_, index) => ({
        method: "POST",
        path: "/login",
        json: { email: users[index % users.length]?.email, password },
      }));
    },
  },
  {
    name: "POST /login, second factor",
    expectedStatus: 200,
    hashesPassword: true,
    settings: secondFactorOn,
    async prepare(stack, count) {
      const users = await times(Math.ceil(count / loginsPerUser), () => secondFactorUser(stack));
      return Array.from({ length: count }, (_, index) => {
        const { email, code } = users[index % users.length] ?? {};
        return { method: "POST", path: "/login", json: { email, password, verification_code: code } };
      });
    },
  },
  {
    name: "POST /login, member of a team",
    floor: { dynamodbCallsInSeries: 2, otherCalls: 0 },
    expectedStatus: 200,
    hashesPassword: true,
    async prepare(stack, count) {
      const owners = await times(Math.ceil(count / loginsPerUser), () => teamOwner(stack));
      return Array.from({ length: count }, (_, index) => ({
        method: "POST",
        path: "/login",
        json: { email: owners[index % owners.length]?.email, password },
      }));
    },
  },
  {
    name: "GET /teams/{tid}/features/{name}",
    floor: { dynamodbCallsInSeries: 1, otherCalls: 0 },
    expectedStatus: 200,
    hashesPassword: false,
    async prepare(stack, count) {
      return inTurns(count, async () => {
        const { teamId, headers } = await teamOwner(stack);
        return { method: "GET", path: `/teams/${teamId}/features/appLock`, headers };
      });
    },
  },
  {
    name: "PUT /teams/{tid}/features/{name}",
    floor: { dynamodbCallsInSeries: 2, otherCalls: 1 },
    expectedStatus: 200,
    hashesPassword: false,
    async prepare(stack, count) {
      return inTurns(count, async () => {
        const { teamId, headers } = await teamOwner(stack);
        const path = `/teams/${teamId}/features/fileSharing`;
        return { method: "PUT", path, headers, json: { status: "disabled" } };
      });
    },
  },
  {
    name: "GET /feature-configs, member of a team",
    floor: { dynamodbCallsInSeries: 2, otherCalls: 0 },
    expectedStatus: 200,
    hashesPassword: false,
    async prepare(stack, count) {
      return inTurns(count, async () => {
        const { headers } = await teamOwner(stack);
        return { method: "GET", path: "/feature-configs", headers };
      });
    },
  },
  {
    name: "POST /verification-code/send",
    expectedStatus: 200,
    hashesPassword: false,
    settings: secondFactorOn,
    async prepare(stack, count) {
      return times(count, async () => codeRequest((await newOwner(stack)).email));
    },
  },
  {
    name: "GET /notifications",
    floor: { dynamodbCallsInSeries: 1, otherCalls: 0 },
    expectedStatus: 200,
    hashesPassword: false,
    async prepare(stack, count) {
      return inTurns(count, async () => {
        const authorization = `Bearer ${(await logIn(stack)).token}`;
        await call(stack.publicUrl, newDevice({ authorization }), 201);
        return { method: "GET", path: "/notifications?size=1000", headers: { authorization } };
      });
    },
  },
  {
    name: "GET /search/contacts",
    floor: { dynamodbCallsInSeries: 2, otherCalls: 0 },
    expectedStatus: 200,
    hashesPassword: false,
    async prepare(stack, count) {
      return inTurns(count, async () => {
        const headers = { authorization: `Bearer ${(await logIn(stack)).token}` };
        return { method: "GET", path: "/search/contacts?q=ada", headers };
      });
    },
  },
  {
    name: "GET /teams/{tid}",
    floor: { dynamodbCallsInSeries: 1, otherCalls: 0 },
    expectedStatus: 200,
    hashesPassword: false,
    async prepare(stack, count) {
      return inTurns(count, async () => {
        const { teamId, headers } = await teamOwner(stack);
        return { method: "GET", path: `/v9/teams/${teamId}`, headers };
      });
    },
  },
  {
    name: "PUT /teams/{tid}",
    floor: { dynamodbCallsInSeries: 2, otherCalls: 1 },
    expectedStatus: 200,
    hashesPassword: false,
    async prepare(stack, count) {
      return inTurns(count, async () => {
        const { teamId, headers } = await teamOwner(stack);
        const json = { name: "Engines" };
        return { method: "PUT", path: `/v9/teams/${teamId}`, headers, json };
      });
    },
  },
  {
    name: "POST /access",
    floor: { dynamodbCallsInSeries: 1, otherCalls: 0 },
    expectedStatus: 200,
    hashesPassword: false,
    async prepare(stack, count) {
      return inTurns(count, async () => {
        const { cookie, token } = await logIn(stack);
        return access({ cookie: `zuid=${cookie}`, authorization: `Bearer ${token}` });
      });
    },
  },
  {
    name: "POST /users/list-prekeys, 100 devices",
    floor: { dynamodbCallsInSeries: 1, otherCalls: 0 },
    expectedStatus: 200,
    hashesPassword: false,
    isLarge: true,
    async prepare(stack, count) {
      return inTurns(count, async () => {
        const authorization = `Bearer ${(await logIn(stack)).token}`;
        const owners = await times(Math.ceil(100 / devicesPerUser), () => userWithDevices(stack));
        const json = { [domain]: Object.fromEntries(owners) };
        return {
          method: "POST",
          path: "/v8/users/list-prekeys",
          headers: { authorization },
          json,
        };
      });
    },
  },
  {
    name: "POST /clients, first device",
    expectedStatus: 201,
    hashesPassword: false,
    async prepare(stack, count) {
      return times(count, async () => newDevice((await anonymousUser(stack)).headers));
    },
  },
  {
    name: "POST /register, password",
    floor: { dynamodbCallsInSeries: 2, otherCalls: 1 },
    expectedStatus: 201,
    hashesPassword: true,
    async prepare(_, count) {
      return Array.from({ length: count }, () => registration({ email: newEmail(), password }));
    },
  },
  {
    name: "POST /teams/{tid}/invitations",
    floor: { dynamodbCallsInSeries: 2, otherCalls: 1 },
    expectedStatus: 201,
    hashesPassword: false,
    settings: manyInvitations,
    async prepare(stack, count) {
      const founder = await teamFounder(stack);
      return Array.from({ length: count }, () => invitation(founder, newEmail()));
    },
  },
  {
    name: "POST /register, invitation",
    floor: { dynamodbCallsInSeries: 3, otherCalls: 1 },
    expectedStatus: 201,
    hashesPassword: true,
    settings: manyInvitations,
    async prepare(stack, count) {
      const founder = await teamFounder(stack);
      return times(count, async () => {
        const email = newEmail();
        const team_code = await invitationCode(stack, founder, email);
        return { method: "POST", path: "/register", json: { name: "Ada", email, password, team_code } };
      });
    },
  },
  newGroup(10, false),
  newGroup(499, true),
  {
    name: "PUT /conversations/{cid}/name, 10 members",
    expectedStatus: 200,
    hashesPassword: false,
    async prepare(stack, count) {
      const groups = await times(Math.min(count, concurrency), () => groupOfTeam(stack, 9));
      return Array.from({ length: count }, (_, index) => {
        const { path, headers } = groups[index % groups.length] as Group;
        return { method: "PUT", path: `${path}/name`, headers, json: { name: `Engines ${index}` } };
      });
    },
  },
  {
    name: "POST /conversations/{cid}/members, one member",
    expectedStatus: 200,
    hashesPassword: false,
    async prepare(stack, count) {
      const size = Math.min(count, concurrency);
      const groups = await times(size, () => groupOfTeam(stack, 9, Math.ceil(count / size)));
      return Array.from({ length: count }, (_, index) => {
        const { path, headers, others } = groups[index % size] as Group;
        const added = { domain, id: others[Math.floor(index / size)] };
        const json = { qualified_users: [added], conversation_role: "svc_member" };
        return { method: "POST", path: `${path}/members`, headers, json };
      });
    },
  },
  reading("GET /conversations, 10 members", { count: 1, members: 10 }, ([id]) => ({
    method: "GET",
    path: `/v9/conversations/${domain}/${id}`,
  })),
  reading("GET /conversations, 500 members", { count: 1, members: 500 }, ([id]) => ({
    method: "GET",
    path: `/v9/conversations/${domain}/${id}`,
  })),
  reading("POST /conversations/list-ids, 1000", { count: 1000, members: 1 }, () => ({
    method: "POST",
    path: "/v2/conversations/list-ids",
    json: { size: 1000 },
  })),
  {
    name: "POST /scim/v2/Users, identity provider",
    floor: { dynamodbCallsInSeries: 3, otherCalls: 5 },
    expectedStatus: 201,
    hashesPassword: false,
    async prepare(stack, count) {
      const { newUserRequest } = await directory(stack);
      return times(count, async () => newUserRequest());
    },
  },
  {
    name: "POST /scim/v2/Users, no identity provider",
    floor: { dynamodbCallsInSeries: 3, otherCalls: 5 },
    expectedStatus: 201,
    hashesPassword: false,
    async prepare(stack, count) {
      const { newUserRequest } = await directory(stack, { hasProvider: false });
      return times(count, async () => newUserRequest());
    },
  },
  {
    name: "GET /scim/v2/Users, by external id",
    floor: { dynamodbCallsInSeries: 3, otherCalls: 0 },
    expectedStatus: 200,
    hashesPassword: false,
    async prepare(stack, count) {
      return inTurns(count, async () => {
        const { headers, newUserRequest } = await directory(stack);
        const user = newUserRequest();
        await call(stack.publicUrl, user, 201);
        const filter = encodeURIComponent(`externalId eq "${user.json.externalId}"`);
        return { method: "GET", path: `/scim/v2/Users?filter=${filter}`, headers };
      });
    },
  },
  {
    name: "POST /activate",
    expectedStatus: 200,
    hashesPassword: false,
    async prepare(stack, count) {
      return times(count, async () => activation(stack, (await register(stack)).email));
    },
  },
  {
    name: "POST /activate/send",
    expectedStatus: 200,
    hashesPassword: false,
    async prepare(_, count) {
      return Array.from({ length: count }, () => ({
        method: "POST",
        path: "/activate/send",
        json: { email: newEmail() },
      }));
    },
  },
  {
    name: "POST /password-reset",
    expectedStatus: 201,
    hashesPassword: false,
    async prepare(stack, count) {
      return times(count, async () => resetRequest((await activatedUser(stack)).email));
    },
  },
  {
    name: "POST /password-reset/complete",
    expectedStatus: 200,
    hashesPassword: true,
    async prepare(stack, count) {
      return times(count, async () => {
        const { email } = await activatedUser(stack, { password });
        await call(stack.publicUrl, resetRequest(email), 201);
        const path = `/i/users/password-reset-code?email=${encodeURIComponent(email)}`;
        const { body } = await call(stack.internalUrl, { method: "GET", path }, 200);
        const json = { ...body, password: `new ${password}` };
        return { method: "POST", path: "/password-reset/complete", json };
      });
    },
  },
  {
    name: "POST /oauth/token, code",
    floor: { dynamodbCallsInSeries: 2, otherCalls: 0 },
    expectedStatus: 200,
    hashesPassword: false,
    settings: oauthOn,
    prepare: codeExchanges,
  },
  {
    name: "POST /oauth/token, refresh",
    floor: { dynamodbCallsInSeries: 2, otherCalls: 0 },
    expectedStatus: 200,
    hashesPassword: false,
    settings: oauthOn,
    async prepare(stack, count) {
      const exchanges = await codeExchanges(stack, count);
      return times(count, async () => {
        const exchange = exchanges.pop() as BenchRequest;
        const { body } = await call(stack.publicUrl, exchange, 200);
        const { client_id = "" } = exchange.form ?? {};
        return tokenRequest({ grant_type: "refresh_token", client_id, refresh_token: body.refresh_token });
      });
    },
  },
  {
    name: "GET /self, OAuth token",
    floor: { dynamodbCallsInSeries: 1, otherCalls: 0 },
    expectedStatus: 200,
    hashesPassword: false,
    settings: oauthOn,
    async prepare(stack, count) {
      return inTurns(count, async () => {
        const [exchange] = await codeExchanges(stack, 1);
        const { body } = await call(stack.publicUrl, exchange as BenchRequest, 200);
        const headers = { authorization: `Bearer ${body.access_token}` };
        return { method: "GET", path: "/self", headers };
      });
    },
  },
  {
    name: "GET /sso/initiate-login",
    expectedStatus: 200,
    hashesPassword: false,
    settings: loginsUnlimited,
    async prepare(stack, count) {
      const { company } = await companyOf(stack);
      return Array.from({ length: count }, () => ({
        method: "GET",
        path: `/sso/initiate-login/${company.id}`,
      }));
    },
  },
  {
    name: "POST /sso/finalize-login, known user",
    expectedStatus: 200,
    hashesPassword: false,
    settings: loginsUnlimited,
    async prepare(stack, count) {
      const { newLogin } = await companyOf(stack);
      const people = Array.from({ length: Math.ceil(count / loginsPerUser) }, () => randomUUID());
      for (const name of people) await call(stack.publicUrl, await newLogin(name), 200);
      const names = Array.from({ length: count }, (_, index) => people[index % people.length] ?? "");
      let next = 0;
      return times(count, () => newLogin(names[next++] ?? ""));
    },
  },
  {
    name: "POST /sso/finalize-login, first login",
    expectedStatus: 200,
    hashesPassword: false,
    settings: loginsUnlimited,
    async prepare(stack, count) {
      const { newLogin } = await companyOf(stack);
      return times(count, () => newLogin(randomUUID()));
    },
  },
  {
    name: "POST /access, cookie renewed",
    floor: { dynamodbCallsInSeries: 2, otherCalls: 0 },
    expectedStatus: 200,
    hashesPassword: false,
    async prepare(stack, count) {
      // This operation comes last: the clock that makes cookies old affects everything.
      const users = await times(count, () => register(stack));
      stack.advance(renewAgeSeconds);
      return users.map(({ cookie }) => access({ cookie: `zuid=${cookie}` }));
    },
  },
];

const access = (headers: Record<string, string>): BenchRequest => ({
  method: "POST",
  path: "/access",
  headers,
});

const registration = (fields: { email: string; password?: string }): BenchRequest => ({
  method: "POST",
  path: "/register",
  json: { name: "Ada", ...fields },
});

const resetRequest = (email: string): BenchRequest => ({
  method: "POST",
  path: "/password-reset",
  json: { email },
});

const codeRequest = (email: string): BenchRequest => ({
  method: "POST",
  path: "/verification-code/send",
  json: { action: "login", email },
});

/** A team whose members log in through an identity provider. */
async function companyOf(stack: BenchStack) {
  const { teamId } = await teamOwner(stack);
  const idp = await newIdentityProvider();
  const company = await registerIdentityProvider(idp, teamId, {}, stack);
  const path = `/sso/initiate-login/${company.id}`;
  return {
    company,
    /** A response of the identity provider about a user. */
    async newLogin(name: string): Promise<BenchRequest> {
      const { body } = await call(stack.publicUrl, { method: "GET", path }, 200);
      const SAMLResponse = idp.respond(readLoginPage(body), { nameId: { text: name } });
      return { method: "POST", path: `/sso/finalize-login/${teamId}`, form: { SAMLResponse } };
    },
  };
}

/** Register a user, by default without a password, since hashing one takes long. */
async function directory(stack: BenchStack, options?: { hasProvider: boolean }) {
  const { teamId } = await teamOwner(stack);
  return newDirectory(teamId, stack.prefix, options);
}

async function register(stack: BenchStack, fields: { password?: string; team?: object } = {}) {
  const email = newEmail();
  const { headers, body } = await call(stack.publicUrl, registration({ email, ...fields }), 201);
  return { id: String(body.id), email, teamId: String(body.team), cookie: cookieIn(headers) };
}

async function activation(stack: BenchStack, email: string): Promise<BenchRequest> {
  const path = `/i/users/activation-code?email=${encodeURIComponent(email)}`;
  const { body } = await call(stack.internalUrl, { method: "GET", path }, 200);
  return { method: "POST", path: "/activate", json: { email, code: body.code } };
}

async function activatedUser(stack: BenchStack, fields: { password?: string; team?: object } = {}) {
  const user = await register(stack, fields);
  await call(stack.publicUrl, await activation(stack, user.email), 200);
  return user;
}

interface Founder {
  readonly teamId: string;
  readonly token: string;
}

/** Register a user who founds a team. */
async function teamFounder(stack: BenchStack): Promise<Founder> {
  const email = newEmail();
  const team = { name: "Engines", icon: "default" };
  const json = { name: "Ada", email, password, team };
  const { headers, body } = await call(stack.publicUrl, { method: "POST", path: "/register", json }, 201);
  await call(stack.publicUrl, await activation(stack, email), 200);
  const renewal = access({ cookie: `zuid=${cookieIn(headers)}` });
  const { body: tokens } = await call(stack.publicUrl, renewal, 200);
  return { teamId: body.team, token: tokens.access_token };
}

const invitation = ({ teamId, token }: Founder, email: string): BenchRequest => ({
  method: "POST",
  path: `/v8/teams/${teamId}/invitations`,
  headers: { authorization: `Bearer ${token}` },
  json: { email },
});

/** Invite an address. @returns the code */
async function invitationCode(stack: BenchStack, founder: Founder, email: string): Promise<string> {
  const { body: sent } = await call(stack.publicUrl, invitation(founder, email), 201);
  const path = `/i/teams/invitation-code?team=${founder.teamId}&invitation_id=${sent.id}`;
  return (await call(stack.internalUrl, { method: "GET", path }, 200)).body.code;
}

/** Create a member of a team with a login code, which logins do not consume. */
async function secondFactorUser(stack: BenchStack): Promise<{ email: string; code: string }> {
  const { id, email } = await newOwner(stack);
  await call(stack.publicUrl, codeRequest(email), 200);
  const path = `/i/users/${id}/verification-code/login`;
  const { body } = await call(stack.internalUrl, { method: "GET", path }, 200);
  return { email, code: body };
}

/** Access token of a new user with an activated account. */
export const activatedToken = async (stack: BenchStack): Promise<string> => (await logIn(stack)).token;

async function logIn(stack: BenchStack): Promise<{ id: string; cookie: string; token: string }> {
  const { id, cookie } = await activatedUser(stack);
  const { body } = await call(stack.publicUrl, access({ cookie: `zuid=${cookie}` }), 200);
  return { id, cookie, token: body.access_token };
}

/** Creates a group of a team with some members besides its creator. */
function newGroup(members: number, isLarge: boolean): Operation {
  return {
    name: `POST /conversations, ${members} members`,
    floor: { dynamodbCallsInSeries: isLarge ? 3 : 2, otherCalls: 1 },
    expectedStatus: 201,
    hashesPassword: false,
    isLarge,
    async prepare(stack, count) {
      return inTurns(count, async () => {
        const { id, teamId, headers } = await teamOwner(stack);
        const crowd = await addCrowd({ id: teamId, owner: { id } }, { size: members }, stack.prefix);
        return { ...newGroupRequest(teamId, crowd), headers };
      });
    },
  };
}

const newGroupRequest = (teamId: string, members: readonly string[]): BenchRequest => ({
  method: "POST",
  path: "/v9/conversations",
  json: {
    qualified_users: members.map((userId) => ({ domain, id: userId })),
    team: { teamid: teamId },
  },
});

interface Group {
  /** Path of its operations. */
  readonly path: string;
  /** Headers of requests by its creator. */
  readonly headers: Readonly<Record<string, string>>;
  /** Members of the team who are not in the group. */
  readonly others: readonly string[];
}

/** Create a group of a new team with some members besides its creator, and this many other members of the team. */
async function groupOfTeam(stack: BenchStack, members: number, others = 0): Promise<Group> {
  const { id, teamId, headers } = await teamOwner(stack);
  const crowd = await addCrowd({ id: teamId, owner: { id } }, { size: members + others }, stack.prefix);
  const creation = { ...newGroupRequest(teamId, crowd.slice(0, members)), headers };
  const { body } = await call(stack.publicUrl, creation, 201);
  const path = `/v9/conversations/${domain}/${body.qualified_id.id}`;
  return { path, headers, others: crowd.slice(members) };
}

/** Reads the conversations of a user who is in this many with other members. */
function reading(
  name: string,
  { count: size, members }: { count: number; members: number },
  toRequest: (ids: readonly string[]) => BenchRequest,
): Operation {
  return {
    name,
    floor: { dynamodbCallsInSeries: 1, otherCalls: 0 },
    expectedStatus: 200,
    hashesPassword: false,
    async prepare(stack, count) {
      return inTurns(count, async () => {
        const { id, token } = await logIn(stack);
        const others = Array.from({ length: members - 1 }, () => ({ id: randomUUID() }));
        const { newConversations } = conversationData(stack);
        const ids: string[] = [];
        // Only as many at a time as the emulator accepts.
        for (const some of chunks(Array.from({ length: size }), conversationsAtATime)) {
          ids.push(...(await newConversations(some.length, [{ id }, ...others])));
        }
        return { ...toRequest(ids), headers: { authorization: `Bearer ${token}` } };
      });
    },
  };
}

/** Create a team, and return its owner, not logged in. */
const newOwner = (stack: BenchStack) =>
  activatedUser(stack, { password, team: { name: "Engines", icon: "default" } });

/** Create a team, and return its owner. */
async function teamOwner(stack: BenchStack) {
  const { id, email, teamId } = await newOwner(stack);
  const login = { method: "POST", path: "/login", json: { email, password } };
  const { body } = await call(stack.publicUrl, login, 200);
  return { id, email, teamId, headers: { authorization: `Bearer ${body.access_token}` } };
}

const tokenRequest = (form: Record<string, string>): BenchRequest => ({
  method: "POST",
  path: "/v8/oauth/token",
  form,
});

/** Requests with which an app exchanges the codes that users have granted it. */
async function codeExchanges(stack: BenchStack, count: number): Promise<BenchRequest[]> {
  const redirect_uri = "https://app.example.com/callback";
  const description = { application_name: "Calendar", redirect_url: redirect_uri };
  const app = { method: "POST", path: "/i/oauth/clients", json: description };
  const { client_id } = (await call(stack.internalUrl, app, 200)).body;
  const tokens = await times(Math.ceil(count / grantsPerUser), () => activatedToken(stack));
  const consent = {
    client_id,
    redirect_uri,
    response_type: "code",
    scope: "read:self",
    state: "x",
    code_challenge: createHash("sha256").update(codeVerifier).digest("base64url"),
    code_challenge_method: "S256",
  };
  let started = 0;
  return times(count, async () => {
    const headers = { authorization: `Bearer ${tokens[started++ % tokens.length]}` };
    const codes = { method: "POST", path: "/v8/oauth/authorization/codes", headers, json: consent };
    const { headers: answered } = await call(stack.publicUrl, codes, 201);
    const code = new URL(answered.get("location") ?? "").searchParams.get("code") ?? "";
    const form = { grant_type: "authorization_code", client_id, redirect_uri, code };
    return tokenRequest({ ...form, code_verifier: codeVerifier });
  });
}

/** Create a user with devices. @returns the user id and the ids of the devices */
async function userWithDevices(stack: BenchStack): Promise<[string, string[]]> {
  const { id, headers } = await anonymousUser(stack);
  const deviceIds: string[] = [];
  for (let index = 0; index < devicesPerUser; index++) {
    deviceIds.push((await call(stack.publicUrl, newDevice(headers), 201)).body.id);
  }
  return [id, deviceIds];
}

/** Create a user without a password. */
async function anonymousUser(stack: BenchStack): Promise<{ id: string; headers: Record<string, string> }> {
  const { cookie } = await register(stack);
  const { body } = await call(stack.publicUrl, access({ cookie: `zuid=${cookie}` }), 200);
  return { id: body.user, headers: { authorization: `Bearer ${body.access_token}` } };
}

const newDevice = (headers: Record<string, string>): BenchRequest => ({
  method: "POST",
  path: "/v8/clients",
  headers,
  json: { type: "permanent", prekeys: newPrekeys(prekeysPerDevice), lastkey: lastPrekey() },
});

const cookieIn = (headers: Headers) => /^zuid=([^;]*)/.exec(headers.getSetCookie()[0] ?? "")?.[1] ?? "";

const concurrency = 8;

/** Requests of several users in turn, as many as are sent concurrently. */
async function inTurns(count: number, make: () => Promise<BenchRequest>): Promise<BenchRequest[]> {
  const requests = await times(Math.min(count, concurrency), make);
  return Array.from({ length: count }, (_, index) => requests[index % requests.length] as BenchRequest);
}

/** Results of `count` calls, a few of which run concurrently. */
async function times<Result>(count: number, make: (index: number) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  let started = 0;
  const work = async () => {
    for (let index = started++; index < count; index = started++) results.push(await make(index));
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return results;
}

/** Operations that can share a stack, with the settings of that stack. */
const names = operations.map(({ name }) => name);
const twice = names.find((name, index) => names.indexOf(name) < index);
if (twice !== undefined) throw new Error(`The benchmark has two operations ${twice}`);

export const operationsBySettings: readonly {
  readonly settings: SettingsInput;
  readonly operations: readonly Operation[];
}[] = [...Map.groupBy(operations, (operation) => operation.settings)].map(([settings = {}, members]) => ({
  settings,
  operations: members,
}));
