import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { DomainRedirect, DomainRegistration, TeamInvite } from "./domain-registration.ts";
import {
  checkAcceptance,
  checkActivation,
  checkAddressChange,
  checkInvitation,
  checkRegistration,
  checkUpgrade,
} from "./domain-rules.ts";

const [ownTeam, otherTeam] = [randomUUID(), randomUUID()];

const redirects = {
  none: { kind: "none" },
  locked: { kind: "locked" },
  "pre-authorized": { kind: "pre-authorized" },
  "no-registration": { kind: "no-registration" },
  sso: { kind: "sso", identityProviderId: randomUUID() },
  backend: { kind: "backend", configUrl: "https://config.example" },
} as const satisfies Record<string, DomainRedirect>;

const invites = {
  allowed: { kind: "allowed" },
  "not-allowed": { kind: "not-allowed" },
  "own team": { kind: "team", teamId: ownTeam },
  "other team": { kind: "team", teamId: otherTeam },
} as const satisfies Record<string, TeamInvite>;

const registered = (
  redirect: DomainRedirect,
  teamInvite: TeamInvite = invites.allowed,
  authorizedTeam?: string,
): DomainRegistration => ({
  domain: "example.com",
  redirect,
  teamInvite,
  authorizedTeam,
  version: randomUUID(),
});

function isRefused(check: () => void): boolean {
  try {
    check();
    return false;
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ error: "condition-failed" });
    return true;
  }
}

const refusing = (check: (registration: DomainRegistration) => void) => ({
  redirects: Object.entries(redirects).flatMap(([name, redirect]) =>
    isRefused(() => check(registered(redirect))) ? [name] : [],
  ),
  invites: Object.entries(invites).flatMap(([name, invite]) =>
    isRefused(() => check(registered(redirects.none, invite))) ? [name] : [],
  ),
});

describe("the rules of an email domain", () => {
  it("refuse a registration where the domain redirects, whoever may invite", () => {
    expect(refusing(checkRegistration)).toEqual({
      redirects: ["no-registration", "sso", "backend"],
      invites: [],
    });
  });

  it("refuse an activation where the domain redirects", () => {
    expect(refusing((registration) => checkActivation(registration, ownTeam))).toEqual({
      redirects: ["no-registration", "sso", "backend"],
      invites: [],
    });
  });

  it("refuse a change to an address where the domain redirects, or only other teams may invite", () => {
    expect(refusing((registration) => checkAddressChange(registration, ownTeam))).toEqual({
      redirects: ["no-registration", "sso", "backend"],
      invites: ["not-allowed", "other team"],
    });
    expect(refusing((registration) => checkAddressChange(registration, undefined)).invites).toEqual([
      "not-allowed",
      "own team",
      "other team",
    ]);
  });

  it("let members of the team that has claimed a domain with single sign-on change to it", () => {
    const registration = registered(redirects.sso, invites.allowed, ownTeam);
    const refused = [ownTeam, otherTeam, undefined].map((teamId) =>
      [checkActivation, checkAddressChange].map((check) => isRefused(() => check(registration, teamId))),
    );
    expect(refused).toEqual([
      [false, false],
      [true, true],
      [true, true],
    ]);
  });

  it("refuse the founding of a team by a user where the domain redirects, or has any rule on invitations", () => {
    expect(refusing(checkUpgrade)).toEqual({
      redirects: ["no-registration", "sso", "backend"],
      invites: ["not-allowed", "own team", "other team"],
    });
  });

  it("refuse invitations of other teams, and of existing users where nobody may register", () => {
    const inviting = (isForExistingUser: boolean) =>
      refusing((registration) => checkInvitation(registration, { teamId: ownTeam, isForExistingUser }));
    const otherInvites = ["not-allowed", "other team"];
    expect(inviting(false)).toEqual({ redirects: [], invites: otherInvites });
    expect(inviting(true)).toEqual({ redirects: ["no-registration"], invites: otherInvites });
  });

  it("refuse to accept an invitation of another team", () => {
    expect(refusing((registration) => checkAcceptance(registration, ownTeam))).toEqual({
      redirects: [],
      invites: ["not-allowed", "other team"],
    });
  });

  it("allow everything for an unregistered domain", () => {
    checkRegistration(undefined);
    checkActivation(undefined, undefined);
    checkAddressChange(undefined, undefined);
    checkUpgrade(undefined);
    checkInvitation(undefined, { teamId: ownTeam, isForExistingUser: true });
    checkAcceptance(undefined, ownTeam);
  });
});
