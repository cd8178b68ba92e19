import { randomUUID } from "node:crypto";
import { afterAll, describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { stopOwnStacks } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newEmail, newUser } from "../../support/users.ts";

afterAll(stopOwnStacks);

const password = "correct horse battery";
const create = (json: object, { internalApi: call } = { internalApi }) => call("POST", "/i/users", { json });

describe.concurrent("POST /i/users", () => {
  it("creates an account that still has to prove its address, without a session", async () => {
    const email = newEmail();
    const answer = await create({ name: "Ada", email, password });
    expect(answer).toMatchObject({ status: 201, cookie: undefined });
    expect(answer.headers.get("location")).toBe(answer.body.id);
    expect(answer.body).toMatchObject({ name: "Ada", status: "active", email_unvalidated: email });
    const logIn = () => api("POST", "/login", { json: { email, password } });
    expect(outcome(await logIn())).toBe("403 pending-activation");
    const { body } = await internalApi("GET", `/i/users/activation-code?email=${encodeURIComponent(email)}`);
    expect((await api("POST", "/activate", { json: { ...body, dryrun: false } })).status).toBe(200);
    expect(await logIn()).toMatchObject({ status: 200, body: { user: answer.body.id } });
  });

  it("creates an active account when the code of the address is sent along", async () => {
    const email = newEmail();
    await api("POST", "/activate/send", { json: { email } });
    const { body } = await internalApi("GET", `/i/users/activation-code?email=${encodeURIComponent(email)}`);
    const created = await create({ name: "Ada", email, password, email_code: body.code });
    expect(created).toMatchObject({ status: 201, body: { email } });
    expect((await api("POST", "/login", { json: { email, password } })).status).toBe(200);
  });

  it("accepts the id and the manager of the account from the operator, and each id only once", async () => {
    const uuid = randomUUID();
    const user = () => ({ name: "Ada", email: newEmail(), password, uuid, managed_by: "scim" });
    expect((await create(user())).body).toMatchObject({ id: uuid, managed_by: "scim" });
    expect(outcome(await create(user()))).toBe("409 key-exists");
    const public_ = await api("POST", "/register", { json: user() });
    expect(outcome(public_)).toBe("400 bad-request");
  });

  it("gives an id to one of several concurrent requests", async () => {
    const uuid = randomUUID();
    const outcomes = await Promise.all(
      Array.from({ length: 5 }, async () => outcome(await create({ name: "Ada", uuid }))),
    );
    expect(outcomes.toSorted()).toEqual(["201", ...Array(4).fill("409 key-exists")]);
  });

  it("keeps the other rules of a registration", async () => {
    const { email } = await newUser();
    expect(outcome(await create({ name: "Ada", email, password }))).toBe("409 key-exists");
    expect(outcome(await create({ name: "Ada", email: "ada", password }))).toBe("400 invalid-email");
    const ofCompany = { sso_id: { scim_external_id: "ada" }, team_id: randomUUID() };
    expect(outcome(await create({ name: "Ada", ...ofCompany }))).toBe("400 bad-request");
  });

  it("is possible where nobody may register", async () => {
    const stack = await stackWith({ setRestrictUserCreation: true, setEphemeralUserCreationEnabled: false });
    const user = () => ({ name: "Ada", email: newEmail(), password });
    const registering = await stack.publicApi("POST", "/register", { json: user() });
    expect(outcome(registering)).toBe("403 user-creation-restricted");
    expect((await create(user(), stack)).status).toBe(201);
    expect((await create({ name: "Ada" }, stack)).body).toMatchObject({ status: "ephemeral" });
  });
});
