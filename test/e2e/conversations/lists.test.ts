import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { mlsSelfConversationId } from "#shared/conversations/derived-ids.ts";
import { answerBytes, maxAnswerBytes } from "#shared/platform/http/answer-size.ts";
import { api, outcome } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { conversationData, newConversation, newConversations } from "../../support/conversations.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newUser, type User } from "../../support/users.ts";

type Id = { readonly id: string };
type Caller = Pick<User, "token">;

const qualify = (id: string, domain = localDomain) => ({ domain, id });
const idsOf = (items: readonly Id[]) => items.map(({ id }) => id);

const listIds = ({ token }: Caller, json: object = {}, version = 9) =>
  api("POST", `/v${version}/conversations/list-ids`, { token, json });
const list = ({ token }: Caller, qualified_ids: object[], path = "/v9/conversations/list", publicApi = api) =>
  publicApi("POST", path, { token, json: { qualified_ids } });
const getPage = ({ token }: Caller, query = "", version = 9) =>
  api("GET", `/v${version}/conversations${query}`, { token });
const getIds = ({ token }: Caller, query = "", version = 9) =>
  api("GET", `/v${version}/conversations/ids${query}`, { token });

describe("the conversations of a user who has 1,500", () => {
  let user: User;
  let ids: string[];

  beforeAll(async () => {
    user = await newUser();
    ids = [...(await newConversations(1499, [user])), user.id].sort();
  });

  it("are listed in pages, in the order of their ids", async () => {
    const first = await listIds(user, { size: 1000 }, 2);
    expect(first).toMatchObject({ status: 200, body: { has_more: true } });
    const { paging_state } = first.body;
    const second = await listIds(user, { size: 1000, paging_state }, 2);
    expect(second.body.has_more).toBe(false);
    const listed = [first, second].flatMap(({ body }) => idsOf(body.qualified_conversations));
    expect(listed).toEqual(ids);
    expect(first.body.qualified_conversations).toHaveLength(1000);
    expect(first.body.qualified_conversations[0]).toEqual(qualify(ids[0] ?? ""));

    const last = await listIds(user, { paging_state: second.body.paging_state }, 2);
    expect(last.body).toEqual({ ...second.body, qualified_conversations: [] });
  });

  it("are listed in pages of other sizes, which may change from page to page", async () => {
    const listed: string[] = [];
    let paging_state: string | undefined;
    for (const size of [1, 2, 700, 1000]) {
      const { body } = await listIds(user, { size, paging_state }, 2);
      listed.push(...idsOf(body.qualified_conversations));
      ({ paging_state } = body);
    }
    expect(listed).toEqual(ids);
    expect((await listIds(user, {}, 2)).body.qualified_conversations).toHaveLength(1000);
  });

  it("are listed as plain ids after any id", async () => {
    const { body } = await getIds(user, "", 2);
    expect(body).toEqual({ conversations: ids.slice(0, 1000), has_more: true });
    const rest = await getIds(user, `?start=${ids[999]}&size=500`, 9);
    expect(rest.body).toEqual({ conversations: ids.slice(1000), has_more: false });
    const start = randomUUID();
    const later = ids.filter((id) => id > start).slice(0, 5);
    expect((await getIds(user, `?start=${start}&size=5`)).body.conversations).toEqual(later);
  });

  it("are returned in pages of 32 or more", async () => {
    const first = await getPage(user, "/", 2);
    expect(first.body.has_more).toBe(true);
    expect(idsOf(first.body.conversations)).toEqual(ids.slice(0, 32));
    const second = await getPage(user, `?start=${ids[31]}&size=500`);
    expect(idsOf(second.body.conversations)).toEqual(ids.slice(32, 532));
    expect(second.body.has_more).toBe(true);
    const last = await getPage(user, `?start=${ids[1499]}`);
    expect(last.body).toEqual({ conversations: [], has_more: false });
  });

  it("are found by hundreds of ids", async () => {
    const wanted = ids.slice(0, 300);
    const { body } = await list(
      user,
      wanted.map((id) => qualify(id)),
    );
    expect(idsOf(body.found)).toEqual(wanted);
    expect(body).toMatchObject({ not_found: [], failed: [] });
  });
});

