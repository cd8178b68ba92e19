import { ApiError } from "#shared/platform/http/api-error.ts";
import type { DomainRegistration } from "./domain-registration.ts";

/**
 * What the registration of an e-mail domain forbids (spec table Influence elsewhere). Each function takes what was read
 * for the domain of the address, undefined for one that is not registered.
 *
 * @throws ApiError `condition-failed`
 */

/** Refuse a person who registers, with or without a team to found. */
export const checkRegistration = (registration: DomainRegistration | undefined): void =>
  refuseIf(registration !== undefined && redirectsAway(registration));

/**
 * Refuse to activate an address. Somebody in the team that has claimed the domain may confirm an address that single
 * sign-on is used for, because they may change to it.
 */
export const checkActivation = (
  registration: DomainRegistration | undefined,
  teamId: string | undefined,
): void => refuseIf(registration !== undefined && isClosedTo(registration, teamId));

/** Refuse a change to an address that has to be confirmed by mail. */
export const checkAddressChange = (
  registration: DomainRegistration | undefined,
  teamId: string | undefined,
): void =>
  refuseIf(
    registration !== undefined && (isClosedTo(registration, teamId) || !mayInvite(registration, teamId)),
  );

/** Refuse a person who founds a team with their account. */
export const checkUpgrade = (registration: DomainRegistration | undefined): void =>
  refuseIf(
    registration !== undefined && (redirectsAway(registration) || registration.teamInvite.kind !== "allowed"),
  );

/** Refuse an invitation to a team. */
export const checkInvitation = (
  registration: DomainRegistration | undefined,
  { teamId, isForExistingUser }: { readonly teamId: string; readonly isForExistingUser: boolean },
): void =>
  refuseIf(
    registration !== undefined &&
      (!mayInvite(registration, teamId) ||
        (isForExistingUser && registration.redirect.kind === "no-registration")),
  );

/** Refuse to accept an invitation to a team, by what holds now rather than when it was sent. */
export const checkAcceptance = (registration: DomainRegistration | undefined, teamId: string): void =>
  refuseIf(registration !== undefined && !mayInvite(registration, teamId));

function refuseIf(isForbidden: boolean): void {
  if (isForbidden) throw new ApiError("condition-failed");
}

const redirectsAway = ({ redirect: { kind } }: DomainRegistration) =>
  kind === "sso" || kind === "backend" || kind === "no-registration";

const isClosedTo = (registration: DomainRegistration, teamId: string | undefined) =>
  registration.redirect.kind === "sso"
    ? teamId === undefined || registration.authorizedTeam !== teamId
    : redirectsAway(registration);

const mayInvite = ({ teamInvite }: DomainRegistration, teamId: string | undefined) =>
  teamInvite.kind === "team" ? teamInvite.teamId === teamId : teamInvite.kind === "allowed";
