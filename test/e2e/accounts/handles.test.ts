import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { parseSettings } from "#shared/registry/settings.ts";
import { type Api, api, internalApi, outcome } from "../../support/api.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser, type User } from "../../support/users.ts";

const { domain } = parseSettings({});

const apis = await stackWith({ searchSameTeamOnly: true });

const newHandle = () => `h.${randomUUID()}`;

async function takeHandle({ token }: Pick<User, "token">, publicApi: Api = api): Promise<string> {
  const handle = newHandle();
  const { status } = await publicApi("PUT", "/v8/self/handle", { token, json: { handle } });
  expect(status).toBe(200);
  return handle;
}

let ada: User;
let adaHandle: string;
let token: string;

beforeAll(async () => {
  [ada, { token }] = await Promise.all([newUser(), newUser()]);
  adaHandle = await takeHandle(ada);
});

describe.concurrent("checking a handle", () => {
  const check = (handle: string, prefix = "/v8/handles") => api("HEAD", `${prefix}/${handle}`, { token });

  it("returns 200 for a taken handle and 404 for a free one, at the path of each version", async () => {
    const paths = ["/v7/handles", "/v8/handles", "/v9/handles", "/handles"];
    const earlier = ["/v0/users/handles", "/v2/users/handles", "/v6/users/handles", "/users/handles"];
    for (const path of [...paths, ...earlier]) {
      expect((await check(adaHandle, path)).status).toBe(200);
      expect((await check(newHandle(), path)).status).toBe(404);
    }
    expect((await check(adaHandle, "/v6/handles")).status).toBe(404);
    expect((await check(adaHandle, "/v7/users/handles")).status).toBe(400);
  });

  it("returns 400 for malformed handles and reserved words", async () => {
    for (const handle of ["a", "Ada", "a%20b", "a@b", "%C3%A4da", "x".repeat(257), "admin", "svc"]) {
      expect((await check(handle)).status).toBe(400);
      expect((await check(handle, "/v6/users/handles")).status).toBe(400);
    }
    expect((await check("x".repeat(256))).status).toBe(404);
  });

  it("requires a token", async () => {
    expect((await api("HEAD", `/v8/handles/${adaHandle}`)).status).toBe(401);
    expect((await api("GET", `/v8/handles/${adaHandle}`, { token })).status).toBe(405);
  });
});

describe.concurrent("finding free handles", () => {
  const choose = (json: unknown, path = "/v8/handles") => api("POST", path, { token, json });

  it("returns the first free ones in the order of the request", async () => {
    const [one, two, three] = [newHandle(), newHandle(), newHandle()];
    const handles = ["Upper", adaHandle, two, "", "admin", one, two, "a b", three];
    for (const path of ["/v7/handles", "/handles", "/v0/users/handles", "/v6/users/handles"]) {
      const { status, body } = await choose({ handles, return: 2 }, path);
      expect([status, body]).toEqual([200, [two, one]]);
      expect((await choose({ handles, return: 10 }, path)).body).toEqual([two, one, three]);
      expect((await choose({ handles }, path)).body).toEqual([two]);
    }
  });

  it("returns none when none is free", async () => {
    expect((await choose({ handles: [adaHandle, "admin"], return: 10 })).body).toEqual([]);
  });

  it("accepts 50 handles", async () => {
    const handles = Array.from({ length: 50 }, newHandle);
    expect((await choose({ handles, return: 10 })).body).toEqual(handles.slice(0, 10));
  });

  it("requires a token", async () => {
    expect((await api("POST", "/v8/handles", { json: { handles: ["ada"], return: 1 } })).status).toBe(401);
  });
});

