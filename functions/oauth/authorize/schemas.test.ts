import { expect, it } from "vitest";
import { codeForm, decisionForm, logInForm, plainForm } from "./schemas.ts";

it.each([
  ["login", logInForm, { identity: "a".repeat(321) }, { form_token: undefined }],
  ["decision", decisionForm, { decision: "deny" }, { decision: "perhaps" }],
  ["code", codeForm, { code: "1".repeat(65) }, { form_token: undefined }],
  ["logout", plainForm, { form_token: "a".repeat(128) }, { form_token: "a".repeat(129) }],
])("a form of the step %s is refused with other values", (_, schema, fields, others) => {
  expect(schema.safeParse({ form_token: "x", ...fields }).success).toBe(true);
  expect(schema.safeParse({ form_token: "x", ...others }).success).toBe(false);
});
