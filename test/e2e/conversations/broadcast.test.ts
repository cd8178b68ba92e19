import { describe, expect, it } from "vitest";
import { type Api, api, outcome } from "../../support/api.ts";
import { connectUsers, localDomain, requestConnection } from "../../support/connections.ts";
import { addCrowd } from "../../support/crowds.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import {
  addDevices,
  encodeMessage,
  encodeQualifiedMessage,
  type OtrMessage,
  protobufRequest,
  type QualifiedMessage,
  recipientsOf,
  textFor,
} from "../../support/otr-messages.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser, type User } from "../../support/users.ts";

type Caller = Pick<User, "token">;

const broadcast = (
  { token }: Caller,
  json: OtrMessage,
  { query = "", publicApi = api }: { query?: string; publicApi?: Api } = {},
) => publicApi("POST", `/broadcast/otr/messages${query}`, { token, json });

const broadcastProtobuf = ({ token }: Caller, message: OtrMessage) =>
  api("POST", "/broadcast/otr/messages", { token, ...protobufRequest(encodeMessage(message)) });

const broadcastQualified = ({ token }: Caller, message: QualifiedMessage) =>
  api("POST", "/broadcast/proteus/messages", { token, ...protobufRequest(encodeQualifiedMessage(message)) });

/** A team of two, with a contact of the owner outside of it: one device each, two for the owner. */
async function newCircle() {
  const [team, contact] = await Promise.all([newTeam(), newUser()]);
  const { owner } = team;
  const mate = await team.add();
  await connectUsers(owner, contact);
  const [[o1 = "", o2 = ""], [m1 = ""], [c1 = ""]] = await Promise.all([
    addDevices(owner, 2),
    addDevices(mate),
    addDevices(contact),
  ]);
  const all = recipientsOf([owner, [o2]], [mate, [m1]], [contact, [c1]]);
  return { team, owner, mate, contact, o1, o2, m1, c1, all };
}

const messagesOf = ({ token }: Caller) => storedEvents(token, "conversation.otr-message-add");
const nothing = { missing: {}, redundant: {}, deleted: {} };

