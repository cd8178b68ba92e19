import { expect, it } from "vitest";
import { outcome } from "../../support/api.ts";
import { emulateContention } from "../../support/contention.ts";
import { conversationData } from "../../support/conversations.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newUser, type User } from "../../support/users.ts";

const stack = await stackWith();
/** As if a second function instance served half of the requests. */
const another = await stackWith({});
const { newConversation, store } = conversationData(stack);
/** Few enough for a busy machine; an idle one admits more than a hundred. */
const crowdSize = 40;

const newUsers = (count: number) => Promise.all(Array.from({ length: count }, () => newUser({}, stack)));

it.each(["a guest link", "its id"])(
  "admits a crowd that concurrently joins a conversation by %s",
  async (way) => {
    const [admin, ...crowd] = (await newUsers(crowdSize + 1)) as [User, ...User[]];
    const { id } = await newConversation([admin], { access: ["invite", "code", "link"] });
    const path = `/v8/conversations/${id}/code`;
    const { body } = await stack.publicApi("POST", path, { token: admin.token, json: {} });
    const { key, code } = body.data;
    const join = ({ token }: User, index: number) => {
      const { publicApi } = index % 2 === 0 ? stack : another;
      return way === "its id"
        ? publicApi("POST", `/v4/conversations/${id}/join`, { token })
        : publicApi("POST", "/conversations/join", { token, json: { key, code } });
    };

    const endContention = emulateContention(stack.prefix);
    const answers = await Promise.all(crowd.map(join)).finally(endContention);
    expect(answers.map(outcome)).toEqual(Array(crowdSize).fill("200"));
    expect((await store.getPopulated(id))?.members).toHaveLength(crowdSize + 1);
  },
);
