import { describe, expect, it } from "vitest";
import { accountEditor } from "../../support/accounts.ts";
import { api, internalApi, outcome } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import { idsIn, indexUsers, newWord, search } from "../../support/search.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser, type User } from "../../support/users.ts";

const pathOf = (teamId: string) => `/teams/${teamId}/search-visibility`;
const hidden = "no-name-outside-team";
const get = (teamId: string, { token }: User) => api("GET", pathOf(teamId), { token });
const put = (teamId: string, { token }: User, visibility: unknown) =>
  api("PUT", pathOf(teamId), { token, json: { search_visibility: visibility } });

const feature = (teamId: string, name: string, status: string) =>
  internalApi("PUT", `/i/teams/${teamId}/features/${name}`, { json: { status } });
const setFeature = async (...change: Parameters<typeof feature>) =>
  expect((await feature(...change)).status).toBe(200);

/** Names of the shared stack are not unique, random words are. */
const found = async (by: User, word: string) => idsIn(await search(by, word)).toSorted();
const expectFound = (by: User, word: string, ids: string[]) =>
  eventually(async () => expect(await found(by, word)).toEqual(ids.toSorted()));

describe.concurrent("the search visibility of a team", () => {
  it("can be changed while the feature is on, and is reset once that is off", async () => {
    const team = await newTeam();
    const [admin, partner] = await Promise.all([team.add("admin"), team.add("partner")]);
    expect(outcome(await put(team.id, team.owner, hidden))).toBe("403 team-search-visibility-not-enabled");

    await setFeature(team.id, "searchVisibility", "enabled");
    expect((await put(team.id, admin, hidden)).status).toBe(204);
    for (const by of [team.owner, admin, partner])
      expect((await get(team.id, by)).body).toEqual({ search_visibility: hidden });

    await setFeature(team.id, "searchVisibility", "disabled");
    expect((await get(team.id, partner)).body).toEqual({ search_visibility: "standard" });
    await setFeature(team.id, "searchVisibility", "enabled");
    expect((await get(team.id, partner)).body).toEqual({ search_visibility: "standard" });
  });

  it("hides names outside the team from its members, but not exact handles", async () => {
    const [team, word] = [await newTeam(), newWord()];
    const searcher = await team.add();
    const [mate, outsider] = await Promise.all([
      team.add("member", { name: `Mate ${word}` }),
      newUser({ name: `Outsider ${word}` }),
    ]);
    await accountEditor().change(outsider, { handle: `h${word}` });
    await setFeature(team.id, "searchVisibility", "enabled");
    await expectFound(searcher, word, [mate.id, outsider.id]);
    await expectFound(searcher, `h${word}`, [outsider.id]);

    expect((await put(team.id, team.owner, hidden)).status).toBe(204);
    const answer = await search(searcher, word);
    expect(answer.body).toMatchObject({ found: 1, returned: 1, has_more: false });
    expect(idsIn(answer)).toEqual([mate.id]);
    expect(await found(searcher, `h${word}`)).toEqual([outsider.id]);
    expect(await found(searcher, `h${word}`.slice(0, -1))).toEqual([]);

    expect((await put(team.id, team.owner, "standard")).status).toBe(204);
    expect(await found(searcher, word)).toEqual([mate.id, outsider.id].toSorted());
  });

  it("ends a list of several pages when it changes between them", async () => {
    const [team, word] = [await newTeam(), newWord()];
    const searcher = await team.add();
    const [mate] = await indexUsers([
      { name: word, teamId: team.id },
      { name: `${word} a` },
      { name: `${word} b` },
    ]);
    await setFeature(team.id, "searchVisibility", "enabled");
    const first = await search(searcher, word, { size: 2 });
    expect(idsIn(first)[0]).toBe(mate);
    expect(first.body.has_more).toBe(true);

    expect((await put(team.id, team.owner, hidden)).status).toBe(204);
    const second = await search(searcher, word, { size: 2, pagingState: first.body.paging_state });
    expect(second.body).toMatchObject({ returned: 0, documents: [], has_more: false });
  });

  it("can be changed only by admins and owners", async () => {
    const [team, other] = await Promise.all([newTeam(), newTeam()]);
    const [member, stranger] = await Promise.all([team.add("member"), newUser()]);
    await setFeature(team.id, "searchVisibility", "enabled");
    expect(outcome(await put(team.id, member, hidden))).toBe("403 operation-denied");
    for (const by of [stranger, other.owner]) {
      expect(outcome(await put(team.id, by, hidden))).toBe("403 no-team-member");
      expect(outcome(await get(team.id, by))).toBe("403 no-team-member");
    }
    for (const visibility of ["all", null, undefined, 1, {}])
      expect(outcome(await put(team.id, team.owner, visibility))).toBe("400 bad-request");
    expect((await get(team.id, member)).body).toEqual({ search_visibility: "standard" });
  });

  it("can be read and changed by the operator, under the same condition", async () => {
    const team = await newTeam();
    const internal = (method: "GET" | "PUT", teamId: string, json?: unknown) =>
      internalApi(method, `/i${pathOf(teamId)}`, { json });
    const body = { search_visibility: hidden };
    expect(outcome(await internal("PUT", team.id, body))).toBe("403 team-search-visibility-not-enabled");
    await setFeature(team.id, "searchVisibility", "enabled");
    expect((await internal("PUT", team.id, body)).status).toBe(204);
    const { status, body: read } = await internal("GET", team.id);
    expect([status, read]).toEqual([200, body]);

    const unknown = crypto.randomUUID();
    expect(outcome(await internal("GET", unknown))).toBe("404 no-team");
    expect(outcome(await internal("PUT", unknown, body))).toBe("404 no-team");
  });

  it("is never left changed when the feature is concurrently switched off", async () => {
    const team = await newTeam();
    for (let round = 0; round < 3; round++) {
      await setFeature(team.id, "searchVisibility", "enabled");
      const [changed, switched] = await Promise.all([
        put(team.id, team.owner, hidden),
        feature(team.id, "searchVisibility", "disabled"),
      ]);
      expect([204, 403]).toContain(changed.status);
      expect(switched.status).toBe(200);
      expect((await get(team.id, team.owner)).body).toEqual({ search_visibility: "standard" });
    }
  });
});

