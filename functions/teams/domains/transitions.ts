import { ApiError } from "#shared/platform/http/api-error.ts";
import type {
  DomainRedirect,
  DomainRegistration,
  TeamInvite,
} from "#shared/teams/registered-domains/domain-registration.ts";

/** A registration to be stored, without the fields that the store adds. */
export type NextRegistration = Omit<DomainRegistration, "version">;
type Current = DomainRegistration | undefined;

/** A new registration. */
export const newRegistration = (domain: string): NextRegistration => ({
  domain,
  redirect: { kind: "none" },
  teamInvite: { kind: "allowed" },
});

/**
 * Refuse to change a domain that only the operator may change.
 * @throws ApiError `operation-forbidden-for-domain-registration-state`
 */
export function checkNotLocked(registration: Current): void {
  if (registration?.redirect.kind === "locked") throw forbidden();
}

/** Close a domain, dropping everything registered for it. */
export const lock = (domain: string): NextRegistration => ({
  ...newRegistration(domain),
  redirect: { kind: "locked" },
});

/** @throws ApiError `not-found`, `operation-forbidden-for-domain-registration-state` */
export const unlock = (registration: Current): NextRegistration =>
  redirectFrom(registration, ["locked"], { kind: "none" });

/** @throws ApiError `operation-forbidden-for-domain-registration-state` */
export const preauthorize = (domain: string, registration: Current): NextRegistration =>
  redirectFrom(registration ?? newRegistration(domain), ["none", "pre-authorized"], {
    kind: "pre-authorized",
  });

/** @throws ApiError `not-found`, `operation-forbidden-for-domain-registration-state` */
export const unauthorize = (registration: Current): NextRegistration =>
  redirectFrom(registration, ["none", "pre-authorized", "backend", "no-registration"], { kind: "none" });

/** @throws ApiError `operation-forbidden-for-domain-registration-state` */
export function chooseBackend(registration: DomainRegistration, redirect: DomainRedirect): NextRegistration {
  const next = redirectFrom(registration, ["pre-authorized", "backend", "no-registration"], redirect);
  return redirect.kind === "backend" ? { ...next, teamInvite: { kind: "not-allowed" } } : next;
}

/**
 * Set what the team that has claimed a domain may choose.
 *
 * @param choice.redirect absent: keep the present one
 * @throws ApiError `operation-forbidden-for-domain-registration-state`
 */
export function chooseTeamRules(
  registration: Current,
  teamId: string,
  { teamInvite, redirect }: { teamInvite: TeamInvite; redirect?: DomainRedirect | undefined },
): NextRegistration {
  if (registration === undefined || registration.authorizedTeam !== teamId) throw forbidden();
  const { kind } = registration.redirect;
  if (kind === "locked" || kind === "backend") throw forbidden();
  if (teamInvite.kind === "team" && teamInvite.teamId !== teamId) throw forbidden();
  return { ...registration, teamInvite, redirect: redirect ?? registration.redirect };
}

/**
 * Set what operators choose; keeps the tokens and the team that has claimed the domain.
 *
 * @throws ApiError `operation-forbidden-for-domain-registration-state` for a locked domain with rules on invitations,
 * or a backend with rules that let teams invite people
 */
export function overwrite(
  domain: string,
  registration: Current,
  { redirect, teamInvite }: Pick<DomainRegistration, "redirect" | "teamInvite">,
): NextRegistration {
  if (redirect.kind === "locked" && teamInvite.kind !== "allowed") throw forbidden();
  if (redirect.kind === "backend" && teamInvite.kind !== "not-allowed") throw forbidden();
  return { ...(registration ?? newRegistration(domain)), redirect, teamInvite };
}

function redirectFrom(
  registration: NextRegistration | undefined,
  allowed: readonly DomainRedirect["kind"][],
  redirect: DomainRedirect,
): NextRegistration {
  if (registration === undefined) throw new ApiError("not-found");
  if (!allowed.includes(registration.redirect.kind)) throw forbidden();
  return { ...registration, redirect };
}

const forbidden = () => new ApiError("operation-forbidden-for-domain-registration-state");
