import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { accountEditor } from "../../support/accounts.ts";
import { type ApiAnswer, api, internalApi, outcome } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import { idsIn, indexUsers, newWord, search } from "../../support/search.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam } from "../../support/teams.ts";
import { newEmail, newUser, register, somePassword, type User } from "../../support/users.ts";

/** Only searches, so tests can share this user. */
let searcher: User;
beforeAll(async () => {
  searcher = await newUser({ name: "Searcher" });
});

const namesIn = ({ body }: Pick<ApiAnswer, "body">): string[] =>
  body.documents.map(({ name }: { name: string }) => name);

const find = async (query: string, options?: Parameters<typeof search>[2]) =>
  idsIn(await search(searcher, query, options));

/** The index follows the accounts within moments. */
const expectFound = (query: string, ids: (string | undefined)[], by: { token: string } = searcher) =>
  eventually(async () => expect(idsIn(await search(by, query))).toEqual(ids));

const newHandle = () => `h${newWord()}`;

describe.concurrent("a search", () => {
  it("finds a user by the beginning of any word of the name, regardless of case and accents", async () => {
    const [first, last] = [newWord(), newWord()];
    const { id } = await newUser({ name: `Ä${first} Ñ${last}-Ødegård` });

    await expectFound(`a${first}`, [id]);
    for (const query of [
      `Ä${first.slice(0, 7)}`,
      `A${first}`.toUpperCase(),
      `n${last}`,
      `  n${last.slice(0, 6)}\ta${first} `,
      `n${last}-odegard`,
    ]) {
      expect(await find(query)).toEqual([id]);
    }
    for (const query of [first, `a${first}x`, `a${first} x`, `a${first} ${last}`, `a${first}n${last}`]) {
      expect(await find(query)).toEqual([]);
    }
  });

  it("finds names in other scripts by their Latin spelling", async () => {
    const word = newWord();
    const ids = await indexUsers([{ name: `Иван 王小明 ${word}` }]);
    for (const query of [`ivan ${word}`, `иВа ${word}`, `wang ${word}`, `王 ${word}`]) {
      expect(await find(query)).toEqual(ids);
    }
  });

  it("returns documents in an envelope", async () => {
    const name = `Ada ${newWord()}`;
    const handle = newHandle();
    const team = randomUUID();
    const ada = await newUser({ name, accent_id: 3 });
    await expectFound(name, [ada.id]);
    const document = {
      qualified_id: { domain: "parley.localhost", id: ada.id },
      id: ada.id,
      name,
      accent_id: 3,
    };
    const envelope = {
      found: 1,
      returned: 1,
      took: expect.any(Number),
      search_policy: "full_search",
      has_more: false,
    };
    const answer = await search(searcher, name);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ ...envelope, documents: [document] });

    await accountEditor().change(ada, { handle, teamId: team });
    const { body } = await search(searcher, handle);
    expect(body).toEqual({ ...envelope, documents: [{ ...document, handle, team }] });
  });

  it.each(["", "/v0", "/v8"])("exists under the prefix %j", async (prefix) => {
    const word = newWord();
    const ids = await indexUsers([{ name: word }]);
    expect(idsIn(await api("GET", `${prefix}/search/contacts?q=${word}`, searcher))).toEqual(ids);
    expect(idsIn(await api("POST", `${prefix}/search/contacts?q=${word}`, searcher))).toEqual(ids);
  });

  it("accepts its parameters in the query or the body of a POST, where the body takes precedence", async () => {
    const word = newWord();
    const ids = await indexUsers([{ name: `${word} a` }, { name: `${word} b` }]);
    const post = (query: string, json?: unknown) =>
      api("POST", `/search/contacts${query}`, { token: searcher.token, json });

    expect(idsIn(await post("", { q: word }))).toEqual(ids);
    expect(idsIn(await post("", { q: word, size: 1, domain: "parley.localhost", other: 1 }))).toEqual([
      ids[0],
    ]);
    expect(idsIn(await post(`?q=${word}&size=1`))).toEqual([ids[0]]);
    expect(idsIn(await post(`?q=${word}`, { size: 1 }))).toEqual([ids[0]]);
    expect(idsIn(await post("?q=nobody&size=1", { q: word, size: 2 }))).toEqual(ids);
    const { body } = await post("", { q: word, size: 1 });
    expect(idsIn(await post("", { q: word, size: 1, pagingState: body.paging_state }))).toEqual([ids[1]]);
  });

  it.each(["", "  ", "%09%0A", "@", "%E2%80%8B"])("finds nothing for the empty query %j", async (query) => {
    const { status, body } = await api("GET", `/search/contacts?q=${query}`, searcher);
    expect(status).toBe(200);
    expect(body).toMatchObject({ found: 0, returned: 0, documents: [], has_more: false });
    expect(body).not.toHaveProperty("paging_state");
  });

  it("matches words by up to 30 characters of their beginning, or as a whole", async () => {
    const word = `${newWord()}${newWord()}${newWord()}${newWord()}`;
    const ids = await indexUsers([{ name: word }, { name: "Ada", handle: `${word}.too` }]);
    const [byName, byHandle] = ids;

    for (const length of [5, 30]) expect(await find(word.slice(0, length))).toEqual([byHandle, byName]);
    for (const length of [31, 39]) expect(await find(word.slice(0, length))).toEqual([]);
    expect(await find(word)).toEqual([byName]);
    expect(await find(`${word}.too`)).toEqual([byHandle]);
  });

  it("handles names and queries with many words, or with characters that transliterate to several", async () => {
    const word = newWord();
    const signs = Array.from({ length: 60 }, (_, index) => String.fromCodePoint(0x4e00 + index * 7));
    const { id } = await newUser({ name: `${word} ${signs.join(" ").slice(0, 110)}` });
    const emoji = await newUser({ name: `${word} ${"🫱🏿‍🫲🏻".repeat(8)} 🎉${word}` });

    await eventually(async () => expect((await find(word)).toSorted()).toEqual([id, emoji.id].toSorted()));
    expect(await find(`${word} 🎉`)).toEqual([emoji.id]);
    expect(await find(`${word} ${signs.slice(0, 10).join(" ")}`)).toEqual([id]);
    expect(await find(`${signs.join(" ")} ${word}`)).toEqual([]);
    const syllables = Array.from({ length: 340 }, (_, index) => (index + 36 ** 2).toString(36).slice(-2));
    expect((await search(searcher, syllables.join(" "))).status).toBe(200);
    expect(await find("x".repeat(1024))).toEqual([]);
  });

  it("finds a renamed user by the new name only", async () => {
    const [oldName, newName] = [newWord(), newWord()];
    const [oldHandle, handle] = [newHandle(), newHandle()];
    const user = await newUser({ name: oldName });
    const { change } = accountEditor();
    await change(user, { handle: oldHandle });
    await expectFound(oldHandle.slice(0, -1), [user.id]);

    await change(user, { name: newName, handle });
    await expectFound(newName, [user.id]);
    expect(await find(handle)).toEqual([user.id]);
    for (const query of [oldName, oldHandle, oldHandle.slice(0, -1)]) expect(await find(query)).toEqual([]);
  });

  it("shows the result of 20 concurrent changes", async () => {
    const word = newWord();
    const user = await newUser({ name: `${word} 0` });
    const names = Array.from({ length: 20 }, (_, index) => `${word} ${10 + index}`);
    const { change } = accountEditor();
    await Promise.allSettled(names.map((name) => change(user, { name })));

    const { body: profile } = await api("GET", "/self", user);
    await eventually(async () => expect(namesIn(await search(searcher, word))).toEqual([profile.name]));
    for (const name of [...names, `${word} 0`]) {
      expect(await find(name)).toEqual(name === profile.name ? [user.id] : []);
    }
  });
});