describe.concurrent("a broadcast", () => {
  it("reaches team mates, contacts and the sender's other devices, each in the recipient's self conversation", async () => {
    const { owner, mate, contact, o1, o2, m1, c1, all } = await newCircle();
    const { status, body } = await broadcast(owner, { sender: o1, recipients: all, data: "eA==" });
    expect({ status, body }).toEqual({ status: 201, body: { time: expect.any(String), ...nothing } });
    const devices: [User, string][] = [
      [owner, o2],
      [mate, m1],
      [contact, c1],
    ];
    for (const [user, clientId] of devices) {
      await eventually(async () =>
        expect(await messagesOf(user)).toEqual([
          {
            type: "conversation.otr-message-add",
            conversation: user.id,
            qualified_conversation: { domain: localDomain, id: user.id },
            from: owner.id,
            qualified_from: { domain: localDomain, id: owner.id },
            time: body.time,
            via: "user",
            data: { sender: o1, recipient: clientId, text: textFor(clientId), data: "eA==" },
          },
        ]),
      );
    }
  });

  it("has equal results in all forms", async () => {
    const { owner, mate, o1, all } = await newCircle();
    const answers = [
      await broadcast(owner, { sender: o1, recipients: all }),
      await broadcastProtobuf(owner, { sender: o1, recipients: all }),
      await broadcastQualified(owner, {
        sender: o1,
        recipients: { [localDomain]: all },
        strategy: "report_all",
      }),
    ];
    expect(answers.map(outcome)).toEqual(["201", "201", "201"]);
    await eventually(async () => expect(await messagesOf(mate)).toHaveLength(3));
    const [first, ...others] = (await messagesOf(mate)).map((event) => ({ ...event, time: "" }));
    for (const other of others) expect(other).toEqual(first);
  });

  it("is answered 412 when devices are missing, according to the strategy", async () => {
    const { owner, mate, contact, o1, o2, m1, c1 } = await newCircle();
    const message = { sender: o1, recipients: {} };
    const missing = { [owner.id]: [o2], [mate.id]: [m1], [contact.id]: [c1] };
    expect(await broadcast(owner, message)).toMatchObject({ status: 412, body: { ...nothing, missing } });
    const only = { ...message, report_missing: [contact.id] };
    expect((await broadcast(owner, only)).body.missing).toEqual({ [contact.id]: [c1] });
    expect(outcome(await broadcast(owner, { ...message, report_missing: [] }))).toBe("201");
    expect(outcome(await broadcast(owner, message, { query: "?ignore_missing=true" }))).toBe("201");
    const ignoring = await broadcast(owner, message, { query: `?ignore_missing=${mate.id},${owner.id}` });
    expect(ignoring.body.missing).toEqual({ [contact.id]: [c1] });
    const strategy = { report_only: [mate.id] };
    const qualified = await broadcastQualified(owner, { sender: o1, recipients: {}, strategy });
    expect(qualified).toMatchObject({
      status: 412,
      body: { missing: { [localDomain]: { [mate.id]: [m1] } } },
    });
    expect(await messagesOf(mate)).toEqual([]);
  });

  it("lists devices of other users as redundant, and those that are gone as deleted", async () => {
    const { owner, mate, o1, all } = await newCircle();
    const [stranger, asked] = await Promise.all([newUser(), newUser()]);
    await requestConnection(owner, asked);
    const [[s1 = ""], [a1 = ""]] = await Promise.all([addDevices(stranger), addDevices(asked)]);
    const recipients = {
      ...all,
      ...recipientsOf([stranger, [s1]], [asked, [a1]]),
      [mate.id]: { ...all[mate.id], dead: "" },
    };
    for (const report_missing of [undefined, [mate.id]]) {
      expect(await broadcast(owner, { sender: o1, recipients, report_missing })).toMatchObject({
        status: 201,
        body: { redundant: { [stranger.id]: [s1], [asked.id]: [a1] }, deleted: { [mate.id]: ["dead"] } },
      });
    }
    expect(await messagesOf(stranger)).toEqual([]);
  });

  it("needs a team, and a device of the sender", async () => {
    const { owner, mate, contact, m1, c1 } = await newCircle();
    expect(outcome(await broadcast(contact, { sender: c1, recipients: {} }))).toBe("404 no-team");
    expect(outcome(await broadcast(owner, { sender: m1, recipients: {} }))).toBe("403 unknown-client");
    expect(outcome(await broadcast(mate, { sender: "dead", recipients: {} }))).toBe("403 unknown-client");
  });

  it("may have no recipients", async () => {
    const { owner } = await newTeam();
    const [o1 = ""] = await addDevices(owner);
    expect(outcome(await broadcast(owner, { sender: o1, recipients: {} }))).toBe("201");
  });
});

describe("a broadcast in a team", () => {
  it("reaches up to maxFanoutSize recipients, and beyond that only those who are named", async () => {
    const stack = await stackWith({ maxFanoutSize: 5 });
    const { publicApi } = stack;
    const team = await newTeam({}, stack);
    const { owner } = team;
    const [o1 = ""] = await addDevices(owner, 1, stack);
    const crowd = await addCrowd(team, { size: 4 }, stack.prefix);
    const recipients = recipientsOf(...crowd.map((id) => [{ id }, ["a1", "b2"]] as const));
    const send = async (message: Partial<OtrMessage>, query = "") =>
      outcome(await broadcast(owner, { sender: o1, recipients, ...message }, { query, publicApi }));
    expect(await send({})).toBe("201");

    const late = await team.add();
    const tooMany = "400 too-many-users-to-broadcast";
    for (const query of ["", "?ignore_missing=true", `?ignore_missing=${late.id}`])
      expect(await send({}, query), query).toBe(tooMany);
    expect(await send({ report_missing: [] })).toBe("201");
    expect(await send({ report_missing: crowd })).toBe("201");
    // Named and addressed together, and addressed alone: strangers count as well.
    expect(await send({ report_missing: [late.id, owner.id] })).toBe(tooMany);
    const six = recipientsOf(...[...crowd, late.id, owner.id].map((id) => [{ id }, ["a1"]] as const));
    expect(await send({ recipients: six, report_missing: [] })).toBe(tooMany);
  });
});
