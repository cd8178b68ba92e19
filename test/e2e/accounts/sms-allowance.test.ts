import { randomInt, randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { messagesTo, nextMessage } from "../../support/messages.ts";
import { awayFromMidnight } from "../../support/midnight.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { activate, newEmail, newPhone, newUser, register, registeredUser } from "../../support/users.ts";

let ranges = 1000;
/** A range of numbers that no other test uses. */
const newRange = () => `+49171${ranges++}`;
const numberIn = (range: string) => `${range}${randomInt(1000, 10_000)}`;
const unlimited = { perNetwork: null, perNumberRange: null, perCountry: null };

const send = ({ publicApi }: Pick<OwnStack, "publicApi">, phone: string) =>
  publicApi("POST", "/activate/send", { json: { phone } });
const refused = "429 too-many-requests";

const day = 86_400;

/** A stack that limits what one network may request. Each test begins a new day, so tests run one at a time. */
let perNetwork: OwnStack;
/** A stack on the same data that limits requests per range and country. */
let perDestination: OwnStack;

beforeAll(async () => {
  await awayFromMidnight();
  perNetwork = await stackWith(
    { setSmsDailyBudget: { ...unlimited, perNetwork: 6, perNumberRange: 2 } },
    { isClockStopped: true },
  );
  perDestination = await stackWith(
    {
      setSmsDailyBudget: {
        perNetwork: null,
        perNumberRange: 2,
        perCountry: 1,
        countries: { DE: null, AT: 2, GL: 0, "+870": null },
      },
    },
    { isClockStopped: true },
  );
});

describe("SMS from one network", () => {
  it("are limited per day, whatever their purpose", async () => {
    const { publicApi } = perNetwork;
    perNetwork.advance(day);
    const { token } = await newUser({}, perNetwork);
    const phone = newPhone();
    expect(outcome(await register({ phone }, perNetwork))).toBe("201");
    await activate({ phone }, perNetwork);
    expect(outcome(await send(perNetwork, newPhone()))).toBe("200");
    expect(outcome(await publicApi("POST", "/login/send", { json: { phone } }))).toBe("200");
    const reset = (number: string) => publicApi("POST", "/v8/password-reset", { json: { phone: number } });
    for (const number of [newPhone(), newPhone()]) expect(outcome(await reset(number))).toBe("201");
    expect(outcome(await publicApi("PUT", "/self/phone", { token, json: { phone: newPhone() } }))).toBe(
      "202",
    );

    const answers = [
      await send(perNetwork, newPhone()),
      await register({ phone: newPhone() }, perNetwork),
      await publicApi("POST", "/login/send", { json: { phone } }),
      await reset(newPhone()),
      await publicApi("PUT", "/self/phone", { token, json: { phone: newPhone() } }),
    ];
    expect(answers.map(outcome)).toEqual(Array(5).fill(refused));
    const wait = Number(answers[0]?.headers.get("retry-after"));
    expect(wait).toBe(day - (Math.floor(perNetwork.clock() / 1000) % day));
    const mail = { json: { email: newEmail() } };
    expect(outcome(await publicApi("POST", "/activate/send", mail))).toBe("200");
    perNetwork.advance(wait);
    expect(outcome(await send(perNetwork, newPhone()))).toBe("200");
  });

  it("never exceed the budget, however many are requested concurrently", async () => {
    perNetwork.advance(day);
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(perNetwork, newPhone())));
    const outcomes = answers.map(outcome).toSorted();
    expect(outcomes).toEqual([...Array(6).fill("200"), ...Array(14).fill(refused)]);
  });

  it("are not spent by a registration that includes its code, but by the confirmation of a deletion", async () => {
    const { publicApi, internalApi } = perNetwork;
    perNetwork.advance(day);
    const phone = newPhone();
    await send(perNetwork, phone);
    const { body } = await internalApi("GET", `/i/users/activation-code?${new URLSearchParams({ phone })}`);
    for (let count = 0; count < 4; count++) await send(perNetwork, newPhone());
    const { cookie } = await register({ phone, phone_code: body.code }, perNetwork);
    const access = await publicApi("POST", "/access", { cookie });
    const remove = () => publicApi("DELETE", "/self", { token: access.body.access_token, json: {} });
    await send(perNetwork, newPhone());
    expect(outcome(await remove())).toBe(refused);
  });

  it("do not use the budgets of ranges once the network's own is spent", async () => {
    perNetwork.advance(-Math.round((perNetwork.clock() - Date.now()) / 1000));
    const range = newRange();
    while (outcome(await send(perNetwork, newPhone())) === "200");
    for (let count = 0; count < 5; count++) {
      expect(outcome(await send(perNetwork, numberIn(range)))).toBe(refused);
    }
    expect(outcome(await send(perDestination, numberIn(range)))).toBe("200");
    expect(outcome(await send(perDestination, numberIn(range)))).toBe("200");
    expect(outcome(await send(perDestination, numberIn(range)))).toBe(refused);
  });
});

describe.concurrent("SMS to many numbers", () => {
  it("are limited per range of numbers, so that nobody earns money by requesting SMS to their own range", async () => {
    const [range, other] = [newRange(), newRange()];
    expect(outcome(await send(perDestination, numberIn(range)))).toBe("200");
    expect(outcome(await send(perDestination, numberIn(range)))).toBe("200");
    expect(outcome(await send(perDestination, numberIn(range)))).toBe(refused);
    expect(outcome(await send(perDestination, numberIn(other)))).toBe("200");
  });

  it("are limited per country, with separate budgets for some countries", async () => {
    const outcomesOf = async (...numbers: string[]) => {
      const outcomes = [];
      for (const number of numbers) outcomes.push(outcome(await send(perDestination, number)));
      return outcomes;
    };
    expect(await outcomesOf("+41781234567", "+41791234567")).toEqual(["200", refused]);
    expect(await outcomesOf("+43151234567", "+431511234567", "+43161234567")).toEqual([
      "200",
      "200",
      refused,
    ]);
    expect(await outcomesOf("+299221234")).toEqual([refused]);
    expect(await outcomesOf("+870773111632", "+870773121632", "+870773131632")).toEqual(Array(3).fill("200"));
  });
});

describe.concurrent("a number that belongs to no country", () => {
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

  it("is mailed to and found by its ASCII form, and shown as it was sent", async () => {
    const { unicode, ascii } = newAddress();
    const user = await registeredUser({ email: unicode });
    expect((await nextMessage(ascii)).to).toBe(ascii);
    expect((await api("GET", "/self", user)).body.email).toBe(unicode);
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
    const stack = await stackWith({ setAllowlistEmailDomains: ["bücher.example", "xn--mller-kva.example"] });
    const send = (email: string) => stack.publicApi("POST", "/activate/send", { json: { email } });
    for (const domain of ["bücher.example", "BÜCHER.example", "xn--bcher-kva.example", "müller.example"]) {
      expect(outcome(await send(`${randomUUID()}@${domain}`))).toBe("200");
    }
    expect(outcome(await send("ada@bucher.example"))).toBe("403 unauthorized");
  });
});
