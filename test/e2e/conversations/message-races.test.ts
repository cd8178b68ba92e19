import { describe, expect, it } from "vitest";
import { type ApiAnswer, api, outcome } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { newConversation } from "../../support/conversations.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { addDevices, sendJson } from "../../support/otr-messages.ts";
import { times } from "../../support/soak.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser, type User } from "../../support/users.ts";

/** Messages that are sent while the conversation or its devices change. */

interface OtrEvent {
  readonly data: { readonly recipient: string; readonly text: string };
}

/** Texts of the messages for a device, in order. */
async function textsFor({ token }: Pick<User, "token">, clientId: string): Promise<string[]> {
  const events = (await storedEvents(token, "conversation.otr-message-add")) as unknown as OtrEvent[];
  return events.filter(({ data }) => data.recipient === clientId).map(({ data }) => data.text);
}

const textOf = (number: number) => Buffer.from(`message ${number}`).toString("base64");
const numbers = Array.from({ length: times(4, 12) }, (_, index) => index);

/** Sends a numbered message, the same to each device. */
const send = (
  group: { id: string },
  from: Pick<User, "token">,
  sender: string,
  devices: readonly (readonly [Pick<User, "id">, readonly string[]])[],
  number: number,
): Promise<ApiAnswer> =>
  sendJson(group, from, {
    sender,
    recipients: Object.fromEntries(
      devices.map(([{ id }, clientIds]) => [
        id,
        Object.fromEntries(clientIds.map((clientId) => [clientId, textOf(number)])),
      ]),
    ),
  });

/** Makes a change amid concurrently sent messages. @returns the answers to the messages */
async function during(
  change: () => Promise<ApiAnswer>,
  sendNumbered: (number: number) => Promise<ApiAnswer>,
) {
  const half = numbers.length / 2;
  const before = numbers.slice(0, half).map(sendNumbered);
  const changed = change();
  const after = numbers.slice(half).map(sendNumbered);
  expect((await changed).status).toBeLessThan(300);
  return Promise.all([...before, ...after]);
}

/** Texts of the messages whose answers say that a device gets them. */
const textsOfThose = (answers: readonly ApiAnswer[], isFor: (answer: ApiAnswer) => boolean) =>
  answers.flatMap((answer, number) => (isFor(answer) ? [textOf(number)] : [])).sort();

