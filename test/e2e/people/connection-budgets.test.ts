import { describe, expect, it } from "vitest";
import { outcome } from "../../support/api.ts";
import { requestConnection, updateConnection } from "../../support/connections.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newUser, type User } from "../../support/users.ts";

const stack = await stackWith(
  { setConnectionRequestDailyBudget: { perPair: 2, perSender: 6 } },
  { isClockStopped: true },
);
const refused = "429 too-many-requests";

const newUsers = (count: number) => Promise.all(Array.from({ length: count }, () => newUser({}, stack)));
const request = async (one: User, other: User) => outcome(await requestConnection(one, other, stack));
const update = async (one: User, other: User, status: string) =>
  outcome(await updateConnection(one, other, status, stack));

/** Requests a connection and withdraws it until that is refused. @returns how many requests were accepted */
async function pester(one: User, other: User): Promise<number> {
  for (let count = 0; ; count++) {
    const asked = await request(one, other);
    if (asked === refused) return count;
    expect(asked).toBe(count === 0 ? "201" : "200");
    expect(await update(one, other, "cancelled")).toBe("200");
  }
}

describe("a user who requests and withdraws a connection again and again", () => {
  it("is refused once the budget for the pair is spent, until the next day", async () => {
    const [one, other, third] = (await newUsers(3)) as [User, User, User];
    expect(await pester(one, other)).toBe(3);
    expect((await requestConnection(one, other, stack)).headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
    const { body } = await stack.publicApi("GET", "/notifications?size=1000", { token: other.token });
    const events = body.notifications.flatMap(({ payload }: { payload: { type: string }[] }) => payload);
    expect(events.filter(({ type }: { type: string }) => type === "user.connection").length).toBeLessThan(7);
    expect(await request(one, third)).toBe("201");
  });

  it("is refused in the same way when the other user has blocked the sender", async () => {
    const [one, other] = (await newUsers(2)) as [User, User];
    await request(one, other);
    expect(await update(other, one, "blocked")).toBe("200");
    expect(await update(one, other, "cancelled")).toBe("200");
    for (let count = 0; count < 2; count++) {
      expect(await request(one, other)).toBe("200");
      expect(await update(one, other, "cancelled")).toBe("200");
    }
    expect(await request(one, other)).toBe(refused);
  });

  it("is refused for all users once the sender's own budget is spent", async () => {
    const [one, ...others] = (await newUsers(4)) as [User, ...User[]];
    const [first, second, third] = others as [User, User, User];
    expect(await pester(one, first)).toBe(3);
    expect(await pester(one, second)).toBe(3);
    expect(await request(one, third)).toBe(refused);
  });

  it("leaves the other user able to accept, block and request", async () => {
    const [one, other, third] = (await newUsers(3)) as [User, User, User];
    await pester(one, other);
    expect(await request(other, one)).toBe("200");
    expect(await update(one, other, "accepted")).toBe("200");
    for (let count = 0; count < 6; count++) await request(other, third);
    expect(await update(one, other, "blocked")).toBe("200");
    expect(await update(other, one, "blocked")).toBe("200");
  });
});

it("a contact can be blocked and unblocked only as often as the budget for events allows", async () => {
  const [one, other] = (await newUsers(2)) as [User, User];
  await request(one, other);
  expect(await update(other, one, "accepted")).toBe("200");
  for (let count = 0; count < 2; count++) {
    expect(await update(one, other, "blocked")).toBe("200");
    expect(await update(one, other, "accepted")).toBe("200");
  }
  expect(await update(one, other, "blocked")).toBe("200");
  expect(await update(one, other, "accepted")).toBe(refused);
});
