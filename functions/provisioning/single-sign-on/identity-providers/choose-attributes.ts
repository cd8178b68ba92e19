import { change } from "#shared/platform/messaging/change.ts";
import type { AttributeMapping, IdentityProvider } from "#shared/provisioning/identity-provider.ts";
import type { Deps } from "../deps.ts";
import { protectOwners } from "./protect-owners.ts";
import { getProvider } from "./read-providers.ts";
import { requireTeamAdmin } from "./team-admin.ts";

interface Command {
  readonly userId: string;
  readonly id: string;
  /** Undefined: logins ignore attributes. */
  readonly attributes: AttributeMapping | undefined;
}

/**
 * Choose whether and how logins read names and addresses from attributes.
 *
 * @throws ApiError `not-found`, `insufficient-permissions`
 * @see operation `idp-put-attributes`
 */
export function chooseAttributes(deps: Deps, { userId, id, attributes }: Command): Promise<IdentityProvider> {
  return change<IdentityProvider>(deps, async () => {
    const { provider, admin } = await getProvider(deps, { userId, id });
    // An admin who could choose the address of an owner's account could reset its password.
    await protectOwners(deps, admin, { provider, issuers: [provider.issuer, ...provider.oldIssuers] });
    const after = { ...provider, attributes };
    return {
      writes: [...requireTeamAdmin(deps, admin), ...deps.identityProviders.save(provider, after)],
      messages: [],
      result: after,
    };
  });
}
