import { randomUUID } from "node:crypto";
import { type BenchRequest, type BenchStack, call } from "./api-client.ts";

export interface Operation {
  readonly name: string;
  /** The smallest numbers that the interface allows, from the budgets of the design; absent where it has none. */
  readonly floor?: { readonly dynamodbCallsInSeries: number; readonly otherCalls: number };
  readonly expectedStatus: number;
  /** Whether a password is hashed: such requests take so long that few must do. */
  readonly hashesPassword: boolean;
  /** Requests for one use each, whose users and codes exist afterwards. */
  prepare(stack: BenchStack, count: number): Promise<BenchRequest[]>;
}

const password = "correct horse battery";
const newEmail = () => `bench-${randomUUID()}@example.com`;
/** A user may hold 32 cookies; then each further login has to make room. */
const loginsPerUser = 20;
const renewAgeSeconds = 15 * 86_400;

export const operations: readonly Operation[] = [
  {
    name: "authenticate a request",
    floor: { dynamodbCallsInSeries: 0, otherCalls: 0 },
    expectedStatus: 400,
    hashesPassword: false,
    async prepare(stack, count) {
      // Refused for its body, which is looked at after the token and before anything is read.
      const authorization = `Bearer ${(await logIn(stack)).token}`;
      return repeated(count, {
        method: "POST",
        path: "/cookies/remove",
        headers: { authorization },
        json: {},
      });
    },
  },
  {
    name: "GET /self",
    floor: { dynamodbCallsInSeries: 1, otherCalls: 0 },
    expectedStatus: 200,
    hashesPassword: false,
    async prepare(stack, count) {
      const authorization = `Bearer ${(await logIn(stack)).token}`;
      return repeated(count, { method: "GET", path: "/self", headers: { authorization } });
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
    name: "GET /search/contacts",
    floor: { dynamodbCallsInSeries: 2, otherCalls: 0 },
    expectedStatus: 200,
    hashesPassword: false,
    async prepare(stack, count) {
      const headers = { authorization: `Bearer ${(await logIn(stack)).token}` };
      return repeated(count, { method: "GET", path: "/search/contacts?q=ada", headers });
    },
  },
  {
    name: "POST /access",
    floor: { dynamodbCallsInSeries: 1, otherCalls: 0 },
    expectedStatus: 200,
    hashesPassword: false,
    async prepare(stack, count) {
      const { cookie, token } = await logIn(stack);
      return repeated(count, access({ cookie: `zuid=${cookie}`, authorization: `Bearer ${token}` }));
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
    name: "POST /access, cookie renewed",
    floor: { dynamodbCallsInSeries: 2, otherCalls: 0 },
    expectedStatus: 200,
    hashesPassword: false,
    async prepare(stack, count) {
      // Last of all, because the time that makes cookies old passes for everything.
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

/** Without a password unless one is given: that is a hash less to wait for. */
async function register(stack: BenchStack, fields: { password?: string } = {}) {
  const email = newEmail();
  const { headers } = await call(stack.publicUrl, registration({ email, ...fields }), 201);
  return { email, cookie: cookieIn(headers) };
}

async function activation(stack: BenchStack, email: string): Promise<BenchRequest> {
  const path = `/i/users/activation-code?email=${encodeURIComponent(email)}`;
  const { body } = await call(stack.internalUrl, { method: "GET", path }, 200);
  return { method: "POST", path: "/activate", json: { email, code: body.code } };
}

async function activatedUser(stack: BenchStack, fields: { password?: string } = {}) {
  const user = await register(stack, fields);
  await call(stack.publicUrl, await activation(stack, user.email), 200);
  return user;
}

/** Token of a user who may do what needs an activated account. */
export const activatedToken = async (stack: BenchStack): Promise<string> => (await logIn(stack)).token;

async function logIn(stack: BenchStack): Promise<{ cookie: string; token: string }> {
  const { email } = await activatedUser(stack, { password });
  const login = { method: "POST", path: "/login?persist=true", json: { email, password } };
  const { headers, body } = await call(stack.publicUrl, login, 200);
  return { cookie: cookieIn(headers), token: body.access_token };
}

const cookieIn = (headers: Headers) => /^zuid=([^;]*)/.exec(headers.getSetCookie()[0] ?? "")?.[1] ?? "";

const repeated = (count: number, request: BenchRequest) => Array.from({ length: count }, () => request);

const atOnce = 8;

/** Results of `count` calls, a few under way at any time. */
async function times<Result>(count: number, make: () => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  let started = 0;
  const work = async () => {
    while (started++ < count) results.push(await make());
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}