describe.concurrent("the members of a team", () => {
  it("are found by members of other teams while inbound visibility is on, and by nobody without a team", async () => {
    const [team, other, person, word] = [await newTeam(), await newTeam(), await newUser(), newWord()];
    const names = [`Ada ${word}`, `Bob ${word}`];
    const members = await Promise.all(names.map((name) => team.add("member", { name })));
    const ids = members.map(({ id }) => id);
    await expectFound(team.owner, word, ids);
    expect(await found(other.owner, word)).toEqual([]);

    await setFeature(team.id, "searchVisibilityInbound", "enabled");
    await expectFound(other.owner, word, ids);
    expect(await found(person, word)).toEqual([]);
    expect(await found(team.owner, word)).toEqual(ids.toSorted());

    const late = await team.add("member", { name: `Carl ${word}` });
    await expectFound(other.owner, word, [...ids, late.id]);

    await setFeature(team.id, "searchVisibilityInbound", "disabled");
    await expectFound(other.owner, word, []);
    expect(await found(team.owner, word)).toEqual([...ids, late.id].toSorted());
  });

  it("are as visible as the last of several changes says, even if they join during the changes", async () => {
    const [team, other, word] = [await newTeam(), await newTeam(), newWord()];
    const add = (index: number) => team.add("member", { name: `${word} ${index}` });
    const members = await Promise.all(Array.from({ length: 6 }, (_, index) => add(index)));
    const statuses = ["enabled", "disabled", "enabled", "disabled", "enabled"] as const;
    for (const [index, status] of statuses.entries()) {
      const joining = add(10 + index);
      await setFeature(team.id, "searchVisibilityInbound", status);
      members.push(await joining);
    }
    await expectFound(
      other.owner,
      word,
      members.map(({ id }) => id),
    );
    await setFeature(team.id, "searchVisibilityInbound", "disabled");
    await expectFound(other.owner, word, []);
  });

  it("rank before everybody else for each other, also with inbound visibility", async () => {
    const [team, word] = [await newTeam(), newWord()];
    const searcher = await team.add();
    await setFeature(team.id, "searchVisibilityInbound", "enabled");
    const mate = await team.add("member", { name: `${word}son` });
    await expectFound(searcher, word, [mate.id]);
    const [outsider] = await indexUsers([{ name: word }]);
    expect(idsIn(await search(searcher, word))).toEqual([mate.id, outsider]);
  });
});
