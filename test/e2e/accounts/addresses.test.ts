import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { type ApiAnswer, api, internalApi, outcome } from "../../support/api.ts";
import { type Directory, newDirectory } from "../../support/directory.ts";
import { invite } from "../../support/invitations.ts";
import { nextMessage } from "../../support/messages.ts";
import { registerProvider } from "../../support/providers.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { activate, logIn, newUser, register, somePassword } from "../../support/users.ts";

/** A valid address whose signs and top-level domain some sign-up forms refuse. */
const newAddress = () => `r&d#${randomUUID()}@пример.рф`;

let team: Team;
let directory: Directory;
let unbound: Directory;

beforeAll(async () => {
  [team, directory, unbound] = await Promise.all([
    newTeam(),
    newDirectory({ hasProvider: true }),
    newDirectory(),
  ]);
});

interface Door {
  readonly enter: (email: string) => Promise<ApiAnswer>;
  readonly taken: string;
  readonly refused: string;
}

const query = (email: string) => new URLSearchParams({ email });
const scimUser = (email: string) => ({
  externalId: randomUUID(),
  userName: `u.${randomUUID()}`,
  emails: [{ value: email }],
});

const doors: Record<string, Door> = {
  "a registration": { enter: (email) => register({ email }), taken: "201", refused: "400 invalid-email" },
  "a request for an activation code": {
    enter: (email) => api("POST", "/activate/send", { json: { email } }),
    taken: "200",
    refused: "400 invalid-email",
  },
  "a request for a password": {
    enter: (email) => api("POST", "/v9/password-reset", { json: { email } }),
    taken: "201",
    refused: "400 invalid-email",
  },
  "a change of one's own address": {
    enter: async (email) => {
      const { token, cookie } = await newUser();
      return api("PUT", "/access/self/email", { token, cookie, json: { email } });
    },
    taken: "202",
    refused: "400 invalid-email",
  },
  "a change by an admin": {
    enter: async (email) => {
      const member = await team.add("member");
      return api("PUT", `/users/${member.id}/email`, { token: team.owner.token, json: { email } });
    },
    taken: "200",
    refused: "400 invalid-email",
  },
  "a change by an operator": {
    enter: async (email) => {
      const { id } = await newUser();
      const headers = { "z-user": id };
      return internalApi("PUT", "/i/self/email?email_activation=auto_activate", { headers, json: { email } });
    },
    taken: "204",
    refused: "400 invalid-email",
  },
  "an invitation": {
    enter: (email) => invite(team, { email }),
    taken: "201",
    refused: "400 invalid-email",
  },
  "a provider": {
    enter: (email) => registerProvider({ email }),
    taken: "201",
    refused: "400 invalid-email",
  },
  "a directory whose users log in by single sign-on": {
    enter: (email) => directory.create(scimUser(email)),
    taken: "201",
    refused: "400 invalidValue",
  },
  "the external id of another directory": {
    enter: (email) => unbound.create({ ...scimUser(email), externalId: email, emails: undefined }),
    taken: "201",
    refused: "400 invalidValue",
  },
  "the list of blocked addresses": {
    enter: (email) => internalApi("POST", `/i/users/blacklist?${query(email)}`),
    taken: "200",
    refused: "400 invalid-email",
  },
  "the list of addresses that get no mail": {
    enter: (email) => internalApi("DELETE", `/i/mail-suppressions?${query(email)}`),
    taken: "200",
    refused: "400 invalid-email",
  },
};

const outcomeOf = ({ status, body }: ApiAnswer) =>
  body?.scimType === undefined ? outcome({ status, body } as ApiAnswer) : `${status} ${body.scimType}`;

describe.concurrent.each(Object.entries(doors))("%s", (_, { enter, taken, refused }) => {
  it("accepts an address with unusual signs and an internationalised top-level domain", async () => {
    expect(outcomeOf(await enter(newAddress()))).toBe(taken);
  });

  it("refuses a text without an @", async () => {
    expect(outcomeOf(await enter("noat.example"))).toBe(refused);
  });
});

describe.concurrent("an address", () => {
  it("is shown as it was sent, gets mail, and lets its owner log in with any spelling", async () => {
    const local = `r&d-${randomUUID()}`;
    const [written, ascii] = [`${local}@Пример.рф`, `${local}@xn--e1afmkfd.xn--p1ai`];
    expect(outcome(await register({ email: written, password: somePassword }))).toBe("201");
    expect((await nextMessage(ascii, { purpose: "Activation" })).to).toBe(ascii);
    expect((await activate({ email: ascii })).body).toEqual({ email: written, first: true });
    for (const email of [written, written.toLowerCase(), ascii, ascii.toUpperCase()])
      expect(outcome(await logIn({ email, password: somePassword }))).toBe("200");
    expect(outcome(await register({ email: ascii }))).toBe("409 key-exists");
    const login = await logIn({ email: ascii, password: somePassword });
    expect((await api("GET", "/self", { token: login.body.access_token })).body.email).toBe(written);
  });
});