describe.concurrent("a handle", () => {
  it("finds its owner first and once, with or without @ and in any case", async () => {
    const handle = newHandle();
    const owner = await newUser({ name: "Ada" });
    await accountEditor().change(owner, { handle });
    const [namesake, longer] = await indexUsers([
      { name: handle, handle: newHandle() },
      { name: "Bob", handle: `${handle}2` },
    ]);

    await expectFound(handle.slice(0, -1), [owner.id, longer, namesake]);
    for (const query of [handle, `@${handle}`, ` ${handle.toUpperCase()} `]) {
      const { body } = await search(searcher, query);
      expect(idsIn({ body })).toEqual([owner.id, namesake, longer]);
      expect(body).toMatchObject({ found: 3, returned: 3, has_more: false });
    }
    const { body } = await search(searcher, handle, { size: 1 });
    expect(idsIn({ body })).toEqual([owner.id]);
    expect(body).toMatchObject({ returned: 1, has_more: true });
    const options = { size: 5, pagingState: body.paging_state };
    const page = await search(searcher, handle, options);
    expect(idsIn(page)).toEqual([namesake, longer]);
    expect(page.body).toMatchObject({ found: 3, has_more: false });
  });

  it("finds its owner in any team, unlike its beginning", async () => {
    const handle = newHandle();
    const [team, { owner: stranger }] = await Promise.all([newTeam(), newTeam()]);
    const owner = await team.add("member", { name: "Ada" });
    await accountEditor().change(owner, { handle });

    for (const by of [searcher, stranger]) {
      await expectFound(handle, [owner.id], by);
      await expectFound(handle.slice(0, -1), [], by);
    }
  });

  it("finds no owner in another team when searchSameTeamOnly is set", async () => {
    const apis = await stackWith({ searchSameTeamOnly: true });
    const { publicApi, prefix } = apis;
    const { change } = accountEditor({ prefix });
    const word = newWord();
    const team = await newTeam({}, apis);
    const [ada, bob, carl] = await Promise.all([
      team.add("member", { name: `Ada ${word}` }),
      team.add("member", { name: `Bob ${word}` }),
      newUser({ name: `Carl ${word}` }, apis),
    ]);
    const seen = async (by: User, query: string) => idsIn(await search(by, query, { publicApi }));
    await change(ada, { handle: `${word}.a` });
    await change(carl, { handle: `${word}.c` });

    await eventually(async () => {
      expect(await seen(bob, word)).toEqual([ada.id]);
      expect(await seen(ada, word)).toEqual([bob.id]);
      expect(await seen(carl, word)).toEqual([]);
    });
    expect(await seen(bob, `${word}.a`)).toEqual([ada.id]);
    expect(await seen(carl, `${word}.a`)).toEqual([]);
    expect(await seen(bob, `${word}.c`)).toEqual([carl.id]);

    await change(carl, { teamId: randomUUID() });
    expect(await seen(bob, `${word}.c`)).toEqual([]);
  });
});

