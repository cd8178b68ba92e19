import { expect, it } from "vitest";
import {
  authorizationRequest,
  codeForm,
  decisionForm,
  endSessionRequest,
  logInForm,
  plainForm,
} from "./routes.ts";

it.each([
  ["login", logInForm, { identity: "a".repeat(321) }, { form_token: undefined }],
  ["decision", decisionForm, { decision: "deny" }, { decision: "perhaps" }],
  ["code", codeForm, { code: "1".repeat(65) }, { form_token: undefined }],
  ["logout", plainForm, { form_token: "a".repeat(128) }, { form_token: "a".repeat(129) }],
])("a form of the step %s is refused with other values", (_, schema, fields, others) => {
  expect(schema.safeParse({ form_token: "x", ...fields }).success).toBe(true);
  expect(schema.safeParse({ form_token: "x", ...others }).success).toBe(false);
});

it.each([
  ["letters", "x".repeat(4096), "x".repeat(4097)],
  ["characters that are longer in an address", "é".repeat(1024), "é".repeat(1025)],
])("a state of %s is returned in a redirect only if it fits into the header", (_, longest, longer) => {
  const query = {
    client_id: "5c1a7e42-93b8-4d0f-8e6a-2f9b3c4d5e6f",
    redirect_uri: "https://app.example.com/",
  };
  for (const schema of [authorizationRequest, endSessionRequest]) {
    expect(schema.safeParse({ ...query, state: longest }).data?.state).toBe(longest);
    expect(schema.safeParse({ ...query, state: longer }).success).toBe(false);
  }
});
