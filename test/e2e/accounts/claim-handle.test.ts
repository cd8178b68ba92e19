import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api, outcome } from "../../support/api.ts";
import { connectUsers } from "../../support/connections.ts";
import { eventually } from "../../support/eventually.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newEmail, newUser, register, somePassword, type User } from "../../support/users.ts";

const newHandle = () => `ada.${randomUUID()}`;
const claim = ({ token }: Pick<User, "token">, handle: unknown, prefix = "") =>
  api("PUT", `${prefix}/self/handle`, { token, json: { handle } });
const logIn = (handle: string) => api("POST", "/login", { json: { handle, password: somePassword } });

async function updatesOf({ token }: Pick<User, "token">): Promise<object[]> {
  const { body } = await api("GET", "/notifications", { token });
  const events = body.notifications.flatMap(({ payload }: { payload: object[] }) => payload);
  return events.filter(({ type }: { type: string }) => type === "user.update");
}

describe.concurrent("claiming a handle", () => {
  it.each(["", "/v0", "/v6", "/v8"])(
    "shows it in the profile under %j and lets the user log in",
    async (prefix) => {
      const user = await newUser();
      const handle = newHandle();
      expect(await claim(user, handle, prefix)).toMatchObject({ status: 200, body: "" });

      expect((await api("GET", "/self", user)).body.handle).toBe(handle);
      expect((await logIn(handle)).body.user).toBe(user.id);
      expect((await logIn(handle.toUpperCase())).body.user).toBe(user.id);
    },
  );

  it("is announced once to the user's own devices and contacts", async () => {
    const [user, contact] = await Promise.all([newUser(), newUser()]);
    await connectUsers(user, contact);
    const [first, second] = [newHandle(), newHandle()];
    for (const handle of [first, first, second, second]) {
      expect(outcome(await claim(user, handle))).toBe("200");
    }

    const event = (handle: string) => ({
      type: "user.update",
      user: { id: user.id, handle, sso_id_deleted: false },
    });
    for (const reader of [user, contact]) {
      await eventually(async () => expect(await updatesOf(reader)).toEqual([event(first), event(second)]));
    }
  });

  it("returns 409 handle-exists for a taken handle, and frees the former one immediately", async () => {
    const [owner, other] = await Promise.all([newUser(), newUser()]);
    const [handle, next] = [newHandle(), newHandle()];
    await claim(owner, handle);
    expect(outcome(await claim(other, handle))).toBe("409 handle-exists");
    expect((await api("GET", "/self", other)).body).not.toHaveProperty("handle");

    await claim(owner, next);
    expect(outcome(await claim(other, handle))).toBe("200");
    expect((await logIn(handle)).body.user).toBe(other.id);
    expect((await logIn(next)).body.user).toBe(owner.id);
    expect(outcome(await claim(owner, handle))).toBe("409 handle-exists");
  });

  it("refuses a text that cannot be a handle with 400 invalid-handle", async () => {
    const user = await newUser();
    for (const handle of ["Ada", "admin"])
      expect(outcome(await claim(user, handle))).toBe("400 invalid-handle");
  });

  it("accepts 256 characters, and nothing but a string", async () => {
    const user = await newUser();
    const long = newHandle().padEnd(256, "_-.");
    expect(outcome(await claim(user, long))).toBe("200");
    for (const handle of [7, null, ["ada"], undefined]) {
      expect(outcome(await claim(user, handle))).toBe("400 bad-request");
    }
  });

  it("returns 403 no-identity without a verified identity, which is checked after the handle", async () => {
    for (const fields of [{}, { email: newEmail() }]) {
      const { cookie } = await register(fields);
      const { body } = await api("POST", "/access", { cookie });
      const token = body.access_token;
      expect(outcome(await claim({ token }, "a"))).toBe("400 invalid-handle");
      expect(outcome(await claim({ token }, newHandle()))).toBe("403 no-identity");
    }
  });

  it("gives a handle to exactly one of 20 users who claim it concurrently", async () => {
    const handle = newHandle();
    const users = await Promise.all(Array.from({ length: 20 }, () => newUser()));
    const answers = await Promise.all(users.map((user) => claim(user, handle)));

    const outcomes = answers.map(outcome);
    expect(outcomes.toSorted()).toEqual(["200", ...Array(19).fill("409 handle-exists")]);
    const winner = users[outcomes.indexOf("200")];
    expect((await logIn(handle)).body.user).toBe(winner?.id);
    for (const user of users) {
      expect((await api("GET", "/self", user)).body.handle).toBe(user === winner ? handle : undefined);
    }
  });

  it("leaves a user who claims 20 handles concurrently with one, and frees the others", async () => {
    const [user, other] = await Promise.all([newUser(), newUser()]);
    const handles = Array.from({ length: 20 }, newHandle);
    const answers = await Promise.all(handles.map((handle) => claim(user, handle)));
    for (const answer of answers) expect(["200", "409 concurrent-change"]).toContain(outcome(answer));

    const { handle: kept } = (await api("GET", "/self", user)).body;
    expect(handles).toContain(kept);
    for (const handle of handles) {
      expect(outcome(await claim(other, handle))).toBe(handle === kept ? "409 handle-exists" : "200");
    }
  });

  it("refuses handles reserved by the settings, and the vendor word, with 400 invalid-handle", async () => {
    const apis = await stackWith({ setReservedHandles: ["ceo"], vendor: "acme" });
    const { token } = await newUser({}, apis);
    const put = (handle: string) => apis.publicApi("PUT", "/self/handle", { token, json: { handle } });
    expect(outcome(await put("ceo"))).toBe("400 invalid-handle");
    expect(outcome(await put("acme"))).toBe("400 invalid-handle");
    expect(outcome(await put("admin"))).toBe("200");
  });
});
