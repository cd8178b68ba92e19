import { type Asset, type AssetOwner, isOwner } from "#shared/assets/asset.ts";
import { type AssetKey, parseAssetKey } from "#shared/assets/asset-key.ts";
import { AssetNotFoundError, NotAssetOwnerError } from "#shared/assets/asset-store.ts";
import { removeAsset } from "#shared/assets/remove-asset.ts";
import { describeAudited } from "#shared/platform/audit/audited.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor, BotActor, Handlers, ProviderActor } from "#shared/platform/http/route.ts";
import { mayCommit } from "#shared/platform/messaging/commit-guard.ts";
import type { Deps } from "./deps.ts";
import type { routes } from "./routes.ts";
import { toAssetRecord } from "./schemas.ts";
import { beginUpload, completeUpload, signParts } from "./signed-upload.ts";
import {
  type AssetUpload,
  fitsToken,
  hashAssetToken,
  isPresent,
  mayChange,
  newAssetToken,
  type UploadedAsset,
  uploadAsset,
} from "./upload-asset.ts";

interface SentToken {
  readonly query: { readonly asset_token?: string | undefined };
  readonly headers: { readonly "Asset-Token"?: string | undefined };
}

const user = ({ userId }: Actor): AssetOwner => ({ kind: "user", id: userId });
const bot = ({ botId }: BotActor): AssetOwner => ({ kind: "bot", id: botId });
const toWireTime = (milliseconds: number) => new Date(milliseconds).toISOString();
const provider = ({ providerId }: ProviderActor): AssetOwner => ({ kind: "provider", id: providerId });

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { domain } = deps.settings;

  const toAssetView = ({ key, token, expiresAt }: UploadedAsset) => ({
    key: key.text,
    domain,
    token,
    expires: expiresAt === undefined ? undefined : toWireTime(expiresAt),
  });

  const upload = async (
    owner: AssetOwner,
    { body, sourceIp }: Omit<AssetUpload, "owner">,
    folder = `/assets/${domain}`,
  ) => {
    const uploaded = await uploadAsset(deps, { owner, body, sourceIp });
    return { body: toAssetView(uploaded), headers: { location: `${folder}/${uploaded.key.text}` } };
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
    "assets-upload": (input) => upload(user(input.actor), input),
    "begin-asset-upload": async ({ actor, body }) => {
      const { public: isPublic, ...rest } = body;
      const begun = await beginUpload(deps, actor.userId, { isPublic, ...rest });
      return { body: toAssetView(begun), headers: { location: `/assets/uploads/${begun.key.text}` } };
    },
    "get-asset-upload-parts": async ({ actor, params }) => ({
      body: await signParts(deps, actor.userId, params.key),
    }),
    "complete-asset-upload": async ({ actor, params }) => {
      await completeUpload(deps, actor.userId, params.key);
      return {};
    },
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

    "assets-upload-v3_bot": (input) => upload(bot(input.actor), input, "/bot/assets"),
    "assets-download-v3_bot": (input) => download(bot(input.actor), input.params.key, input),
    "assets-delete-v3_bot": ({ actor, params }) => remove(bot(actor), params.key),

    "assets-upload-v3_provider": (input) => upload(provider(input.actor), input, "/provider/assets"),
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

/**
 * Give an asset a new token, whether or not it was public: the old one is no longer valid.
 *
 * @throws ApiError `not-found`, `unauthorised`
 * @see operation `tokens-renew`
 */
async function renewToken(deps: Deps, keyText: string, caller: AssetOwner): Promise<string> {
  const token = newAssetToken();
  await setTokenHash(deps, keyText, caller, hashAssetToken(token));
  return token;
}

/** Make an asset public. @throws ApiError `not-found`, `unauthorised` @see operation `tokens-delete` */
const deleteToken = (deps: Deps, keyText: string, caller: AssetOwner): Promise<void> =>
  setTokenHash(deps, keyText, caller, undefined);

async function setTokenHash(
  { assets }: Deps,
  keyText: string,
  caller: AssetOwner,
  tokenHash: string | undefined,
): Promise<void> {
  const key = parseAssetKey(keyText);
  if (key === undefined) throw new ApiError("not-found");
  // Nothing else is read here, so this takes a round trip of its own.
  await mayCommit();
  await assets
    .setTokenHash(key.text, caller, tokenHash)
    .catch(answer(AssetNotFoundError, "not-found"))
    .catch(answer(NotAssetOwnerError, "unauthorised"));
}

/**
 * Delete an asset. From then on, download addresses that were already given out lead nowhere.
 *
 * @throws ApiError `not-found`, also when another request was faster; `unauthorised`; `bot-access-denied`
 * @see operations `assets-delete`, `assets-delete-v3_bot`, `assets-delete-v3_provider`
 */
async function deleteAsset(deps: Deps, keyText: string, caller: AssetOwner): Promise<void> {
  const [{ asset, key }, isAllowed] = await Promise.all([
    findAsset(deps, keyText),
    mayChange(deps, caller),
    mayCommit(),
  ]);
  if (!isAllowed) throw new ApiError("bot-access-denied");
  if (!isOwner(asset, caller)) throw new ApiError("unauthorised");
  if (!(await removeAsset(deps, key, asset))) throw new ApiError("not-found");
}

/** Delete an asset, whoever uploaded it. @throws ApiError `not-found` @see operation `i-delete-asset` */
async function deleteForOperator(deps: Deps, keyText: string): Promise<void> {
  const { asset, key } = await findAsset(deps, keyText);
  const { ownerKind, ownerId, teamId } = asset;
  describeAudited({
    target: { [ownerKind === "user" ? "uid" : ownerKind]: ownerId },
    ...(teamId !== undefined && { team: teamId }),
  });
  if (!(await removeAsset(deps, key, asset))) throw new ApiError("not-found");
}

/**
 * Create an address from which an asset can be read, for its owner or whoever has its token. A public asset has no
 * token, so any token is wrong. The first reader other than its owner shows that it was sent.
 *
 * @throws ApiError `not-found`, whatever the reason
 * @see operations `assets-download`, `assets-download-v3_bot`, `assets-download-v3_provider`
 */
async function downloadAsset(
  deps: Deps,
  keyText: string,
  { caller, token }: { caller: AssetOwner; token: string | undefined },
): Promise<string> {
  const [{ asset, key }, isKnown] = await Promise.all([findAsset(deps, keyText), isPresent(deps, caller)]);
  if (!isKnown) throw new ApiError("not-found");
  if (!isOwner(asset, caller)) {
    if (!fitsToken(asset.tokenHash, token)) throw new ApiError("not-found");
    if (asset.state === "unsent") await deps.assets.noteSent(key.text);
  }
  return signUrl(deps, key);
}

/** Create a download address of any asset, for an operator. @throws ApiError `not-found` @see operation `i-get-asset` */
async function inspectAsset(deps: Deps, keyText: string): Promise<string> {
  const { key } = await findAsset(deps, keyText);
  return signUrl(deps, key);
}

/** @throws ApiError `not-found`, also for a malformed key */
async function findAsset({ assets }: Deps, keyText: string): Promise<{ asset: Asset; key: AssetKey }> {
  const key = parseAssetKey(keyText);
  const asset = key && (await assets.get(key.text));
  if (key === undefined || asset === undefined) throw new ApiError("not-found");
  return { asset, key };
}

const signUrl = ({ bucket, settings }: Deps, { objectName }: AssetKey) =>
  bucket.signUrl(objectName, settings.downloadLinkTTL);