describe.concurrent("POST /conversations/list-ids", () => {
  it("lists nothing after the last conversation, but still returns a state", async () => {
    const user = await newUser();
    const first = await listIds(user, {}, 2);
    const state = expect.stringMatching(/^[\w-]+$/);
    const all = { qualified_conversations: [qualify(user.id)], has_more: false, paging_state: state };
    expect(first.body).toEqual(all);
    const { paging_state } = first.body;
    expect((await listIds(user, { paging_state }, 2)).body).toEqual({ ...all, qualified_conversations: [] });
  });

  it("lists conversations of all kinds, and nobody else's", async () => {
    const [user, other] = await Promise.all([newUser(), newUser()]);
    const kinds = ["regular", "self", "one-to-one", "connection"] as const;
    const own = await Promise.all(kinds.map((type) => newConversation([user, other], { type })));
    await newConversation([other]);
    const { body } = await listIds(user, {}, 2);
    expect(idsOf(body.qualified_conversations)).toEqual([...idsOf(own), user.id].sort());
  });

  it("creates the MLS self conversation for clients that know it, and hides it from others", async () => {
    const user = await newUser();
    const { token } = user;
    const ids = [...(await newConversations(20, [user])), user.id].sort();
    const mlsSelf = mlsSelfConversationId(user.id);
    const all = [...ids, mlsSelf].sort();
    expect(idsOf((await listIds(user, {}, 2)).body.qualified_conversations)).toEqual(ids);
    // Read in pages, so that the conversation is created where it belongs.
    const listed: string[] = [];
    let page: { has_more: boolean; paging_state?: string } = { has_more: true };
    while (page.has_more) {
      const { body } = await listIds(user, { size: 7, paging_state: page.paging_state }, 3);
      listed.push(...idsOf(body.qualified_conversations));
      page = body;
    }
    expect(listed).toEqual(all);
    expect(idsOf((await listIds(user)).body.qualified_conversations)).toEqual(all);
    const { body: self } = await api("GET", "/v9/conversations/mls-self", { token });
    expect(self).toMatchObject({ id: mlsSelf, type: 1, protocol: "mls", epoch: 0 });

    const before = all.indexOf(mlsSelf);
    const around = { size: 1, start: all[before - 1] };
    const query = `?size=1${before === 0 ? "" : `&start=${around.start}`}`;
    expect((await getIds(user, query, 2)).body.conversations).toEqual([all[before + 1]].filter(Boolean));
    expect((await getIds(user, query, 3)).body.conversations).toEqual([mlsSelf]);
    expect(idsOf((await getPage(user, query, 2)).body.conversations)).not.toContain(mlsSelf);
  });

  it("creates it once for several clients that list at the same time", async () => {
    const user = await newUser();
    const answers = await Promise.all(Array.from({ length: 8 }, () => listIds(user)));
    const self = [user.id, mlsSelfConversationId(user.id)].sort().map((id) => qualify(id));
    for (const { body } of answers) expect(body.qualified_conversations).toEqual(self);
  });

  it("never shows another user's list, whatever state is sent", async () => {
    const [user, other] = await Promise.all([newUser(), newUser()]);
    await newConversations(3, [other]);
    const { paging_state } = (await listIds(other, { size: 1 }, 2)).body;
    const { body } = await listIds(user, { paging_state }, 2);
    expect(idsOf(body.qualified_conversations).filter((id) => id !== user.id)).toEqual([]);
  });
});

describe.concurrent("POST /conversations/list", () => {
  it("finds the user's conversations, and does not distinguish foreign from unknown ones", async () => {
    const [user, other] = await Promise.all([newUser(), newUser()]);
    const [own, shared, foreign] = await Promise.all([
      newConversation([user]),
      newConversation([other, user]),
      newConversation([other]),
    ]);
    const missing = [
      qualify(foreign.id),
      qualify(randomUUID()),
      qualify(own.id, "elsewhere.example"),
      qualify(randomUUID(), 'a "domain"\u0001'),
    ];
    const ids = [
      qualify(own.id),
      ...missing,
      qualify(shared.id),
      qualify(own.id.toUpperCase()),
      qualify(own.id),
    ];
    const { status, body } = await list(user, ids);
    expect(status).toBe(200);
    expect(idsOf(body.found).sort()).toEqual([own.id, shared.id].sort());
    expect(body.not_found).toHaveLength(missing.length);
    expect(body.not_found).toEqual(expect.arrayContaining(missing));
    expect(body.failed).toEqual([]);
  });

  it("shows conversations in the form of the version, under another path below version 2", async () => {
    const user = await newUser();
    const { id } = await newConversation([user]);
    for (const version of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) {
      const shown = (await api("GET", `/v${version}/conversations/${id}`, { token: user.token })).body;
      const paths = [`/v${version}/conversations/list/v2`, `/v${version}/conversations/list`];
      const [old, current] = await Promise.all(paths.map((path) => list(user, [qualify(id)], path)));
      const body = { found: [shown], not_found: [], failed: [] };
      expect((version < 2 ? old : current)?.body).toEqual(body);
      expect((version < 2 ? current : old)?.status).toBeGreaterThanOrEqual(404);
      const self = (await api("GET", `/v${version}/conversations/${user.id}`, { token: user.token })).body;
      const conversations = id < user.id ? [shown, self] : [self, shown];
      for (const query of ["", "/"])
        expect((await getPage(user, query, version)).body).toEqual({ conversations, has_more: false });
    }
  });

  it("accepts 1 to 1000 ids", async () => {
    const user = await newUser();
    const many = Array.from({ length: 1001 }, () => qualify(randomUUID()));
    for (const path of ["/v1/conversations/list/v2", "/v2/conversations/list", "/v9/conversations/list"]) {
      expect(outcome(await list(user, [], path))).toBe("400 bad-request");
      expect(outcome(await list(user, many, path))).toBe("400 bad-request");
      const { body } = await list(user, many.slice(1), path);
      expect(body).toEqual({ found: [], not_found: expect.any(Array), failed: [] });
      expect(body.not_found).toHaveLength(1000);
    }
    expect(outcome(await list(user, [{ domain: localDomain, id: "group" }]))).toBe("400 bad-request");
    expect(outcome(await list(user, [{ id: randomUUID() }]))).toBe("400 bad-request");
  });
});

