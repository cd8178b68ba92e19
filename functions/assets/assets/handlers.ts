import type { AssetOwner } from "#shared/assets/asset.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor, BotActor, Handlers, ProviderActor } from "#shared/platform/http/route.ts";
import { deleteToken, renewToken } from "./change-token.ts";
import { deleteAsset, deleteForOperator } from "./delete-asset.ts";
import type { Deps } from "./deps.ts";
import { downloadAsset, findAsset, inspectAsset } from "./download-asset.ts";
import type { routes } from "./routes.ts";
import { toAssetRecord } from "./schemas.ts";
import { uploadAsset } from "./upload-asset.ts";

interface SentToken {
  readonly query: { readonly asset_token?: string | undefined };
  readonly headers: { readonly "Asset-Token"?: string | undefined };
}

const user = ({ userId }: Actor): AssetOwner => ({ kind: "user", id: userId });
const bot = ({ botId }: BotActor): AssetOwner => ({ kind: "bot", id: botId });
const provider = ({ providerId }: ProviderActor): AssetOwner => ({ kind: "provider", id: providerId });

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { domain } = deps.settings;

  const upload = async (
    caller: AssetOwner,
    body: AsyncIterable<Uint8Array>,
    folder = `/assets/${domain}`,
  ) => {
    const { key, token, expiresAt } = await uploadAsset(deps, caller, body);
    const expires = expiresAt === undefined ? undefined : new Date(expiresAt).toISOString();
    return {
      body: { key: key.text, domain, token, expires },
      headers: { location: `${folder}/${key.text}` },
    };
  };

  const download = async (caller: AssetOwner, key: string, { headers, query }: SentToken) => {
    const token = headers["Asset-Token"] ?? query.asset_token;
    return { headers: { location: await downloadAsset(deps, key, { caller, token }) } };
  };

  const remove = async (caller: AssetOwner, key: string) => {
    await deleteAsset(deps, key, caller);
    return {};
  };

  return {
    "assets-upload": ({ actor, body }) => upload(user(actor), body),
    "assets-download": (input) => download(user(input.actor), input.params.key, input),
    "assets-delete": ({ actor, params }) => remove(user(actor), params.key),
    "tokens-renew": async ({ actor, params }) => ({
      body: { token: await renewToken(deps, params.key, user(actor)) },
    }),
    "tokens-delete": async ({ actor, params }) => {
      await deleteToken(deps, params.key, user(actor));
      return {};
    },

    "assets-download-v1": () => {
      throw new ApiError("not-found");
    },

    "assets-upload-v3_bot": ({ actor, body }) => upload(bot(actor), body, "/bot/assets"),
    "assets-download-v3_bot": (input) => download(bot(input.actor), input.params.key, input),
    "assets-delete-v3_bot": ({ actor, params }) => remove(bot(actor), params.key),

    "assets-upload-v3_provider": ({ actor, body }) => upload(provider(actor), body, "/provider/assets"),
    "assets-download-v3_provider": (input) => download(provider(input.actor), input.params.key, input),
    "assets-delete-v3_provider": ({ actor, params }) => remove(provider(actor), params.key),

    "i-get-asset": async ({ params }) => ({ body: await inspectAsset(deps, params.key) }),
    "i-get-asset-record": async ({ params }) => {
      const { asset } = await findAsset(deps, params.key);
      return { body: toAssetRecord(asset) };
    },
    "i-delete-asset": async ({ params }) => {
      await deleteForOperator(deps, params.key);
      return {};
    },
  };
}
