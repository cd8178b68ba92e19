import { describe, expect, it } from "vitest";
import { outcome } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import { type OwnStack, ownStack } from "../../support/own-stack.ts";
import { activate, newPhone, newUser, register, somePassword } from "../../support/users.ts";

const day = 86_400;

/** What the codes sent to a number are good for. */
function codesTo({ publicApi, internalApi }: OwnStack, phone: string) {
  const pendingReset = `/i/users/password-reset-code?${new URLSearchParams({ phone })}`;
  return {
    resetPassword: () => publicApi("POST", "/password-reset", { json: { phone } }),
    pendingReset: async () => outcome(await internalApi("GET", pendingReset)),
    logIn: async () => outcome(await publicApi("POST", "/login/send", { json: { phone } })),
  };
}

describe.concurrent("a phone number that an activated account gets", () => {
  it("lets nobody in by codes alone for seven days, because an access token is enough to add it", async () => {
    const stack = await ownStack({}, { isClockStopped: true });
    const { id, token } = await newUser({}, stack);
    const phone = newPhone();
    const changed = await stack.publicApi("PUT", "/self/phone", { token, json: { phone } });
    expect(changed.status).toBe(202);
    expect((await activate({ phone }, stack)).status).toBe(200);

    const codes = codesTo(stack, phone);
    const unknown = codesTo(stack, newPhone());
    for (const wait of [0, 7 * day - 1]) {
      stack.advance(wait);
      expect(outcome(await codes.resetPassword())).toBe(outcome(await unknown.resetPassword()));
      expect(await codes.pendingReset()).toBe("400 invalid-key");
      expect(await codes.logIn()).toBe("400 invalid-phone");
    }
    const json = { phone, password: somePassword };
    expect((await stack.publicApi("POST", "/login", { json })).body.user).toBe(id);

    stack.advance(day);
    expect(await codes.logIn()).toBe("200");
    expect((await codes.resetPassword()).status).toBe(201);
    await eventually(async () => expect(await codes.pendingReset()).toBe("200"));
  });

  it("is trusted at once where it activates the account", async () => {
    const stack = await ownStack();
    const phone = newPhone();
    await register({ phone, password: somePassword }, stack);
    await activate({ phone }, stack);
    const codes = codesTo(stack, phone);
    expect(await codes.logIn()).toBe("200");
    expect((await codes.resetPassword()).status).toBe(201);
    expect(await codes.pendingReset()).toBe("200");
  });
});
