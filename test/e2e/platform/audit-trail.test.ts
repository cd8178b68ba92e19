import { describe, expect, it } from "vitest";
import { internalApi, api as publicApi } from "../../support/api.ts";
import { registeredUser } from "../../support/users.ts";

const since = new Date(Date.now() - 60_000).toISOString();

/** Records of one subject, the oldest first. */
async function recordsOf(subject: Record<string, string>): Promise<Record<string, never>[]> {
  const query = new URLSearchParams({ from: since, ...subject });
  const { status, body } = await internalApi("GET", `/i/audit?${query}`);
  expect(status).toBe(200);
  return body.records;
}

describe("the audit trail", () => {
  it("says who has changed what, and from where", async () => {
    const user = await registeredUser();
    await publicApi("PUT", "/self", { token: user.token, json: { name: "Grace" } });
    const records = await recordsOf({ user: user.id });
    expect(records.map(({ event }) => event)).toEqual([
      "account.registered",
      "account.activated",
      "session.started",
      "account.profile-changed",
    ]);
    expect(records[3]).toMatchObject({
      actor: { kind: "user", user: user.id },
      operation: "put-self",
      network: "127.0.0.1",
      request_id: expect.any(String),
    });
  });
});
