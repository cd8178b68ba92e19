import { describe, expect, it } from "vitest";
import { api, internalApi } from "../../support/api.ts";
import { bodyExamples } from "../../support/body-examples.ts";
import { newEmail, newUser } from "../../support/users.ts";

const exampleFor = (operationId: string) =>
  bodyExamples().find((example) => example.operationId === operationId)?.example;

describe("the API document's example", () => {
  it("for register creates an account", async () => {
    const json = { ...(exampleFor("register") as object), email: newEmail() };
    expect((await api("POST", "/v9/register", { json })).status).toBe(201);
  });

  it("for add-client adds a device", async () => {
    const { token } = await newUser();
    expect((await api("POST", "/v9/clients", { token, json: exampleFor("add-client") })).status).toBe(201);
  });

  it("for i-send-idp-changed-email contains a valid identity provider", async () => {
    const json = exampleFor("i-send-idp-changed-email");
    expect((await internalApi("POST", "/i/idp/send-idp-changed-email", { json })).status).toBe(200);
  });
});
