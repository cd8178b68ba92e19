import { randomInt } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { messagesTo, nextMessage } from "../../support/messages.ts";
import { type OwnStack, ownStack } from "../../support/own-stack.ts";
import { activate, newEmail, newPhone, newUser, register, registeredUser } from "../../support/users.ts";

/** A number of a range that no other test uses. */
const rangeOf = () => `+49171${randomInt(1000, 10_000)}`;
const numberIn = (range: string) => `${range}${randomInt(1000, 10_000)}`;
const unlimited = { perNetwork: null, perNumberRange: null, perCountry: null };

const send = ({ publicApi }: Pick<OwnStack, "publicApi">, phone: string) =>
  publicApi("POST", "/activate/send", { json: { phone } });
const refused = "429 too-many-requests";

describe.concurrent("SMS", () => {
  it("are limited per network and day, whatever they are for", async () => {
    const stack = await ownStack(
      { setSmsDailyBudget: { ...unlimited, perNetwork: 6 } },
      { isClockStopped: true },
    );
    const { publicApi } = stack;
    const user = await newUser({}, stack);
    const phone = newPhone();
    expect(outcome(await register({ phone }, stack))).toBe("201");
    await activate({ phone }, stack);
    expect(outcome(await send(stack, newPhone()))).toBe("200");
    expect(outcome(await publicApi("POST", "/login/send", { json: { phone } }))).toBe("200");
    for (const number of [phone, newPhone()]) {
      expect(outcome(await publicApi("POST", "/v8/password-reset", { json: { phone: number } }))).toBe("201");
    }
    const { token } = user;
    expect(outcome(await publicApi("PUT", "/self/phone", { token, json: { phone: newPhone() } }))).toBe(
      "202",
    );

    const answers = [
      await send(stack, newPhone()),
      await register({ phone: newPhone() }, stack),
      await publicApi("POST", "/login/send", { json: { phone } }),
      await publicApi("POST", "/password-reset", { json: { phone: newPhone() } }),
      await publicApi("PUT", "/self/phone", { token, json: { phone: newPhone() } }),
    ];
    expect(answers.map(outcome)).toEqual(Array(5).fill(refused));
    const wait = Number(answers[0]?.headers.get("retry-after"));
    expect(wait).toBe(86_400 - (Math.floor(stack.clock() / 1000) % 86_400));
    expect(outcome(await publicApi("POST", "/activate/send", { json: { email: newEmail() } }))).toBe("200");
    stack.advance(wait);
    expect(outcome(await send(stack, newPhone()))).toBe("200");
  });

  it("are limited per range of numbers, so that nobody earns from calling their own", async () => {
    const stack = await ownStack({ setSmsDailyBudget: { ...unlimited, perNumberRange: 2 } });
    const [range, other] = [rangeOf(), rangeOf()];
    expect(outcome(await send(stack, numberIn(range)))).toBe("200");
    expect(outcome(await send(stack, numberIn(range)))).toBe("200");
    expect(outcome(await send(stack, numberIn(range)))).toBe(refused);
    expect(outcome(await send(stack, numberIn(other)))).toBe("200");
  });

  it("are limited per country, with budgets of single countries", async () => {
    const stack = await ownStack({
      setSmsDailyBudget: { ...unlimited, perCountry: 1, countries: { AT: 2, GL: 0, "+870": null, CH: null } },
    });
    const outcomesOf = async (...numbers: string[]) => {
      const outcomes = [];
      for (const number of numbers) outcomes.push(outcome(await send(stack, number)));
      return outcomes;
    };
    expect(await outcomesOf("+4915112345678", "+491701234567")).toEqual(["200", refused]);
    expect(await outcomesOf("+43151234567", "+431511234567", "+43161234567")).toEqual([
      "200",
      "200",
      refused,
    ]);
    expect(await outcomesOf("+299221234")).toEqual([refused]);
    expect(await outcomesOf("+870773111632", "+870773111633", "+41781234567", "+41781234568")).toEqual(
      Array(4).fill("200"),
    );
  });

  it("are not charged for by a network whose own budget is spent", async () => {
    const stack = await ownStack({
      setSmsDailyBudget: { ...unlimited, perNetwork: 1, perNumberRange: 2 },
    });
    const range = rangeOf();
    await send(stack, numberIn(range));
    for (let count = 0; count < 5; count++) {
      expect(outcome(await send(stack, numberIn(range)))).toBe(refused);
    }
    const other = await ownStack(
      { setSmsDailyBudget: { ...unlimited, perNumberRange: 2 } },
      { prefix: stack.prefix },
    );
    expect(outcome(await send(other, numberIn(range)))).toBe("200");
    expect(outcome(await send(other, numberIn(range)))).toBe(refused);
  });

  it("are never more than the budget, however many are asked for concurrently", async () => {
    const stack = await ownStack({ setSmsDailyBudget: { ...unlimited, perNetwork: 5 } });
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(stack, newPhone())));
    const outcomes = answers.map(outcome).toSorted();
    expect(outcomes).toEqual([...Array(5).fill("200"), ...Array(15).fill(refused)]);
  });

  it("that confirm the deletion of an account are limited, too", async () => {
    const stack = await ownStack({ setSmsDailyBudget: { ...unlimited, perNetwork: 1 } });
    const phone = newPhone();
    const { cookie } = await register({ phone }, stack);
    await activate({ phone }, stack);
    const { body } = await stack.publicApi("POST", "/access", { cookie });
    const deletion = await stack.publicApi("DELETE", "/self", { token: body.access_token, json: {} });
    expect(outcome(deletion)).toBe(refused);
  });

  it("cost nothing when the code is already known", async () => {
    const stack = await ownStack({ setSmsDailyBudget: { ...unlimited, perNetwork: 1 } });
    const phone = newPhone();
    await send(stack, phone);
    const query = new URLSearchParams({ phone });
    const { body } = await stack.internalApi("GET", `/i/users/activation-code?${query}`);
    expect(outcome(await register({ phone, phone_code: body.code }, stack))).toBe("201");
  });
});

