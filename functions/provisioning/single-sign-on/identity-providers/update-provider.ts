import { isDeepStrictEqual } from "node:util";
import type { Write } from "#shared/platform/data/conditions.ts";
import { inPlaceOf } from "#shared/platform/data/unknown-fields.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { IdentityProvider } from "#shared/provisioning/identity-provider.ts";
import { IssuerOfOtherVersionError, IssuerTakenError } from "#shared/provisioning/identity-provider-store.ts";
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
import { getProvider } from "./read-providers.ts";
import { requireTeamAdmin } from "./team-admin.ts";

interface UpdateCommand extends Pick<IdentityProvider, "id" | "domain"> {
  readonly userId: string;
  /** Metadata, as it was uploaded. */
  readonly text: string;
  /** Absent: unchanged. */
  readonly handle?: string | undefined;
}

/** Whether metadata keep the issuer, the keys and the address for logins. */
const isSameTrust = (
  { issuer, requestUri, certificates }: Pick<IdentityProvider, keyof Metadata>,
  metadata: Metadata,
): boolean => isDeepStrictEqual({ issuer, requestUri, certificates }, { ...metadata });

/**
 * Replace the metadata of an identity provider. If the issuer changes, users move to it when they next log in, and
 * others may use the former issuer. The order of the checks is part of the interface.
 *
 * @throws ApiError `invalid-metadata`, `not-found`, `insufficient-permissions`, `idp-issuer-in-use`,
 *   `cannot-mix-idp-api-versions`, `idp-must-be-https`, `sso-disabled`, `idp-duplicate-domain-for-team`
 * @see operation `idp-update`
 */
export async function updateProvider(
  deps: Deps,
  { userId, id, text, handle, domain }: UpdateCommand,
): Promise<IdentityProvider> {
  const { identityProviders, provisioning, settings } = deps;
  const metadata = parseMetadata(text);
  return change<IdentityProvider>(deps, async () => {
    const { provider: before, admin } = await getProvider(deps, { userId, id });
    const { features, provisioning: team } = admin;
    if (!isSameTrust(before, metadata))
      await protectOwners(deps, admin, {
        provider: before,
        issuers: [before.issuer, ...before.oldIssuers, metadata.issuer],
      });
    const hasNewIssuer = metadata.issuer !== before.issuer;
    const release: Write[] = [];
    if (hasNewIssuer) {
      const [holder, released] = await Promise.all([
        identityProviders.findIssuer(metadata.issuer),
        identityProviders.releaseIssuer(before),
      ]);
      checkIssuer(team, { ...before, ...metadata }, holder, "idp-issuer-in-use");
      release.push(released);
    }
    checkAddress(metadata, settings);
    checkEnabled(features, settings);
    const after = {
      ...before,
      ...metadata,
      handle: handle ?? before.handle,
      domain,
      oldIssuers: hasNewIssuer ? oldIssuersAfter(before, metadata.issuer) : before.oldIssuers,
    };
    checkDomain(team, after);
    const providers = team.providers.map((listed) =>
      listed.id === id ? inPlaceOf(listed, toListed(after)) : listed,
    );
    return {
      writes: [
        ...requireTeamAdmin(deps, admin),
        ...provisioning.save(team, { ...team, providers }),
        ...identityProviders.save(before, after, text),
        ...release,
      ],
      messages: announceProvider(deps, { userId, before, after }),
      result: after,
    };
  })
    .catch(answer(IssuerTakenError, "idp-issuer-in-use"))
    .catch(answer(IssuerOfOtherVersionError, "cannot-mix-idp-api-versions"));
}
