import { describe, expect, it } from "vitest";
import { outcome } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { conversationData } from "../../support/conversations.ts";
import { all, concurrently, emulateContention, only, race } from "../../support/races.ts";
import { times } from "../../support/soak.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newMember } from "../../support/teams.ts";
import { newEmail, newUser, register, somePassword, type User } from "../../support/users.ts";

const burst = 2;
const stack = await stackWith({
  setCodeDeliveryRateLimit: { burst, refillSeconds: 3600 },
  set2FACodeGenerationDelaySecs: 3600,
  sndFactorPasswordChallenge: { defaults: { status: "enabled" } },
});
/** As if a second function instance served half of the requests. */
const another = await stackWith();
const { publicApi } = stack;
const strangers = times(3, 10);
/** Few enough for a busy machine; an idle one admits more than a hundred. */
const crowdSize = times(5, 40);

describe("users whose transactions on one item collide", () => {
  const newUsers = (count: number) => concurrently(count, () => newUser({}, stack));

  race("are refused a registration of one address because of its limit, and not because of a conflict", {
    given: async () => ({ email: newEmail(), password: somePassword }),
    collides: true,
    contenders: strangers,
    act: (fields) => register(fields, stack),
    outcomes: only("201", "429 too-many-requests", burst),
  });

  race("are refused a second-factor code because of the limit, and not because of a conflict", {
    given: async () => ({ action: "login", email: (await newMember({}, stack)).email }),
    collides: true,
    contenders: strangers,
    act: (json) => publicApi("POST", "/verification-code/send", { json }),
    outcomes: only("200", "429 too-many-requests"),
  });

  race("are all connected to one user whom they ask", {
    given: async () => ({ user: await newUser({}, stack), others: await newUsers(strangers) }),
    collides: true,
    contenders: strangers,
    act: ({ user, others }, index) =>
      publicApi("POST", `/connections/${localDomain}/${user.id}`, { token: others[index]?.token }),
    outcomes: all("201"),
  });

  for (const way of ["a guest link", "its id"])
    race(`all join a conversation by ${way}`, {
      given: async () => {
        const [admin, crowd] = [await newUser({}, stack), await newUsers(crowdSize)];
        const { newConversation } = conversationData(stack);
        const { id } = await newConversation([admin], { access: ["invite", "code", "link"] });
        const { token } = admin;
        const { body } = await publicApi("POST", `/v8/conversations/${id}/code`, { token, json: {} });
        const { key, code } = body.data;
        return { id, crowd, json: { key, code } };
      },
      rounds: 1,
      collides: true,
      exactly: crowdSize,
      act: ({ id, crowd, json }, index) => {
        const { publicApi: ask } = index % 2 === 0 ? stack : another;
        const { token } = crowd[index] as User;
        if (way === "its id") return ask("POST", `/v4/conversations/${id}/join`, { token });
        return ask("POST", "/conversations/join", { token, json });
      },
      outcomes: all("200"),
      holds: async ({ id }) => {
        const found = await conversationData(stack).store.getPopulated(id);
        expect(found?.members).toHaveLength(crowdSize + 1);
      },
    });
});

it.for([
  ["archives", "self", { otr_archived: true }],
  ["renames", "name", { name: "renamed" }],
] as const)(
  "%s many conversations of a user concurrently, and none waits for another",
  async ([, part, json]) => {
    const { token } = await newUser({}, stack);
    const group = { qualified_users: [], name: "group" };
    const count = times(5, 20);
    const created = await concurrently(count, () =>
      publicApi("POST", "/v9/conversations", { token, json: group }),
    );
    const { end, collisions } = emulateContention();
    const answers = await concurrently(count, (index) => {
      const path = `/v9/conversations/${localDomain}/${created[index]?.body.qualified_id.id}/${part}`;
      return publicApi("PUT", path, { token, json });
    });
    end();
    expect(collisions()).toBe(0);
    expect(answers.map(outcome)).toEqual(Array(count).fill("200"));
  },
);
