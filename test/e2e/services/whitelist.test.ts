import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { permissionsOf } from "#shared/teams/permissions.ts";
import { api, internalApi, outcome } from "../../support/api.ts";
import { newService, putConnection, putOnList, serviceData, serviceFields } from "../../support/services.ts";
import { stackWith } from "../../support/stack-with.ts";
import { changePermissions, newTeam, type Team } from "../../support/teams.ts";
import { newUser, type User } from "../../support/users.ts";

const data = serviceData();

const list = ({ id }: Pick<Team, "id">, { token }: Pick<User, "token">, query: Record<string, string> = {}) =>
  api("GET", `/teams/${id}/services/whitelisted?${new URLSearchParams(query)}`, { token });
const namesIn = ({ body }: { body: { services: { name: string }[] } }) =>
  body.services.map(({ name }) => name);

async function newTeamAndService(fields: Record<string, unknown> = {}) {
  const [team, provider] = await Promise.all([newTeam(), data.newProvider()]);
  return { team, provider, service: await newService(provider, fields) };
}

const setFeature = async ({ id }: Pick<Team, "id">, name: string, json: unknown) => {
  const { status } = await internalApi("PATCH", `/i/teams/${id}/features/${name}`, { json });
  expect(status).toBe(200);
};

describe.concurrent("the services that a team admits", () => {
  it("are chosen by admins and owners, and shown to all members", async () => {
    const { team, service } = await newTeamAndService();
    const [admin, member, partner, stranger] = await Promise.all([
      team.add("admin"),
      team.add(),
      team.add("partner"),
      newUser(),
    ]);
    for (const user of [member, partner, stranger]) {
      expect(outcome(await putOnList(team, user, service))).toBe("403 insufficient-permissions");
    }
    expect(await putOnList(team, admin, service)).toMatchObject({ status: 200, body: "" });
    expect(outcome(await putOnList(team, team.owner, service))).toBe("204");
    for (const user of [team.owner, admin, member, partner]) {
      expect((await list(team, user)).body).toMatchObject({
        has_more: false,
        services: [{ id: service.id }],
      });
    }
    expect(outcome(await list(team, stranger))).toBe("403 insufficient-permissions");
    expect(outcome(await list({ id: randomUUID() }, stranger))).toBe("403 insufficient-permissions");
    expect(await putOnList(team, team.owner, service, false)).toMatchObject({ status: 200, body: "" });
    expect(outcome(await putOnList(team, admin, service, false))).toBe("204");
    expect((await list(team, member)).body).toStrictEqual({ has_more: false, services: [] });
  });

  it("can be chosen by members with all four permissions that this takes", async () => {
    const { team, service } = await newTeamAndService();
    const member = await team.add("admin");
    const all = permissionsOf("admin");
    for (const missing of [4, 8, 16, 256]) {
      const permissions = { self: all.self & ~missing, copy: all.copy & ~missing };
      expect(outcome(await changePermissions(team, team.owner, member, permissions))).toBe("200");
      expect(outcome(await putOnList(team, member, service))).toBe("403 insufficient-permissions");
    }
  });

  it("must exist", async () => {
    const { team, provider, service } = await newTeamAndService();
    const unknown = [
      { ...service, id: randomUUID() },
      { ...service, provider: randomUUID() },
    ];
    for (const one of unknown) {
      expect(outcome(await putOnList(team, team.owner, one))).toBe("404 not-found");
      expect(outcome(await putOnList(team, team.owner, one, false))).toBe("404 not-found");
    }
    const json = { password: provider.password };
    await api("DELETE", `/provider/services/${service.id}`, { token: provider.token, json });
    expect(outcome(await putOnList(team, team.owner, service))).toBe("404 not-found");
  });

  it("need not be enabled, but are listed by default only while they are", async () => {
    const { team, provider, service } = await newTeamAndService({ enabled: false });
    expect(outcome(await putOnList(team, team.owner, service))).toBe("200");
    expect(namesIn(await list(team, team.owner))).toEqual([]);
    expect(namesIn(await list(team, team.owner, { filter_disabled: "true" }))).toEqual([]);
    expect(namesIn(await list(team, team.owner, { filter_disabled: "false" }))).toEqual([service.name]);
    await putConnection(provider, service, { enabled: true });
    expect(namesIn(await list(team, team.owner))).toEqual([service.name]);
  });

  it("are listed by their present names, in pages, from a prefix in any case", async () => {
    const { team, provider, service } = await newTeamAndService({ name: "zebra" });
    const names = [..."KJIHGFEDCBA"].map((letter) => `quiz ${letter}`);
    const services = await Promise.all(names.map((name) => newService(provider, { name })));
    for (const one of [service, ...services]) {
      expect(outcome(await putOnList(team, team.owner, one))).toBe("200");
    }
    const inOrder = names.toReversed();
    expect(namesIn(await list(team, team.owner))).toEqual([...inOrder, "zebra"]);
    const first = await list(team, team.owner, { prefix: "QUIZ", size: "10" });
    expect([namesIn(first), first.body.has_more]).toEqual([inOrder.slice(0, 10), true]);
    const all = await list(team, team.owner, { prefix: "QUIZ", size: "11" });
    expect([namesIn(all), all.body.has_more]).toEqual([inOrder, false]);
    await api("PUT", `/provider/services/${service.id}`, {
      token: provider.token,
      json: { name: "aardvark" },
    });
    expect(namesIn(await list(team, team.owner))).toEqual(["aardvark", ...inOrder]);
    const refused: Record<string, string>[] = [
      { size: "9" },
      { size: "101" },
      { prefix: "" },
      { filter_disabled: "maybe" },
    ];
    for (const query of refused) {
      expect(outcome(await list(team, team.owner, query))).toBe("400 bad-request");
    }
  });

  it("cannot be chosen in a team whose default protocol is MLS, which is checked first", async () => {
    const { team, service } = await newTeamAndService();
    const member = await team.add();
    const config = {
      protocolToggleUsers: [],
      defaultProtocol: "mls",
      supportedProtocols: ["proteus", "mls"],
      allowedCipherSuites: [1],
      defaultCipherSuite: 1,
    };
    await setFeature(team, "mls", { status: "enabled", config });
    for (const user of [member, team.owner]) {
      expect(outcome(await putOnList(team, user, service))).toBe("409 mls-services-not-allowed");
    }
    expect((await list(team, member)).status).toBe(200);
  });

  it("cannot be chosen by members who need a second factor, but these can still see them", async () => {
    const [{ team, service }, other] = await Promise.all([newTeamAndService(), newTeam()]);
    await setFeature(team, "sndFactorPasswordChallenge", { status: "enabled", lockStatus: "unlocked" });
    expect(outcome(await putOnList(team, team.owner, service))).toBe("403 access-denied");
    expect(outcome(await putOnList(other, team.owner, service))).toBe("403 access-denied");
    expect(outcome(await putOnList(other, other.owner, service))).toBe("200");
    expect((await list(team, team.owner)).status).toBe(200);
    expect((await api("GET", "/services/tags", { token: team.owner.token })).status).toBe(200);
  });

  it("are put on the list by only one of several concurrent requests, and taken off by only one", async () => {
    const { team, service } = await newTeamAndService();
    const change = async (isAdmitted: boolean) => {
      const requests = Array.from({ length: 4 }, () => putOnList(team, team.owner, service, isAdmitted));
      return (await Promise.all(requests)).map(outcome).toSorted();
    };
    expect(await change(true)).toEqual(["200", "204", "204", "204"]);
    expect(await change(false)).toEqual(["200", "204", "204", "204"]);
    const mixed = await Promise.all(
      [true, false, true, false, true, false].map((isAdmitted) =>
        putOnList(team, team.owner, service, isAdmitted),
      ),
    );
    expect(mixed.every(({ status }) => status === 200 || status === 204)).toBe(true);
    const isListed = namesIn(await list(team, team.owner)).length === 1;
    expect(outcome(await putOnList(team, team.owner, service, isListed))).toBe("204");
  });

  it("do not include one that was deleted while it was put on the list", async () => {
    const [team, provider] = await Promise.all([newTeam(), data.newProvider()]);
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        const service = await newService(provider);
        const json = { password: provider.password };
        const [listed, removed] = await Promise.all([
          putOnList(team, team.owner, service),
          api("DELETE", `/provider/services/${service.id}`, { token: provider.token, json }),
        ]);
        expect(["200", "404 not-found"]).toContain(outcome(listed));
        expect(outcome(removed)).toBe("202");
      }),
    );
    expect(namesIn(await list(team, team.owner, { filter_disabled: "false" }))).toEqual([]);
  });
});

