import type { AssetOwner } from "#shared/assets/asset.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor, Handlers } from "#shared/platform/http/route.ts";
import { deleteToken, renewToken } from "./change-token.ts";
import { deleteAsset } from "./delete-asset.ts";
import type { Deps } from "./deps.ts";
import { downloadAsset, inspectAsset } from "./download-asset.ts";
import type { routes } from "./routes.ts";
import { uploadAsset } from "./upload-asset.ts";

interface SentToken {
  readonly query: { readonly asset_token?: string | undefined };
  readonly headers: { readonly "Asset-Token"?: string | undefined };
}

const ownerOf = ({ userId }: Actor): AssetOwner => ({ kind: "user", id: userId });

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { settings } = deps;

  const upload = async (actor: Actor, body: Uint8Array) => {
    const { domain } = settings;
    const { key, token, expiresAt } = await uploadAsset(deps, actor.userId, body);
    const expires = expiresAt === undefined ? undefined : new Date(expiresAt).toISOString();
    return {
      body: { key: key.text, domain, token, expires },
      headers: { location: `/assets/${domain}/${key.text}` },
    };
  };

  const download = async (actor: Actor, key: string, { headers, query }: SentToken) => {
    const token = headers["Asset-Token"] ?? query.asset_token;
    return { headers: { location: await downloadAsset(deps, key, { caller: ownerOf(actor), token }) } };
  };

  const remove = async (actor: Actor, key: string) => {
    await deleteAsset(deps, key, ownerOf(actor));
    return {};
  };

  const renew = async (actor: Actor, key: string) => ({
    body: { token: await renewToken(deps, key, ownerOf(actor)) },
  });

  const publish = async (actor: Actor, key: string) => {
    await deleteToken(deps, key, ownerOf(actor));
    return {};
  };

  return {
    "assets-upload": ({ actor, body }) => upload(actor, body),
    "assets-download": (input) => download(input.actor, input.params.key, input),
    "assets-delete": ({ actor, params }) => remove(actor, params.key),
    "tokens-renew": ({ actor, params }) => renew(actor, params.key),
    "tokens-delete": ({ actor, params }) => publish(actor, params.key),

    "assets-upload-v3": ({ actor, body }) => upload(actor, body),
    "assets-download-v3": (input) => download(input.actor, input.params.key, input),
    "assets-delete-v3": ({ actor, params }) => remove(actor, params.key),
    "tokens-renew-v3": ({ actor, params }) => renew(actor, params.key),
    "tokens-delete-v3": ({ actor, params }) => publish(actor, params.key),
    "assets-download-v4": (input) => download(input.actor, input.params.key, input),
    "assets-delete-v4": ({ actor, params }) => remove(actor, params.key),

    "assets-download-v1": () => {
      throw new ApiError("not-found");
    },

    "i-get-asset": async ({ params }) => ({ body: await inspectAsset(deps, params.key) }),
  };
}
