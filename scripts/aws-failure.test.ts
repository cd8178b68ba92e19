import { afterEach, expect, test, vi } from "vitest";
import { awsFailure } from "./aws-failure.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

const failure = (name: string, message: string, more = {}) =>
  awsFailure(Object.assign(new Error(message), { name, $metadata: {}, ...more }));

test.each([
  ["Error", "Region is missing", "There is no AWS region"],
  ["ExpiredTokenException", "Expired", "The AWS credentials have expired: log in again"],
  [
    "AccessDenied",
    "User: x is not authorized",
    "The credentials lack a permission: User: x is not authorized",
  ],
  [
    "InvalidClientTokenId",
    "The token is invalid.",
    "AWS does not accept the credentials: The token is invalid.",
  ],
  ["UnrecognizedClientException", "No.", "AWS does not accept the credentials: No."],
  ["Throttling", "Slow down", "Throttling: Slow down"],
])("the text for %s with the message %j tells what to do", (name, message, said) => {
  expect(failure(name, message)).toContain(said);
});

test("an unreachable AWS is named", () => {
  const said = failure("Error", "getaddrinfo ENOTFOUND example", { code: "ENOTFOUND" });
  expect(said).toBe("AWS cannot be reached: getaddrinfo ENOTFOUND example");
});

test("missing credentials are reported, and with a profile also its problem", () => {
  vi.stubEnv("AWS_PROFILE", undefined);
  const missing = failure("CredentialsProviderError", "Could not load credentials from any providers");
  expect(missing).toBe("There are no AWS credentials: set AWS_PROFILE, or log in first");
  vi.stubEnv("AWS_PROFILE", "nobody");
  expect(failure("CredentialsProviderError", "No profile nobody.")).toContain("No profile nobody.");
});