describe("where everybody needs a second factor", () => {
  it("services can neither be managed nor searched nor admitted, but the list of a team can be seen", async () => {
    const { team, provider, service } = await newTeamAndService();
    const defaults = { status: "enabled", lockStatus: "unlocked" } as const;
    const { publicApi } = await stackWith({ sndFactorPasswordChallenge: { defaults } });
    const [person, { token }, { password }] = [await newUser(), team.owner, provider];
    const asProvider: [string, string, unknown?][] = [
      ["POST", "/provider/services", serviceFields()],
      ["GET", "/provider/services"],
      ["GET", `/provider/services/${service.id}`],
      ["PUT", `/provider/services/${service.id}`, {}],
      ["PUT", `/provider/services/${service.id}/connection`, { password: "wrong password" }],
      ["DELETE", `/provider/services/${service.id}`, { password }],
    ];
    for (const [method, path, json] of asProvider) {
      expect(outcome(await publicApi(method, path, { token: provider.token, json })), path).toBe(
        "403 access-denied",
      );
    }
    for (const path of [
      "/services?start=quiz",
      "/services/tags",
      `/providers/${provider.id}/services`,
      `/providers/${provider.id}/services/${service.id}`,
    ]) {
      expect(outcome(await publicApi("GET", path, { token: person.token })), path).toBe("403 access-denied");
    }
    for (const user of [team.owner, person]) {
      expect(outcome(await putOnList(team, user, service, true, { publicApi }))).toBe("403 access-denied");
    }
    expect((await publicApi("GET", `/teams/${team.id}/services/whitelisted`, { token })).status).toBe(200);
  });
});
