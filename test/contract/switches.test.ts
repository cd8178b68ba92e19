import { describe, expect, it } from "vitest";
import type { Route } from "#shared/platform/http/route.ts";
import { type AuditEvent, unaudited } from "#shared/registry/audit-events.ts";
import { type SwitchName, switches } from "#shared/registry/switches.ts";
import { operations } from "../support/contract.ts";

/** The operations that each switch pauses: all that do what it names, at any path. */

/** For each event of the audit trail, the switch that pauses the operations that cause it. */
const byEvent: Partial<Record<AuditEvent, SwitchName>> = {
  "account.registered": "registration",
  "team.created": "registration",
  "provider.registered": "registration",
  "session.started": "password-login",
  "provider.logged-in": "password-login",
};

/** Operations that are not paused, with the reasons. */
const goOn: Readonly<Record<string, string>> = {
  "create-free-team": "it is always refused",
  "post-account-code": "it ends a login whose password was checked before, and follows one that is paused",
  "get-account-company": "a company's identity provider has checked who it is",
  "auth-resp": "an identity provider has checked who it is",
  "auth-resp-legacy": "an identity provider has checked who it is",
};

function switchFor(operationId: string, { audit, auth, method, path }: Route): SwitchName | undefined {
  if (auth === "internal" || operationId in goOn) return undefined;
  if (typeof audit === "string") return byEvent[audit as AuditEvent];
  if (audit !== unaudited.content || method !== "POST") return undefined;
  return /\/assets(\/|$)/.test(path) ? "uploads" : "messages";
}

describe("a switch", () => {
  it("pauses every operation that does what it names, and no other", () => {
    const rows = Object.entries(operations);
    const due = rows.map(([id, route]) => [id, switchFor(id, route)]);
    expect(rows.map(([id, { pausedBy }]) => [id, pausedBy])).toEqual(due);
    expect(new Set(due.flatMap(([, name]) => name ?? []))).toEqual(new Set(Object.keys(switches)));
  });

  it("spares only operations that exist and that it would pause otherwise", () => {
    const events = Object.keys(goOn).map((id) => operations[id]?.audit);
    expect(events.filter((event) => typeof event !== "string" || !(event in byEvent))).toEqual([]);
  });
});
