import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers, Input } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { AttributeMapping, IdentityProvider } from "#shared/provisioning/identity-provider.ts";
import type { Deps } from "../deps.ts";
import { boundHost } from "../service-provider/service-provider.ts";
import { orderAnnouncement } from "./announce-provider.ts";
import { createProvider } from "./create-provider.ts";
import { deleteProvider } from "./delete-provider.ts";
import { protectOwners } from "./protect-owners.ts";
import { toAttributesView, toProviderChange, toProviderView } from "./provider-view.ts";
import { getProvider, listOwnProviders, listProvidersOf } from "./read-providers.ts";
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