describe.concurrent("a number that no country has", () => {
  const numbers = ["+21012345678", "+99912345678", "+15555550100", "+2991234567", "+490170123456"];

  it.each(numbers)("%s is refused wherever a code would be sent", async (phone) => {
    const { token } = await newUser();
    for (const answer of [
      await api("POST", "/activate/send", { json: { phone } }),
      await register({ phone }),
      await api("PUT", "/self/phone", { token, json: { phone } }),
      await api("POST", "/password-reset", { json: { phone } }),
      await api("POST", "/login/send", { json: { phone } }),
    ]) {
      expect(outcome(answer)).toBe("400 invalid-phone");
    }
    expect(await messagesTo(phone)).toEqual([]);
  });
});

describe.concurrent("an address in an internationalised domain", () => {
  const newAddress = () => {
    const [local, label] = [newEmail().split("@")[0], `bücher-${randomInt(1e9)}`];
    const ascii = new URL(`http://${label}.example`).hostname;
    return { unicode: `${local}@${label}.example`, ascii: `${local}@${ascii}` };
  };

  it("is registered, mailed to, shown and found by its ASCII form", async () => {
    const { unicode, ascii } = newAddress();
    const user = await registeredUser({ email: unicode });
    expect((await nextMessage(ascii)).to).toBe(ascii);
    expect((await api("GET", "/self", user)).body.email).toBe(ascii);
    const [local, domain = ""] = unicode.split("@");
    for (const email of [ascii, `${local}@${domain.toUpperCase()}`, `${local}@${domain.normalize("NFD")}`]) {
      expect(outcome(await register({ email }))).toBe("409 key-exists");
      const login = await api("POST", "/login", { json: { email, password: user.password } });
      expect(login.body.user).toBe(user.id);
    }
  });

  it("is blocked in every form", async () => {
    const { unicode, ascii } = newAddress();
    await internalApi("POST", `/i/users/blacklist?${new URLSearchParams({ email: unicode })}`);
    for (const email of [unicode, ascii]) {
      expect(outcome(await register({ email }))).toBe("403 blacklisted-email");
    }
  });

  it("passes an allow-list in either form", async () => {
    for (const domain of ["bücher.example", "xn--bcher-kva.example"]) {
      const stack = await ownStack({ setAllowlistEmailDomains: [domain] });
      for (const email of ["ada@bücher.example", "eve@BÜCHER.example", "bob@xn--bcher-kva.example"]) {
        expect(outcome(await stack.publicApi("POST", "/activate/send", { json: { email } }))).toBe("200");
      }
      const other = { json: { email: "ada@bucher.example" } };
      expect(outcome(await stack.publicApi("POST", "/activate/send", other))).toBe("403 unauthorized");
    }
  });

  it.each([
    "ada@b%C3%BCcher.example",
    "ada@bü%63her.example",
    "ada@bücher.example/x",
    "ada@bücher.example#x",
    "ada@bücher.example:80",
    "ada@bü cher.example",
    "ada@☃.example",
    "ada@bücher",
    "ada@.bücher.example",
    "ada@bücher..example",
    `ada@${"ü".repeat(64)}.example`,
    `ada@${"u".repeat(64)}.example`,
    "ädä@bücher.example",
    "ada@１２７.0.0.1",
  ])("is refused when malformed, such as %s", async (email) => {
    expect(outcome(await api("POST", "/activate/send", { json: { email } }))).toBe("400 invalid-email");
  });
});