describe.concurrent("messages sent", () => {
  it("while a member leaves reach the member or not, as their answers say", async () => {
    const [ann, ben, cleo] = await Promise.all([newUser(), newUser(), newUser()]);
    const [[a1 = ""], [b1 = ""], [c1 = ""]] = await Promise.all([
      addDevices(ann),
      addDevices(ben),
      addDevices(cleo),
    ]);
    const group = await newConversation([ann, ben, cleo]);
    const devices = [[ben, [b1]] as const, [cleo, [c1]] as const];
    const leave = () =>
      api("DELETE", `/conversations/${localDomain}/${group.id}/members/${localDomain}/${cleo.id}`, cleo);
    const answers = await during(leave, (number) => send(group, ann, a1, devices, number));

    expect(answers.map(outcome)).toEqual(numbers.map(() => "201"));
    const forCleo = textsOfThose(answers, ({ body }) => body.redundant[cleo.id] === undefined);
    await eventually(async () => {
      expect((await textsFor(ben, b1)).sort()).toEqual(numbers.map(textOf).sort());
      expect((await textsFor(cleo, c1)).sort()).toEqual(forCleo);
    });
    expect((await send(group, ann, a1, devices, 99)).body.redundant).toEqual({ [cleo.id]: [c1] });
    expect(outcome(await send(group, cleo, c1, [], 99))).toBe("404 no-conversation");
  });

  it("while a device is removed reach the device or not, as their answers say", async () => {
    const [ann, ben] = await Promise.all([newUser(), newUser()]);
    const [[a1 = ""], [b1 = "", b2 = ""]] = await Promise.all([addDevices(ann), addDevices(ben, 2)]);
    const group = await newConversation([ann, ben]);
    const devices = [[ben, [b1, b2]] as const];
    const { token, password } = ben;
    const remove = () => api("DELETE", `/v8/clients/${b2}`, { token, json: { password } });
    const answers = await during(remove, (number) => send(group, ann, a1, devices, number));

    expect(answers.map(outcome)).toEqual(numbers.map(() => "201"));
    const forRemoved = textsOfThose(answers, ({ body }) => body.deleted[ben.id] === undefined);
    await eventually(async () => {
      expect((await textsFor(ben, b1)).sort()).toEqual(numbers.map(textOf).sort());
      expect((await textsFor(ben, b2)).sort()).toEqual(forRemoved);
    });
    expect((await send(group, ann, a1, devices, 99)).body.deleted).toEqual({ [ben.id]: [b2] });
  });

  it("while a device is added are refused once it is there", async () => {
    const [ann, ben] = await Promise.all([newUser(), newUser()]);
    const [[a1 = ""], [b1 = ""]] = await Promise.all([addDevices(ann), addDevices(ben)]);
    const group = await newConversation([ann, ben]);
    const sending = numbers.map((number) => send(group, ann, a1, [[ben, [b1]]], number));
    const [added = ""] = await addDevices(ben);
    const answers = await Promise.all(sending);
    const last = await send(group, ann, a1, [[ben, [b1]]], 99);
    expect(last).toMatchObject({ status: 412, body: { missing: { [ben.id]: [added] } } });
    const sent = textsOfThose(answers, ({ status }) => status === 201);
    await eventually(async () => expect((await textsFor(ben, b1)).sort()).toEqual(sent));
  });

  it("while the conversation is deleted reach its members if they are accepted, and only then", async () => {
    const team = await newTeam();
    const { owner } = team;
    const mate = await team.add();
    const [[o1 = ""], [m1 = ""]] = await Promise.all([addDevices(owner), addDevices(mate)]);
    const group = await newConversation([owner, mate], { team });
    const remove = () => api("DELETE", `/teams/${team.id}/conversations/${group.id}`, owner);
    const answers = await during(remove, (number) => send(group, owner, o1, [[mate, [m1]]], number));

    for (const answer of answers) expect(["201", "404 no-conversation"]).toContain(outcome(answer));
    const accepted = textsOfThose(answers, ({ status }) => status === 201);
    await eventually(async () => expect((await textsFor(mate, m1)).sort()).toEqual(accepted));
    expect(outcome(await send(group, owner, o1, [[mate, [m1]]], 99))).toBe("404 no-conversation");
  });

  it("by two devices of one user reach everybody, including each other, in the same order", async () => {
    const [ann, ben, cleo] = await Promise.all([newUser(), newUser(), newUser()]);
    const [[a1 = "", a2 = ""], [b1 = ""], [c1 = ""]] = await Promise.all([
      addDevices(ann, 2),
      addDevices(ben),
      addDevices(cleo),
    ]);
    const group = await newConversation([ann, ben, cleo]);
    const others = [[ben, [b1]] as const, [cleo, [c1]] as const];
    const answers = await Promise.all(
      numbers.map((number) => {
        const [sender, other] = number % 2 === 0 ? [a1, a2] : [a2, a1];
        return send(group, ann, sender, [...others, [ann, [other]]], number);
      }),
    );
    expect(answers.map(outcome)).toEqual(numbers.map(() => "201"));
    const inOrder = await eventually(async () => {
      const texts = await textsFor(ben, b1);
      expect(texts).toHaveLength(numbers.length);
      return texts;
    });
    await eventually(async () => {
      expect(await textsFor(cleo, c1)).toEqual(inOrder);
      const isFrom = (remainder: number) => (text: string) =>
        numbers.some((number) => number % 2 === remainder && textOf(number) === text);
      expect(await textsFor(ann, a2)).toEqual(inOrder.filter(isFrom(0)));
      expect(await textsFor(ann, a1)).toEqual(inOrder.filter(isFrom(1)));
    });
  });
});
