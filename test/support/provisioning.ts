import { randomUUID } from "node:crypto";
import { systemClock } from "#shared/platform/clock.ts";
import { transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import type { IdentityProvider } from "#shared/provisioning/identity-provider.ts";
import { IdentityProviderStore } from "#shared/provisioning/identity-provider-store.ts";
import { hashOfScimToken, newScimTokenText } from "#shared/provisioning/scim-token.ts";
import { TeamProvisioningStore } from "#shared/provisioning/team-provisioning-store.ts";
import { stackConfig } from "./stack-config.ts";

/** Access a stack's stored identity providers and SCIM tokens, bypassing its API. */
export function provisioningData({ prefix = "test" }: { prefix?: string } = {}) {
  const config = stackConfig(prefix);
  const dynamo = createDynamo();
  const context = { dynamo, config, clock: systemClock };
  const teams = new TeamProvisioningStore(context);
  const providers = new IdentityProviderStore(context);

  return {
    teams,
    providers,
    /** Register an identity provider, as if an admin had uploaded its metadata. */
    async newProvider(
      teamId: string,
      fields: Partial<IdentityProvider> & Pick<IdentityProvider, "certificates">,
    ): Promise<IdentityProvider> {
      const before = await teams.get(teamId);
      const id = randomUUID();
      const provider: IdentityProvider = {
        id,
        teamId,
        revision: 1,
        apiVersion: "v2",
        issuer: `https://idp-${id}.example.com/metadata`,
        requestUri: `https://idp-${id}.example.com/login`,
        oldIssuers: [],
        handle: `IdP ${before.providers.length + 1}`,
        createdAt: systemClock(),
        ...fields,
      };
      const { issuer, apiVersion, handle, domain } = provider;
      const listed = { id, issuer, apiVersion, handle, domain };
      await transact(dynamo, [
        ...teams.save(before, { ...before, providers: [...before.providers, listed] }),
        ...providers.save(undefined, provider, "<xml/>"),
      ]);
      return provider;
    },
    /** Create a SCIM token. @returns the token in plain text */
    async newToken(teamId: string, { idpId }: { idpId?: string } = {}): Promise<string> {
      const before = await teams.get(teamId);
      const text = newScimTokenText();
      const id = randomUUID();
      const token = {
        id,
        hash: hashOfScimToken(text),
        name: id,
        description: "",
        createdAt: systemClock(),
        idpId,
      };
      await transact(dynamo, teams.save(before, { ...before, tokens: [...before.tokens, token] }));
      return text;
    },
  };
}