describe.concurrent("looking up a handle", () => {
  const paths = (handle: string, at = domain) => [
    `/users/handles/${handle}`,
    `/v0/users/handles/${handle}`,
    `/v1/users/handles/${handle}`,
    `/v1/users/by-handle/${at}/${handle}`,
  ];

  it("returns the id of its user up to version 1, whatever its spelling", async () => {
    for (const path of [...paths(adaHandle), ...paths(adaHandle.toUpperCase())]) {
      const { status, body } = await api("GET", path, { token });
      expect([status, body]).toEqual([200, { user: ada.id, qualified_user: { domain, id: ada.id } }]);
    }
    expect((await api("GET", `/v2/users/by-handle/${domain}/${adaHandle}`, { token })).status).toBe(404);
    expect((await api("GET", `/v2/users/handles/${adaHandle}`, { token })).status).toBe(404);
  });

  it("returns 404 not-found for a free handle, and 400 for a malformed one or another domain", async () => {
    for (const path of paths(newHandle()))
      expect(outcome(await api("GET", path, { token }))).toBe("404 not-found");
    for (const path of paths("a@b"))
      expect(outcome(await api("GET", path, { token }))).toBe("400 bad-request");
    const remote = await api("GET", `/v1/users/by-handle/elsewhere.example.com/${adaHandle}`, { token });
    expect(outcome(remote)).toBe("400 federation-not-enabled");
  });

  it("returns the profile in lists of users", async () => {
    const handles = [newHandle(), adaHandle, adaHandle.toUpperCase()];
    const byQuery = await api("GET", `/v1/users?handles=${handles}`, { token });
    const profile = { id: ada.id, name: "Ada", handle: adaHandle };
    expect(byQuery.body).toEqual([expect.objectContaining(profile)]);
    const json = { qualified_handles: handles.map((handle) => ({ domain, handle })) };
    const listed = await api("POST", "/v8/list-users", { token, json });
    expect(listed.body).toEqual({ found: [expect.objectContaining(profile)] });
    expect((await api("POST", "/v3/list-users", { token, json })).body).toEqual(listed.body.found);
    const { body } = await internalApi("GET", `/i/users?handles=${handles}`);
    expect(body).toEqual([expect.objectContaining({ ...profile, email: ada.email })]);
  });

  it("requires a token", async () => {
    for (const path of paths(adaHandle)) expect((await api("GET", path)).status).toBe(401);
  });
});

describe("searchSameTeamOnly", () => {
  let member: User;
  let teamless: User;
  let handles: { ofMember: string; ofTeammate: string; ofStranger: string; ofTeamless: string };

  beforeAll(async () => {
    const { publicApi } = apis;
    const [team, { owner: stranger }] = await Promise.all([newTeam({}, apis), newTeam({}, apis)]);
    const { owner: teammate } = team;
    [member, teamless] = await Promise.all([team.add(), newUser({}, apis)]);
    const [ofMember, ofTeammate, ofStranger, ofTeamless] = (await Promise.all(
      [member, teammate, stranger, teamless].map((user) => takeHandle(user, publicApi)),
    )) as [string, string, string, string];
    handles = { ofMember, ofTeammate, ofStranger, ofTeamless };
  });

  it.each([
    [
      "a member of a team",
      () => member,
      { ofMember: 200, ofTeammate: 200, ofStranger: 404, ofTeamless: 200 },
    ],
    [
      "a user without a team",
      () => teamless,
      { ofMember: 404, ofTeammate: 404, ofStranger: 404, ofTeamless: 200 },
    ],
  ])("hides the handles of other teams from %s", async (_, readerOf, expected) => {
    const { publicApi } = apis;
    const reader = readerOf();
    for (const [name, status] of Object.entries(expected)) {
      const handle = handles[name as keyof typeof handles];
      const get = async (path: string) => (await publicApi("GET", path, { token: reader.token })).status;
      expect(await get(`/v1/users/handles/${handle}`)).toBe(status);
      expect(await get(`/v1/users/by-handle/${domain}/${handle}`)).toBe(status);
      expect(await get(`/v1/users?handles=${handle}`)).toBe(status);
      const json = { qualified_handles: [{ domain, handle }] };
      const listed = await publicApi("POST", "/v8/list-users", { token: reader.token, json });
      expect(listed.body.found).toHaveLength(status === 200 ? 1 : 0);
      const taken = await publicApi("HEAD", `/v8/handles/${handle}`, { token: reader.token });
      expect(taken.status).toBe(200);
    }
  });
});