describe.concurrent("the order of search results", () => {
  it("puts whole words of the name first, then beginnings of the handle, then beginnings of the name", async () => {
    const word = newWord();
    const ids = await indexUsers([
      { name: word, handle: `${word}.1` },
      { name: `Ada ${word}`, handle: newHandle() },
      { name: `${word}son`, handle: `${word}2` },
      { name: "Bob", handle: `${word}3` },
      { name: `${word}son`, handle: newHandle() },
      { name: word },
      { name: `${word}son` },
    ]);
    expect(await find(word)).toEqual(ids);
  });

  it("depends on the sum of the scores of all words", async () => {
    const [one, other] = [newWord(), newWord()];
    const [both, second, first, none] = await indexUsers([
      { name: `${one} ${other}` },
      { name: `${one}a ${other}` },
      { name: `${one} ${other}b` },
      { name: `${one}a ${other}a` },
    ]);
    expect(await find(`${one} ${other}`)).toEqual([both, first, second, none]);
  });

  it("puts teammates before users without a team, and omits other teams", async () => {
    const word = newWord();
    const team = await newTeam();
    const teamId = team.id;
    const member = await team.add("member", { name: word });
    const [other, mate, mateWithHandle, publicUser, publicWithHandle] = await indexUsers([
      { name: word, teamId: randomUUID() },
      { name: `${word}a`, teamId },
      { name: `${word}b`, teamId, handle: newHandle() },
      { name: word },
      { name: word, handle: newHandle() },
    ]);

    await expectFound(word, [publicWithHandle, publicUser]);
    await eventually(async () => {
      const ids = idsIn(await search(member, word));
      expect(ids).toEqual([mateWithHandle, mate, publicWithHandle, publicUser]);
      expect(ids).not.toContain(other);
    });
  });
});

