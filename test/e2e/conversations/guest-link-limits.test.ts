import { beforeAll, describe, expect, it } from "vitest";
import { type ApiAnswer, outcome } from "../../support/api.ts";
import { conversationData } from "../../support/conversations.ts";
import { newNetwork, sendFrom } from "../../support/networks.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam } from "../../support/teams.ts";
import { logIn, newUser, somePassword, type User } from "../../support/users.ts";

type Caller = Pick<User, "token">;
type Link = { key: string; code: string };
type Fields = Parameters<ReturnType<typeof conversationData>["newConversation"]>[1];

const password = "correct horse battery";
const open = { access: ["invite", "code"] as ("invite" | "code")[] };
const lifetimeSeconds = 60;

/** A stack with low limits and a clock that stands still. */
let stack: OwnStack;

beforeAll(async () => {
  stack = await stackWith(
    {
      guestLinkTTLSeconds: lifetimeSeconds,
      guestLinkUrl: "https://chat.example.com/join/?lang=en",
      maxConvSize: 3,
      setGuestLinkCheckRateLimit: { burst: 3, refillSeconds: 60 },
      setPasswordHashingRateLimit: {
        perUser: { burst: 3, refillSeconds: 60 },
        perNetwork: { burst: 1, refillSeconds: 0 },
      },
    },
    { isClockStopped: true },
  );
});

const create = (
  { id }: { id: string },
  { token }: Caller,
  json: object = {},
  { publicApi }: OwnStack = stack,
) => publicApi("POST", `/v8/conversations/${id}/code`, { token, json });
const join = ({ key, code }: Link, { token }: Caller, more: object = {}) =>
  stack.publicApi("POST", "/conversations/join", { token, json: { key, code, ...more } });
const users = (count: number) => Promise.all(Array.from({ length: count }, () => newUser({}, stack)));
const counts = (answers: readonly ApiAnswer[]) =>
  [...Map.groupBy(answers, outcome)].map(([name, list]) => `${list.length} × ${name}`).sort();

/** Create a conversation with a guest link. */
async function newLink(members: readonly [User, ...User[]], fields: Fields = {}, request: object = {}) {
  const place = await conversationData(stack).newConversation(members, { ...open, ...fields });
  const { body } = await create(place, members[0], request);
  return { ...place, ...(body.data as Link & { uri: string }) };
}

describe("a guest link", () => {
  it("is valid for exactly as long as the setting says", async () => {
    const [admin, guest, late] = (await users(3)) as [User, User, User];
    const link = await newLink([admin], {}, { password });
    stack.advance(lifetimeSeconds - 1);
    expect(outcome(await join(link, guest, { password }))).toBe("200");

    stack.advance(1);
    const path = `/conversations/join?${new URLSearchParams({ key: link.key, code: link.code })}`;
    const answers = [
      await join(link, late, { password }),
      await stack.publicApi("GET", path, { token: late.token }),
      await stack.publicApi("POST", "/conversations/code-check", {
        json: { key: link.key, code: link.code },
      }),
      await stack.publicApi("GET", `/conversations/${link.id}/code`, { token: admin.token }),
    ];
    expect(counts(answers)).toEqual(["4 × 404 no-conversation-code"]);
    const next = await create(link, admin);
    expect(next).toMatchObject({ status: 201, body: { data: { key: link.key, has_password: false } } });
    expect(next.body.data.code).not.toBe(link.code);
  });

  it("leads to the page that the setting names", async () => {
    const [admin] = (await users(1)) as [User];
    const { key, code, uri } = await newLink([admin]);
    expect(uri).toBe(`https://chat.example.com/join/?lang=en&key=${key}&code=${code}`);
  });

  it("gives the last free place to one of ten users who use it concurrently", async () => {
    const [admin, member, ...guests] = (await users(12)) as [User, User, ...User[]];
    const link = await newLink([admin, member]);
    const answers = await Promise.all(guests.map((guest) => join(link, guest)));
    expect(counts(answers)).toEqual(["1 × 200", "9 × 403 too-many-members"]);
    expect((await conversationData(stack).store.getPopulated(link.id))?.members).toHaveLength(3);
    expect(outcome(await join(link, member))).toBe("204");
  });

  it("admits any number of members to MLS conversations", async () => {
    const [admin, ...guests] = (await users(4)) as [User, ...User[]];
    const link = await newLink([admin], { protocol: "mls", group: { groupId: "AAAA", epoch: 0 } });
    expect(counts(await Promise.all(guests.map((guest) => join(link, guest))))).toEqual(["3 × 200"]);
  });
});

