import { randomUUID } from "node:crypto";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { IdentityProvider } from "#shared/provisioning/identity-provider.ts";
import { IssuerOfOtherVersionError, IssuerTakenError } from "#shared/provisioning/identity-provider-store.ts";
import type { TeamProvisioning } from "#shared/provisioning/team-provisioning.ts";
import type { Deps } from "../deps.ts";
import { announceProvider } from "./announce-provider.ts";
import { type Metadata, parseMetadata } from "./parse-metadata.ts";
import { protectOwners } from "./protect-owners.ts";
import {
  checkAddress,
  checkDomain,
  checkEnabled,
  checkIssuer,
  oldIssuersAfter,
  toListed,
} from "./provider-rules.ts";
import { readTeamAdmin, requireTeamAdmin } from "./team-admin.ts";

export interface CreationCommand
  extends Pick<IdentityProvider, "apiVersion" | "domain">,
    Partial<Pick<IdentityProvider, "handle">> {
  readonly userId: string;
  /** Metadata, as it was uploaded. */
  readonly text: string;
  /** Id of the identity provider that it replaces. */
  readonly replaces?: string | undefined;
  /** Whether SCIM tokens cannot name their identity provider in the caller's version. */
  readonly hasImplicitTokens: boolean;
}

/**
 * Register an identity provider for the acting user's team. The order of the checks is part of the interface.
 *
 * @throws ApiError `insufficient-permissions`, `invalid-metadata`, `more-than-one-idp`, `sso-disabled`,
 *   `idp-limit-reached`, `idp-duplicate-domain-for-team`, `not-found`, `idp-must-be-https`, `idp-already-in-use`,
 *   `cannot-mix-idp-api-versions`
 * @see operation `idp-create`
 */
export async function createProvider(deps: Deps, command: CreationCommand): Promise<IdentityProvider> {
  const { clock, identityProviders, provisioning, settings } = deps;
  const { userId, text, apiVersion, replaces, hasImplicitTokens } = command;
  const id = randomUUID();
  let metadata: Metadata | undefined;
  return change<IdentityProvider>(deps, async () => {
    const admin = await readTeamAdmin(deps, userId);
    const { features, member, provisioning: team } = admin;
    metadata ??= parseMetadata(text);
    if (hasImplicitTokens && team.tokens.length > 0 && team.providers.length > 0)
      throw new ApiError("more-than-one-idp");
    checkEnabled(features, settings);
    if (team.providers.length >= settings.saml.maxIdentityProviders) throw new ApiError("idp-limit-reached");
    checkDomain(team, command);
    const [replaced, holder] = await Promise.all([
      replaces === undefined ? undefined : identityProviders.get(replaces),
      identityProviders.findIssuer(metadata.issuer),
    ]);
    if (replaces !== undefined && replaced?.teamId !== member.teamId) throw new ApiError("not-found");
    const oldIssuers = replaced === undefined ? [] : oldIssuersAfter(replaced, metadata.issuer);
    await protectOwners(deps, admin, { provider: replaced, issuers: [metadata.issuer, ...oldIssuers] });
    checkAddress(metadata, settings);
    checkIssuer(team, { ...metadata, apiVersion }, holder, "idp-already-in-use");
    const provider = {
      ...metadata,
      id,
      teamId: member.teamId,
      revision: 1,
      apiVersion,
      oldIssuers,
      handle: command.handle ?? freeHandle(team),
      domain: command.domain,
      createdAt: clock(),
    };
    return {
      writes: [
        ...requireTeamAdmin(deps, admin),
        ...provisioning.save(team, { ...team, providers: [...team.providers, toListed(provider)] }),
        ...identityProviders.save(undefined, provider, text),
        ...(replaced === undefined ? [] : identityProviders.save(replaced, { ...replaced, replacedBy: id })),
      ],
      messages: announceProvider(deps, { userId, after: provider }),
      result: provider,
    };
  })
    .catch(answer(IssuerTakenError, "idp-already-in-use"))
    .catch(answer(IssuerOfOtherVersionError, "cannot-mix-idp-api-versions"));
}

/** `IdP <n>`, with the smallest number that is free. */
function freeHandle({ providers }: TeamProvisioning): string {
  const taken = new Set(providers.map(({ handle }) => handle));
  const numbers = Array.from({ length: providers.length + 1 }, (_, index) => index + 1);
  return `IdP ${numbers.find((number) => !taken.has(`IdP ${number}`))}`;
}
