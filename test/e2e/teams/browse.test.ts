import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { accountEditor } from "../../support/accounts.ts";
import { api, internalApi, outcome } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import { idsIn, newWord } from "../../support/search.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { newEmail, newUser, type User } from "../../support/users.ts";

const browse = ({ id, owner }: Team, query: Record<string, string> = {}, { token }: User = owner) =>
  api("GET", `/teams/${id}/search?${new URLSearchParams(query)}`, { token });

/** The directory lags behind the accounts by moments. */
const expectListed = (team: Team, query: Record<string, string>, ids: string[]) =>
  eventually(async () => expect(idsIn(await browse(team, query)).toSorted()).toEqual(ids.toSorted()));

/** A team whose founder is in the directory. */
const newListedTeam = () => newTeam({ owner: { name: "Olga" } });

describe.concurrent("the directory of a team", () => {
  it("shows members with their addresses and roles, newest first", async () => {
    const team = await newListedTeam();
    const email = newEmail();
    const member = await team.add("partner", { name: "Ada Lovelace", accent_id: 3, email });
    const handle = `h${newWord()}`;
    await accountEditor().change(member, { handle });
    await expectListed(team, { q: handle }, [member.id]);
    const { status, body } = await browse(team);
    expect(status).toBe(200);
    expect(body).toEqual({
      found: 2,
      returned: 2,
      took: expect.any(Number),
      search_policy: "full_search",
      has_more: false,
      documents: [
        {
          qualified_id: { domain: "parley.localhost", id: member.id },
          id: member.id,
          name: "Ada Lovelace",
          accent_id: 3,
          handle,
          team: team.id,
          role: "partner",
          email,
          managed_by: "svc",
          created_at: expect.stringMatching(/\.\d{3}Z$/),
        },
        expect.objectContaining({ id: team.owner.id, role: "owner", email: team.owner.email }),
      ],
    });
  });

  it("finds members by names, handles and addresses, whole matches first", async () => {
    const [team, word] = [await newListedTeam(), newWord()];
    const [prefix, name, address, handle, other] = await Promise.all([
      team.add("member", { name: `Ada ${word}son` }),
      team.add("member", { name: `Bob ${word}` }),
      team.add("member", { name: "Carl", email: `${word}@example.com` }),
      team.add("member", { name: "Dora" }),
      team.add("member", { name: "Emil" }),
    ]);
    await accountEditor().change(handle, { handle: word });
    await eventually(async () => {
      const ids = idsIn(await browse(team, { q: word }));
      expect(ids).toEqual([handle.id, name.id, address.id, prefix.id]);
      expect(ids).not.toContain(other.id);
    });
    expect(idsIn(await browse(team, { q: `${word.toUpperCase()}@EXAMPLE.com` }))).toEqual([address.id]);
    expect(idsIn(await browse(team, { q: `ádà ${word}` }))).toEqual([prefix.id]);
    expect((await browse(team, { q: `${word}x` })).body).toMatchObject({ found: 0, documents: [] });
  });

  it("can be limited to roles and sorted", async () => {
    const team = await newListedTeam();
    const [carl, bob, dora] = await Promise.all([
      team.add("admin", { name: "Carl" }),
      team.add("partner", { name: "Bob" }),
      team.add("member", { name: "Dora" }),
    ]);
    const everybody = [bob, carl, dora, team.owner].map(({ id }) => id);
    await expectListed(team, {}, everybody);
    expect(idsIn(await browse(team, { sortby: "name" }))).toEqual(everybody);
    expect(idsIn(await browse(team, { sortby: "name", sortorder: "desc" }))).toEqual(everybody.toReversed());
    expect(idsIn(await browse(team, { frole: "partner,admin", sortby: "name" }))).toEqual([bob.id, carl.id]);
    expect(idsIn(await browse(team, { frole: "member", q: "d" }))).toEqual([dora.id]);
    expect(idsIn(await browse(team, { frole: "admin", q: "d" }))).toEqual([]);
  });

  it("is returned in pages", async () => {
    const team = await newListedTeam();
    const added = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((index) => team.add("member", { name: `M${index}` })),
    );
    const ids = [...added.map(({ id }) => id), team.owner.id];
    await expectListed(team, {}, ids);
    const order = { sortby: "name", size: "3" };
    const listed: string[] = [];
    const sizes: number[] = [];
    for (let state: string | undefined = ""; state !== undefined; ) {
      const { body } = await browse(team, { ...order, ...(state !== "" && { pagingState: state }) });
      expect(body).toMatchObject({ found: 7, has_more: body.paging_state !== undefined });
      listed.push(...idsIn({ body }));
      sizes.push(body.returned);
      state = body.paging_state;
    }
    expect(listed).toEqual(ids);
    expect(sizes).toEqual([3, 3, 1]);

    const { body } = await browse(team, order);
    const elsewhere = await browse(team, { size: "3", pagingState: body.paging_state });
    expect(outcome(elsewhere)).toBe("400 bad-request");
  });

  it("lists suspended members, but nobody who has left", async () => {
    const team = await newListedTeam();
    const [suspended, leaving] = await Promise.all([
      team.add("member", { name: "Ada" }),
      team.add("member", { name: "Bob" }),
    ]);
    await internalApi("PUT", `/i/users/${suspended.id}/status`, { json: { status: "suspended" } });
    await expectListed(team, {}, [team.owner.id, suspended.id, leaving.id]);
    expect((await internalApi("DELETE", `/i/users/${leaving.id}`)).status).toBe(202);
    await expectListed(team, {}, [team.owner.id, suspended.id]);
  });

  it("follows changes of names and addresses, even unconfirmed ones", async () => {
    const team = await newListedTeam();
    const member = await team.add("member", { name: "Ada" });
    const email = newEmail();
    const change = await api("PUT", "/access/self/email", {
      token: member.token,
      cookie: member.cookie,
      json: { email },
    });
    expect(change.status).toBe(202);
    await expectListed(team, { q: email }, [member.id]);
    const [document] = (await browse(team, { q: email })).body.documents;
    expect(document).toMatchObject({ email: member.email, email_unvalidated: email });

    const name = `Bob ${newWord()}`;
    await api("PUT", "/self", { token: member.token, json: { name } });
    await expectListed(team, { q: name }, [member.id]);
    await expectListed(team, { q: "ada" }, []);
  });

  it("is allowed only for members who may add others", async () => {
    const [team, other] = await Promise.all([newListedTeam(), newTeam()]);
    const [admin, member, partner] = await Promise.all([
      team.add("admin"),
      team.add("member"),
      team.add("partner"),
    ]);
    expect((await browse(team, {}, admin)).status).toBe(200);
    for (const by of [member, partner, other.owner, await newUser()])
      expect(outcome(await browse(team, {}, by))).toBe("403 insufficient-permissions");
    const unknown = { ...team, id: randomUUID() };
    expect(outcome(await browse(unknown))).toBe("403 insufficient-permissions");
    expect(outcome(await api("GET", `/teams/${team.id}/search`))).toBe("401 unauthorized");
  });
});