describe("passwords of guest links", () => {
  it("can be tried a few times by a user, without effect on the user's own password", async () => {
    const [admin, guesser, guest] = (await users(3)) as [User, User, User];
    const [link, openLink] = [await newLink([admin], {}, { password }), await newLink([admin])];
    const wrong = { password: "not the password" };
    const guesses = await Promise.all(Array.from({ length: 8 }, () => join(link, guesser, wrong)));
    expect(counts(guesses)).toEqual(["3 × 403 invalid-conversation-password", "5 × 429 too-many-requests"]);
    const refused = await join(link, guesser, { password });
    expect(outcome(refused)).toBe("429 too-many-requests");
    expect(Number(refused.headers.get("retry-after"))).toBe(60);
    expect(outcome(await logIn(guesser, { apis: stack }))).toBe("200");
    expect(outcome(await join(openLink, guesser))).toBe("200");
    expect(outcome(await join(link, guest, { password }))).toBe("200");
    stack.advance(60);
    expect(
      outcome(await join(await newLink([admin], {}, { password: somePassword }), guesser, { password })),
    ).toBe("200");
  });

  it("can be tried by a user without using up the network's budget for others", async () => {
    const limited = await stackWith(
      {
        setPasswordHashingRateLimit: {
          perUser: { burst: 2, refillSeconds: 60 },
          perNetwork: { burst: 4, refillSeconds: 60 },
        },
      },
      { isClockStopped: true },
    );
    const [admin, guesser, guest] = await Promise.all([
      newUser({}, limited),
      newUser({}, limited),
      newUser({}, limited),
    ]);
    const place = await conversationData(limited).newConversation([admin], open);
    const { key, code } = (await create(place, admin, { password }, limited)).body.data;
    const enter = ({ token }: Caller, tried: string) =>
      limited.publicApi("POST", "/conversations/join", { token, json: { key, code, password: tried } });
    for (let count = 0; count < 8; count++) await enter(guesser, "not the password");
    expect(outcome(await enter(guesser, password))).toBe("429 too-many-requests");
    expect(outcome(await enter(guest, password))).toBe("200");
  });

  it("can be set a few times by a user", async () => {
    const [admin] = (await users(1)) as [User];
    const places = await Promise.all(
      Array.from({ length: 5 }, () => conversationData(stack).newConversation([admin], open)),
    );
    const answers = await Promise.all(places.map((place) => create(place, admin, { password })));
    expect(counts(answers)).toEqual(["2 × 429 too-many-requests", "3 × 201"]);
    const refused = places[answers.findIndex(({ status }) => status === 429)];
    expect(outcome(await create(refused ?? { id: "" }, admin))).toBe("201");
  });
});

describe("checks of guest links", () => {
  it("are limited for each network", async () => {
    const [admin] = (await users(1)) as [User];
    const { key, code } = await newLink([admin]);
    const path = ["conversations", "POST", "/conversations/code-check"] as const;
    const send = (address: string) => sendFrom(address, stack, path, { key, code });
    const network = newNetwork();
    for (let count = 0; count < 3; count++) expect((await send(network)).status).toBe(200);
    expect(await send(network)).toMatchObject({
      status: 429,
      body: { label: "too-many-requests" },
      retryAfterSeconds: 60,
    });
    expect((await send(newNetwork())).status).toBe(200);
  });
});

describe("guest links that are off by default", () => {
  it("exist only in teams that have them switched on", async () => {
    const off = await stackWith({ conversationGuestLinks: { defaults: { status: "disabled" } } });
    const [team, user] = await Promise.all([newTeam({}, off), newUser({}, off)]);
    const { newConversation } = conversationData(off);
    const [personal, ofTeam] = await Promise.all([
      newConversation([user], open),
      newConversation([team.owner], { ...open, team }),
    ]);
    const disabled = "409 guest-links-disabled";
    expect(outcome(await create(personal, user, {}, off))).toBe(disabled);
    expect(outcome(await create(ofTeam, team.owner, {}, off))).toBe(disabled);
    const path = `/teams/${team.id}/features/conversationGuestLinks`;
    const { token } = team.owner;
    expect(outcome(await off.publicApi("PUT", path, { token, json: { status: "enabled" } }))).toBe("200");
    expect(outcome(await create(ofTeam, team.owner, {}, off))).toBe("201");
    expect(outcome(await create(personal, user, {}, off))).toBe(disabled);
  });
});