describe.concurrent("GET /conversations", () => {
  it("returns the user's conversations among up to 32 ids, in the order of the ids", async () => {
    const [user, other] = await Promise.all([newUser(), newUser()]);
    const own = await newConversations(31, [user]);
    const { id: foreign } = await newConversation([other]);
    const { body } = await getPage(user, `?ids=${[...own.toReversed(), foreign].join()}`, 2);
    expect(idsOf(body.conversations)).toEqual(own);
    expect(body.has_more).toBe(false);
    const twice = await getPage(user, `?ids=${own[0]},${own[0]?.toUpperCase()}`);
    expect(idsOf(twice.body.conversations)).toEqual([own[0]]);
  });
});

describe("conversations with more members than fit into an answer", () => {
  const domain = `${"long.".repeat(48)}example`;
  let stack: OwnStack;
  let user: User;
  let large: string[];
  let small: string[];
  /** Queries of the function, and the maximum number of concurrent ones. */
  const queries = { count: 0, current: 0, most: 0 };
  let endCount = () => {};

  beforeAll(async () => {
    stack = await stackWith({ domain, setEnableMLS: false });
    user = await newUser({}, stack);
    const crowd = Array.from({ length: 499 }, () => ({ id: randomUUID() }));
    const { newConversations: create } = conversationData(stack);
    [large, small] = await Promise.all([create(26, [user, ...crowd]), create(60, [user])]);
    endCount = interceptAwsCalls(async ({ service, action, body }, send) => {
      if (service !== "dynamodb" || action !== "Query" || !body.includes("conversation#")) return send();
      queries.count++;
      queries.most = Math.max(queries.most, ++queries.current);
      return send().finally(() => queries.current--);
    });
  });
  afterAll(() => endCount());

  it("are found as far as they fit, and otherwise listed as failed", async () => {
    const found = new Set<string>();
    let left = [...small.slice(0, 30), ...large, ...small.slice(30)];
    let requests = 0;
    while (left.length > 0) {
      queries.count = 0;
      const { status, body } = await list(
        user,
        left.map((id) => qualify(id, domain)),
        undefined,
        stack.publicApi,
      );
      expect(status).toBe(200);
      expect(answerBytes(body)).toBeLessThan(maxAnswerBytes + 1000);
      expect(body.not_found).toEqual([]);
      expect(body.found.length + body.failed.length).toBe(left.length);
      // Hardly more is read than is sent.
      expect(queries.count).toBeLessThanOrEqual(body.found.length + 3);
      for (const { id } of body.found) found.add(id);
      left = idsOf(body.failed);
      requests++;
    }
    expect(found.size).toBe(86);
    expect(requests).toBeGreaterThan(1);
    expect(requests).toBeLessThan(6);
    expect(queries.most).toBeLessThanOrEqual(50);
  });

  it("are returned in shorter pages than requested", async () => {
    const got: string[] = [];
    for (let start = "", hasMore = true; hasMore; ) {
      const { status, body } = await stack.publicApi("GET", `/v9/conversations?size=500${start}`, {
        token: user.token,
      });
      expect(status).toBe(200);
      got.push(...idsOf(body.conversations));
      start = `&start=${got.at(-1)}`;
      hasMore = body.has_more;
    }
    expect(got).toEqual([...large, ...small, user.id].sort());
    const byIds = `/v9/conversations?ids=${large.join()}`;
    const { body } = await stack.publicApi("GET", byIds, { token: user.token });
    expect(body.has_more).toBe(true);
    expect(large.slice(0, body.conversations.length)).toEqual(idsOf(body.conversations));
  });

  it("do not include the MLS self conversation while MLS is off", async () => {
    const { id, token } = await newUser({}, stack);
    const { body } = await stack.publicApi("POST", "/v9/conversations/list-ids", { token, json: {} });
    expect(body).toMatchObject({ qualified_conversations: [qualify(id, domain)], has_more: false });
  });

  it("are not read for strangers", async () => {
    const stranger = await newUser({}, stack);
    queries.count = 0;
    const { body } = await list(
      stranger,
      large.map((id) => qualify(id, domain)),
      undefined,
      stack.publicApi,
    );
    expect(body.not_found).toHaveLength(large.length);
    expect(queries.count).toBe(0);
  });
});