describe.concurrent("search results", () => {
  it("never include the searcher", async () => {
    const [name, handle] = [newWord(), newHandle()];
    const user = await newUser({ name });
    await accountEditor().change(user, { handle });
    await expectFound(name, [user.id]);
    for (const query of [name, handle, handle.slice(0, -1)]) {
      expect((await search(user, query)).body).toMatchObject({ found: 0, documents: [] });
    }
  });

  it("do not include a suspended user, until the user is active again", async () => {
    const [name, handle] = [newWord(), newHandle()];
    const user = await newUser({ name });
    await accountEditor().change(user, { handle });
    const setStatus = (status: string) =>
      internalApi("PUT", `/i/users/${user.id}/status`, { json: { status } });
    await expectFound(name, [user.id]);

    await setStatus("suspended");
    expect(await find(handle)).toEqual([]);
    await expectFound(name, []);
    await setStatus("active");
    await expectFound(name, [user.id]);
    expect(await find(handle)).toEqual([user.id]);
  });

  it("do not include a user who was suspended for inactivity", async () => {
    const apis = await stackWith({ setSuspendInactiveUsers: { suspendTimeout: 3600 } });
    const name = newWord();
    const user = await newUser({ name }, apis);
    const other = await newUser({}, apis);
    const seen = async () => idsIn(await search(other, name, apis));
    await eventually(async () => expect(await seen()).toEqual([user.id]));

    apis.advance(7200);
    const { email, password } = user;
    const login = await apis.publicApi("POST", "/login", { json: { email, password } });
    expect(outcome(login)).toBe("403 suspended");
    const { body } = await apis.publicApi("POST", "/access", { cookie: other.cookie });
    const token: string = body.access_token;
    await eventually(async () => expect(idsIn(await search({ token }, name, apis))).toEqual([]));
  });

  it("do not include a deleted user", async () => {
    const [name, handle] = [newWord(), newHandle()];
    const user = await newUser({ name });
    const { change } = accountEditor();
    await change(user, { handle });
    await expectFound(name, [user.id]);

    await change(user, { status: "deleted", handle: undefined, email: undefined });
    await expectFound(name, []);
    expect(await find(handle)).toEqual([]);
  });

  it("do not include anonymous or unactivated users", async () => {
    const name = newWord();
    await register({ name });
    await register({ name, email: newEmail(), password: somePassword });
    const last = await newUser({ name });
    await expectFound(name, [last.id]);
  });
});

describe.concurrent("a search request", () => {
  const refused = "403 insufficient-permissions";

  it("is refused with 403 insufficient-permissions to anonymous, unactivated, suspended and deleted users", async () => {
    const anonymous = await register({});
    const pending = await register({ email: newEmail(), password: somePassword });
    for (const { cookie } of [anonymous, pending]) {
      const { body } = await api("POST", "/access", { cookie });
      expect(outcome(await search({ token: body.access_token }, "ada"))).toBe(refused);
    }

    const user = await newUser();
    await accountEditor().change(user, { status: "suspended" });
    expect(outcome(await search(user, "ada"))).toBe(refused);
    expect(outcome(await search(user, ""))).toBe(refused);
    await accountEditor().change(user, { status: "deleted" });
    expect(outcome(await search(user, "ada"))).toBe(refused);
  });

  it("is refused without a token, and for an unknown user named by an internal caller", async () => {
    expect(outcome(await api("GET", "/search/contacts?q=ada"))).toBe("401 unauthorized");
    expect(outcome(await api("POST", "/search/contacts?q=ada"))).toBe("401 unauthorized");
    const headers = { "z-user": randomUUID() };
    expect(outcome(await internalApi("GET", "/search/contacts?q=ada", { headers }))).toBe(refused);
  });

  it("is refused when its body is not JSON", async () => {
    const post = (body: string, type: string) =>
      api("POST", "/search/contacts", { token: searcher.token, body, headers: { "content-type": type } });
    expect(outcome(await post("{", "application/json"))).toBe("400 bad-request");
    expect((await post("q=ada", "text/plain")).status).toBe(415);
  });

  it("is refused for other domains, but not for its own", async () => {
    const word = newWord();
    const ids = await indexUsers([{ name: word }]);
    for (const domain of ["other.example.com", ""]) {
      expect(outcome(await search(searcher, word, { domain }))).toBe("400 federation-not-enabled");
    }
    expect(await find(word, { domain: "Parley.Localhost" })).toEqual(ids);
  });
});

