import { ApiError } from "#shared/platform/http/api-error.ts";
import type { DomainRegistration } from "./domain-registration.ts";

/**
 * Rules of a registered email domain for other operations. Each function takes the registration of the address's
 * domain; undefined if there is none.
 *
 * @throws ApiError `condition-failed`
 */

/** Refuse a registration, with or without a team to found. */
export const checkRegistration = (registration: DomainRegistration | undefined): void =>
  refuseIf(registration !== undefined && redirectsElsewhere(registration));

/**
 * Refuse to activate an address. A member of the team that has claimed the domain may confirm an address with single
 * sign-on, because changing to it is allowed.
 */
export const checkActivation = (
  registration: DomainRegistration | undefined,
  teamId: string | undefined,
): void => refuseIf(registration !== undefined && isClosedTo(registration, teamId));

/** Refuse a change to an address that must be confirmed by mail. */
export const checkAddressChange = (
  registration: DomainRegistration | undefined,
  teamId: string | undefined,
): void =>
  refuseIf(
    registration !== undefined && (isClosedTo(registration, teamId) || !mayInvite(registration, teamId)),
  );

/** Refuse to found a team with a personal account. */
export const checkUpgrade = (registration: DomainRegistration | undefined): void =>
  refuseIf(
    registration !== undefined &&
      (redirectsElsewhere(registration) || registration.teamInvite.kind !== "allowed"),
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

/** Refuse to accept an invitation to a team, by the present rules and not by those at its sending. */
export const checkAcceptance = (registration: DomainRegistration | undefined, teamId: string): void =>
  refuseIf(registration !== undefined && !mayInvite(registration, teamId));

function refuseIf(isForbidden: boolean): void {
  if (isForbidden) throw new ApiError("condition-failed");
}

const redirectsElsewhere = ({ redirect: { kind } }: DomainRegistration) =>
  kind === "sso" || kind === "backend" || kind === "no-registration";

const isClosedTo = (registration: DomainRegistration, teamId: string | undefined) =>
  registration.redirect.kind === "sso"
    ? teamId === undefined || registration.authorizedTeam !== teamId
    : redirectsElsewhere(registration);

const mayInvite = ({ teamInvite }: DomainRegistration, teamId: string | undefined) =>
  teamInvite.kind === "team" ? teamInvite.teamId === teamId : teamInvite.kind === "allowed";
