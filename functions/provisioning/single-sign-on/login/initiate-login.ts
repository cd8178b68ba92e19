import { randomUUID } from "node:crypto";
import { verifyOrder } from "#shared/accounts/page-login/company-login.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { html } from "#shared/platform/html/html.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { networkBucket } from "#shared/platform/rate-limit/network.ts";
import type { IdentityProvider } from "#shared/provisioning/identity-provider.ts";
import type { LoginRequest } from "#shared/provisioning/login-request.ts";
import type { Deps } from "../deps.ts";
import { entityIdOf, type ServiceProvider, serviceProviderAt } from "../service-provider/service-provider.ts";
import { checkRedirects } from "./redirects.ts";
import { unspecifiedFormat } from "./response/name-id.ts";
import { namespaces } from "./response/names.ts";

interface Command {
  readonly idpId: string;
  /** Where an app wants the result to be sent; absent for browsers. */
  readonly success: string | undefined;
  readonly error: string | undefined;
  /** The requested host. */
  readonly host: string;
}

interface KnownCommand {
  readonly provider: IdentityProvider;
  readonly serviceProvider: ServiceProvider;
  readonly redirects: LoginRequest["redirects"];
}

/** The form that a browser posts to the identity provider. */
export interface AuthnRequest {
  /** The address to post to. */
  readonly requestUri: string;
  /** In base64. */
  readonly samlRequest: string;
}

/**
 * Check that a login could be started.
 * @throws ApiError `need-both-redirect-urls`, `bad-request`, `invalid-schema`, `url-too-long`, `not-found`, in this order
 */
export async function checkLogin(deps: Deps, { idpId, host, ...command }: Command): Promise<KnownCommand> {
  const redirects = checkRedirects(command, deps.settings);
  const serviceProvider = serviceProviderAt(host, deps);
  const provider = await deps.identityProviders.get(idpId);
  if (provider === undefined) throw new ApiError("not-found");
  return { provider, serviceProvider, redirects };
}

/**
 * Start a login (SAML profiles 4.1.4.1). Anybody can start one, so they are limited per network, and expire.
 *
 * @throws ApiError as `checkLogin` does; `bad-request` also for an order that is forged, expired or for another provider
 * @throws RateLimitedError
 */
export async function initiateLogin(
  deps: Deps,
  {
    label,
    order,
    sourceIp,
    ...command
  }: Command & {
    readonly label: string | undefined;
    /** Order of our pages. */
    readonly order: string | undefined;
    readonly sourceIp: string;
  },
): Promise<AuthnRequest> {
  const { clock, loginRequests, rateLimiter, settings } = deps;
  const { requestLifetimeSecs, requestRateLimitPerIp } = settings.saml;
  const [{ provider, serviceProvider, redirects }] = await Promise.all([
    checkLogin(deps, command),
    rateLimiter.take(networkBucket("saml-requests", sourceIp), requestRateLimitPerIp),
  ]);
  const ordered = order === undefined ? undefined : await verifyOrder(deps, order, provider.id);
  if (order !== undefined && (ordered === undefined || redirects !== undefined))
    throw new ApiError("bad-request", { message: "order: not one of our pages for this login" });
  const now = clock();
  const id = `_${randomUUID()}`;
  await loginRequests.create({
    id,
    idpId: provider.id,
    issuer: provider.issuer,
    redirects,
    ...(ordered !== undefined && { pageSession: ordered.sid, returnTo: ordered.returnTo }),
    ...(ordered?.isFresh && { authenticatedSince: now }),
    label,
    expiresAt: now + requestLifetimeSecs * 1000,
    purgeAtSeconds: toSeconds(now) + 2 * requestLifetimeSecs,
  });
  const teamId = provider.apiVersion === "v1" ? undefined : provider.teamId;
  const xml = authnRequest({
    ...{ id, now, issuer: entityIdOf(serviceProvider, teamId) },
    isFresh: ordered?.isFresh === true,
  });
  return { requestUri: provider.requestUri, samlRequest: Buffer.from(xml).toString("base64") };
}

/** An unsigned AuthnRequest (SAML core 3.4.1). */
const authnRequest = ({
  id,
  now,
  issuer,
  isFresh,
}: {
  readonly id: string;
  readonly now: number;
  readonly issuer: string;
  readonly isFresh: boolean;
}): string =>
  html`<samlp:AuthnRequest xmlns:samlp="${namespaces.protocol}" xmlns:saml="${namespaces.assertion}" ID="${id}" Version="2.0" IssueInstant="${new Date(now).toISOString()}"${isFresh ? html` ForceAuthn="true"` : undefined}><saml:Issuer>${issuer}</saml:Issuer><samlp:NameIDPolicy Format="${unspecifiedFormat}" AllowCreate="true"/></samlp:AuthnRequest>`.toString();