describe.concurrent("pages of a search", () => {
  async function pagesOf(query: string, sizes: number[]): Promise<ApiAnswer[]> {
    const pages: ApiAnswer[] = [];
    let pagingState: string | undefined;
    do {
      const size = sizes[pages.length % sizes.length];
      const page = await search(searcher, query, { size, ...(pagingState !== undefined && { pagingState }) });
      expect(page.status).toBe(200);
      expect(page.body.returned).toBe(page.body.documents.length);
      expect(page.body.returned).toBeLessThanOrEqual(size as number);
      expect(page.body.has_more).toBe(page.body.paging_state !== undefined);
      pages.push(page);
      pagingState = page.body.paging_state;
    } while (pagingState !== undefined);
    return pages;
  }

  it("list everybody once, in the same order for any page size", async () => {
    const word = newWord();
    const users = Array.from({ length: 24 }, (_, index) => ({
      name: `${word}${index % 3 === 0 ? "" : index} ${word}x`,
      handle: index % 2 === 0 ? `${word}${index}` : undefined,
    }));
    const ids = await indexUsers(users);
    const [whole] = await pagesOf(word, [500]);
    expect(idsIn(whole as ApiAnswer).toSorted()).toEqual(ids.toSorted());

    for (const sizes of [[1], [7], [24], [23, 1], [2, 500]]) {
      const pages = await pagesOf(word, sizes);
      expect(pages.flatMap(idsIn)).toEqual(idsIn(whole as ApiAnswer));
      for (const { body } of pages) expect(body.found).toBe(24);
    }
    expect(await find(word)).toEqual(idsIn(whole as ApiAnswer).slice(0, 15));
  });

  it("list everybody once when there are more users than can be ranked together", async () => {
    const word = newWord();
    // Found by handle, by one and by two words of the name, late in one list and early in another.
    const users = Array.from({ length: 250 }, (_, index) => ({
      name: `${word}${index.toString().padStart(3, "0")} ${index % 5 === 0 ? `${word}x${index}` : ""}`,
      handle: index % 2 === 0 ? `${word}${(250 - index).toString().padStart(3, "0")}` : undefined,
    }));
    const ids = await indexUsers(users);
    const withHandle = ids.filter((_, index) => index % 2 === 0);

    for (const sizes of [[15], [100, 3], [500]]) {
      const listed = (await pagesOf(word, sizes)).flatMap(idsIn);
      expect(listed.toSorted()).toEqual(ids.toSorted());
      expect(listed.slice(0, 125).toSorted()).toEqual(withHandle.toSorted());
    }
    const pages = await pagesOf(word, [50]);
    const found = pages.map(({ body }) => body.found);
    expect(found).toEqual(found.toSorted((one, other) => one - other));
    expect(found.at(-1)).toBe(250);
  });

  it("find the few users whose names have a rare word and a common one", async () => {
    const [common, rare] = [`${newWord()}${newWord()}`, newWord()];
    const ids = await indexUsers(
      Array.from({ length: 700 }, (_, index) => ({
        name: `${common}${index + 1000} ${index % 200 === 199 ? `${rare}${index}` : ""}`,
      })),
    );
    const expected = [ids[199], ids[399], ids[599]];
    expect((await pagesOf(`${rare} ${common}`, [15])).flatMap(idsIn)).toEqual(expected);
    expect((await pagesOf(`${common} ${rare} 0`, [15])).flatMap(idsIn)).toEqual([]);
    expect((await pagesOf(`${rare} ${common}`, [1])).flatMap(idsIn)).toEqual(expected);
  });

  it("are refused for the cursor of another search, and for a forged one", async () => {
    const word = newWord();
    await indexUsers([{ name: `${word} a` }, { name: `${word} b` }]);
    const { body } = await search(searcher, word, { size: 1 });
    const state = JSON.parse(Buffer.from(body.paging_state, "base64url").toString());
    const { tier, cursors, limit, listed } = state;
    expect(await find(word, { pagingState: body.paging_state })).toHaveLength(1);
    const entry = `${word} ${randomUUID()}`;
    const place = { tier: 0, cursors: [entry, entry], limit, listed };
    const attempt = async (query: string, forged: unknown) =>
      outcome(
        await search(searcher, query, {
          pagingState: Buffer.from(JSON.stringify(forged)).toString("base64url"),
        }),
      );
    expect(await attempt(word, { tier, cursors, limit, listed })).toBe("200");
    expect(await attempt(word, place)).toBe("200");
    expect(await attempt(newWord(), place)).toBe("400 bad-request");
    for (const forged of [
      {},
      [],
      null,
      "",
      { ...place, tier: 7 },
      { ...place, tier: -1 },
      { ...place, cursors: [entry] },
      { ...place, cursors: [entry, "zzz"] },
      { ...place, cursors: [entry, `${word}\ud800`] },
      { ...place, cursors: [entry, `${word}é`] },
      { ...place, cursors: [entry, word + "x".repeat(1000)] },
      { ...place, limit: 0 },
      { ...place, limit: 100_000 },
      { ...place, listed: Number.MAX_SAFE_INTEGER },
      { ...place, last: {} },
      { ...place, list: "team#1" },
    ]) {
      expect(await attempt(word, forged)).toBe("400 bad-request");
    }
  });
});
