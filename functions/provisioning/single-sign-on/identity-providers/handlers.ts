import type * as z from "zod";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers, Input } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { AttributeMapping, IdentityProvider } from "#shared/provisioning/identity-provider.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { Deps } from "../deps.ts";
import { boundHost } from "../service-provider/service-provider.ts";
import { type Announced, orderAnnouncement, type ProviderChange } from "./announce-provider.ts";
import { createProvider } from "./create-provider.ts";
import { deleteProvider } from "./delete-provider.ts";
import { parseKeyInfo } from "./parse-metadata.ts";
import { protectOwners } from "./protect-owners.ts";
import { getProvider, listOwnProviders, listProvidersOf } from "./read-providers.ts";
import type * as schemas from "./routes.ts";
import type { routes } from "./routes.ts";
import { requireTeamAdmin } from "./team-admin.ts";
import { updateProvider } from "./update-provider.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { identityProviders, settings } = deps;
  const toView = (provider: IdentityProvider) => toProviderView(provider, settings);

  return {
    "idp-get-all": async ({ actor }) => {
      const providers = await listOwnProviders(deps, actor.userId);
      return { body: { providers: providers.map(toView) } };
    },

    "idp-get": async ({ actor, params }) => {
      const { provider } = await getProvider(deps, { userId: actor.userId, id: params.id });
      return { body: toView(provider) };
    },

    "idp-get-raw": async ({ actor, params }) => {
      const { provider } = await getProvider(deps, { userId: actor.userId, id: params.id });
      const metadata = await identityProviders.getMetadata(provider.id);
      if (metadata === undefined) throw new ApiError("not-found");
      return { body: metadata };
    },

    "idp-create": async ({ actor, query, body, host, ...request }) => {
      const { api_version: apiVersion, handle, replaces } = query;
      const provider = await createProvider(deps, {
        userId: actor.userId,
        text: body.value,
        apiVersion,
        handle,
        replaces,
        domain: boundHost(host, deps),
        hasImplicitTokens: hasImplicitTokens(request),
      });
      return { body: toView(provider) };
    },

    "idp-update": async ({ actor, params, query, body, host }) => {
      const provider = await updateProvider(deps, {
        userId: actor.userId,
        id: params.id,
        text: body.value,
        handle: query.handle,
        domain: boundHost(host, deps),
      });
      return { body: toView(provider) };
    },

    "idp-get-attributes": async ({ actor, params }) => {
      const { provider } = await getProvider(deps, { userId: actor.userId, id: params.id });
      return { body: toAttributesView(provider) };
    },

    "idp-put-attributes": async ({ actor, params, body: { status, name, email } }) => {
      const attributes = status === "enabled" ? { name, email } : undefined;
      const provider = await chooseAttributes(deps, { userId: actor.userId, id: params.id, attributes });
      return { body: toAttributesView(provider) };
    },

    "idp-delete": async ({ actor, params, query }) => {
      await deleteProvider(deps, { userId: actor.userId, id: params.id, isPurge: query.purge });
      return {};
    },

    "i-get-identity-providers": async ({ params }) => {
      const providers = await listProvidersOf(deps, params.team);
      return { body: { providers: providers.map(toView) } };
    },

    "i-send-idp-changed-email": async ({ body }) => {
      const happened = toProviderChange(body);
      await change(deps, async () => ({ messages: orderAnnouncement(deps, happened) }));
      return {};
    },
  };
}

/** Up to version 7, a token was bound to the only identity provider of its team. */
const hasImplicitTokens = ({ isPrefixed, version }: Pick<Input<never>, "isPrefixed" | "version">) =>
  isPrefixed && version <= 7;

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
function chooseAttributes(deps: Deps, { userId, id, attributes }: Command): Promise<IdentityProvider> {
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

/** Shows an identity provider as in the published schema `IdPConfig`. */
const toProviderView = (
  { id, teamId, issuer, requestUri, certificates, apiVersion, ...provider }: IdentityProvider,
  { vendor }: Pick<Settings, "vendor">,
): z.input<typeof schemas.provider> => ({
  id,
  metadata: { issuer, requestURI: requestUri, certAuthnResponse: certificates.map(toKeyInfo) },
  extraInfo: {
    team: teamId,
    apiVersion: `${vendor.charAt(0).toUpperCase()}${vendor.slice(1)}IdPAPI${apiVersion.toUpperCase()}`,
    oldIssuers: provider.oldIssuers,
    replacedBy: provider.replacedBy ?? null,
    handle: provider.handle,
    domain: provider.domain ?? null,
  },
});

/** Shows how logins read names and addresses. */
const toAttributesView = ({
  attributes,
}: Pick<IdentityProvider, "attributes">): z.input<typeof schemas.attributes> => ({
  status: attributes === undefined ? "disabled" : "enabled",
  name: attributes?.name,
  email: attributes?.email,
});

/** Writes a certificate in base64 as an element of XML-DSig (section 4.5.4). */
const toKeyInfo = (certificate: string): string =>
  `<ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>${certificate}` +
  "</ds:X509Certificate></ds:X509Data></ds:KeyInfo>";

/** @throws ApiError `invalid-metadata` for a malformed certificate */
function toProviderChange({ tag, value }: z.output<typeof schemas.providerChange>): ProviderChange {
  const { user: userId } = value;
  if (tag === "updated") return { userId, before: fromView(value.old), after: fromView(value.new) };
  const provider = fromView(value.idp);
  return tag === "created" ? { userId, after: provider } : { userId, before: provider };
}

const fromView = ({ id, metadata, extraInfo }: z.output<typeof schemas.provider>): Announced => ({
  id,
  teamId: extraInfo.team,
  issuer: metadata.issuer,
  requestUri: metadata.requestURI,
  certificates: metadata.certAuthnResponse.map(parseKeyInfo),
});
