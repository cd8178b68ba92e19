import { describe, expect, it } from "vitest";
import { oneToOneConversationId } from "#shared/conversations/derived-ids.ts";
import { streams } from "#shared/events/notification.ts";
import { api, outcome } from "../../support/api.ts";
import {
  connectionData,
  connectUsers,
  localDomain,
  requestConnection,
  sides,
  updateConnection,
} from "../../support/connections.ts";
import { createConversation } from "../../support/conversations.ts";
import { eventSource } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { setLegalHold } from "../../support/legal-hold-status.ts";
import { openSocket } from "../../support/socket.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser, type User } from "../../support/users.ts";

const held = "missing-legalhold-consent";

const untilSides = (one: User, other: User, expected: [string, string]) =>
  eventually(async () => expect(await sides(one, other)).toEqual(expected));

const readConversation = async ({ token }: User, peer: User, own: User) =>
  outcome(
    await api("GET", `/conversations/${localDomain}/${oneToOneConversationId(own.id, peer.id)}`, { token }),
  );

const statusesIn = (frames: { payload: { type: string; connection: { status: string } }[] }[]): string[] =>
  frames
    .flatMap(({ payload }) => payload)
    .filter(({ type }) => type === "user.connection")
    .map(({ connection }) => connection.status);

/** A team member and a user outside the team. */
async function memberAndStranger(): Promise<[User, User]> {
  const [team, stranger] = await Promise.all([newTeam(), newUser()]);
  return [await team.add(), stranger];
}

describe.concurrent("a connection with a user under legal hold", () => {
  it("is set aside on both sides, with its conversation, until legal hold ends", async () => {
    const [member, stranger] = await memberAndStranger();
    await connectUsers(member, stranger);
    const before = await connectionData().countedPlaces(member);
    const sockets = await Promise.all([
      openSocket("/await", { token: member.token }),
      openSocket("/await", { token: stranger.token }),
    ]);

    await setLegalHold(member, "enabled");
    await untilSides(member, stranger, [held, held]);
    for (const user of [member, stranger])
      expect(await readConversation(user, stranger, member)).toBe("403 access-denied");
    for (const user of [member, stranger]) {
      for (const status of ["accepted", "blocked"])
        expect(outcome(await updateConnection(user, user === member ? stranger : member, status))).toBe(
          "403 bad-conn-update",
        );
    }
    expect(await connectionData().countedPlaces(member)).toBe(before);
    expect(outcome(await createConversation(stranger, { with: [member] }))).toBe("403 not-connected");

    await setLegalHold(member, "disabled");
    await untilSides(member, stranger, ["accepted", "accepted"]);
    for (const user of [member, stranger]) expect(await readConversation(user, stranger, member)).toBe("200");
    for (const socket of sockets) {
      await socket.until((frames) => statusesIn(frames).slice(-2).join() === `${held},accepted`);
    }
  });

  it.each([
    ["sent", "pending", () => undefined],
    ["sent", "ignored", (one: User, other: User) => updateConnection(other, one, "ignored")],
    ["cancelled", "cancelled", (one: User, other: User) => updateConnection(one, other, "cancelled")],
    ["blocked", "pending", (one: User, other: User) => updateConnection(one, other, "blocked")],
  ] as const)("returns to its former status: %s and %s", async (own, other, prepare) => {
    const [member, stranger] = await memberAndStranger();
    await requestConnection(member, stranger);
    await prepare(member, stranger);
    expect(await sides(member, stranger)).toEqual([own, other]);

    await setLegalHold(member, "enabled");
    await untilSides(member, stranger, [held, held]);
    await setLegalHold(member, "disabled");
    await untilSides(member, stranger, [own, other]);
  });

  it("stays when the other user has consented or is also under legal hold", async () => {
    const teams = await Promise.all([newTeam(), newTeam(), newTeam()]);
    const [member, consenting, enabled] = (await Promise.all(teams.map((team) => team.add()))) as [
      User,
      User,
      User,
    ];
    const stranger = await newUser();
    await connectUsers(member, consenting);
    await connectUsers(member, enabled);
    await connectUsers(member, stranger);
    await setLegalHold(consenting, "disabled");
    await setLegalHold(enabled, "enabled", { isSettled: false });

    await setLegalHold(member, "enabled");
    await untilSides(member, stranger, [held, held]);
    for (const peer of [consenting, enabled])
      expect(await sides(member, peer)).toEqual(["accepted", "accepted"]);
  });

  it("delivers the events that were committed before it was set aside, but none after", async () => {
    const [member, stranger] = await memberAndStranger();
    await connectUsers(member, stranger);
    const events = eventSource();
    const publication = { sender: member.id, to: [], contactsOf: member.id };
    const send = await events.commit({ ...publication, number: 1 });
    await setLegalHold(member, "enabled");
    await untilSides(member, stranger, [held, held]);
    await send();
    await events.publish({ ...publication, number: 2 });
    await events.publish({ ...publication, number: 3, to: [{ userId: stranger.id }] });
    await eventually(async () => {
      const numbers = await events.numbersIn(streams.user(stranger.id));
      expect(numbers.filter((number) => number !== undefined)).toEqual([1, 3]);
    });
  });

  it("is not changed by a pending request for legal hold", async () => {
    const [member, stranger] = await memberAndStranger();
    const other = await newUser();
    await connectUsers(member, stranger);
    await setLegalHold(member, "pending");
    await connectUsers(member, other);
    expect(await sides(member, stranger)).toEqual(["accepted", "accepted"]);
  });
});
