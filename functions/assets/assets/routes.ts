import { inOwnDomain, localDomain } from "#shared/platform/http/local-domain.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { uncharged } from "#shared/registry/uncharged.ts";
import * as schemas from "./schemas.ts";

/**
 * Limit for bodies that are not read as a stream: higher than what reaches a function, so that a file that is too large
 * gets its own error.
 */
const bodyLimit = 5_000_000;

const size =
  "The file may have up to 25 MiB and 32 bytes, or 100 MiB and 32 bytes for members of teams, unless the operator says " +
  "otherwise; some installations take no more than 4.6 MB here, and larger files by `begin-asset-upload`. There, the gateway itself " +
  "refuses a body that is much larger: go by the status 413, which may come without a label. A file whose bytes stop for half a " +
  "minute is incomplete. Upload one file after the other: of many at the same time, some get 429.";
const location = { Location: "Address of the file, valid for some minutes, without a token" };

/** Existing clients use no other methods at these paths. */
const hidden = { hidesOtherMethods: true } as const;
const ofBots = { ...hidden, auth: "bot" } as const;
const ofProviders = { ...hidden, auth: "provider" } as const;
const current = { ...hidden, auth: "user", since: 2 } as const;

const upload = {
  method: "POST",
  summary: "Upload an asset",
  description: `The answer has the key of the asset and, unless it is public, the token that others need to download it. ${size}`,
  body: schemas.upload,
  bodyFormat: "multipart-mixed",
  bodyLimit,
  pausedBy: "uploads",
  responses: { 201: schemas.asset },
  responseHeaders: { Location: "Path of the asset, without version" },
  errors: ["malformed-upload", "invalid-length", "incomplete-body", "asset-too-large", "too-many-requests"],
} as const;
const userErrors = [...upload.errors, "unverified-user", "not-found"] as const;

const download = {
  method: "GET",
  summary: "Download an asset",
  description:
    "Redirects to the file. Unless you uploaded it, you need its token, in the header, which takes " +
    "precedence, or in the query. For a public asset, send no token. A page must not ask for cookies to be sent along " +
    '(`credentials: "include"`): its browser would refuse the file, which any site may read.',
  refusesHead: true,
  query: schemas.tokenQuery,
  headers: schemas.tokenHeaders,
  responses: { 302: null },
  responseHeaders: location,
  errors: ["not-found"],
} as const;

const deletion = {
  method: "DELETE",
  summary: "Delete an asset",
  description: "Addresses from earlier downloads stop working.",
  responses: { 200: null },
  errors: ["not-found", "unauthorised"],
} as const;

/** Assets of other domains cannot be reached. */
const qualified = {
  params: schemas.qualifiedKeyPath,
  requires: [localDomain("key_domain", "not-found")],
} as const;

const unqualified = {
  until: 1,
  params: schemas.keyPath,
  requires: [],
  request: inOwnDomain("key_domain"),
} as const;

export const routes = defineRoutes({
  "assets-upload": {
    costs: uncharged.itself,
    audit: unaudited.content,
    ...current,
    ...upload,
    path: "/assets",
    errors: userErrors,
    olderForms: { "assets-upload-v3": { until: 1, path: "/assets/v3" } },
  },
  "begin-asset-upload": {
    costs: uncharged.itself,
    audit: unaudited.content,
    ...current,
    method: "POST",
    path: "/assets/uploads",
    summary: "Begin an upload by signed addresses",
    description:
      "Not in the published interface: it takes large files where `assets-upload` can't. Send the parts to the addresses of " +
      "`get-asset-upload-parts`, then call `complete-asset-upload`. Until then, nobody finds the asset. What is not complete " +
      "after three hours is removed.",
    body: schemas.announcedUpload,
    pausedBy: "uploads",
    responses: { 201: schemas.asset },
    responseHeaders: { Location: "Path of the upload, without version" },
    errors: ["asset-too-large", "too-many-requests", "unverified-user", "not-found"],
  },
  "get-asset-upload-parts": {
    ...current,
    method: "GET",
    path: "/assets/uploads/{key}/parts",
    summary: "Get the addresses of an upload's parts",
    description:
      "Send each part with `PUT`, in any order and without further headers. The addresses are valid for an hour, and new at " +
      "each call. A part may be sent again.",
    refusesHead: true,
    params: schemas.keyPath,
    responses: { 200: schemas.partAddresses },
    errors: ["not-found"],
  },
  "complete-asset-upload": {
    costs: uncharged.itself,
    audit: unaudited.content,
    ...current,
    method: "POST",
    path: "/assets/uploads/{key}/complete",
    summary: "Complete an upload by signed addresses",
    description: "May be repeated. If parts are missing, send them and call it again.",
    params: schemas.keyPath,
    pausedBy: "uploads",
    responses: { 200: null },
    errors: ["incomplete-body", "not-found"],
  },
  "assets-download": {
    ...current,
    ...download,
    path: "/assets/{key_domain}/{key}",
    allowsLegalHold: true,
    ...qualified,
    olderForms: {
      "assets-download-v3": { ...unqualified, path: "/assets/v3/{key}" },
      "assets-download-v4": { until: 1, path: "/assets/v4/{key_domain}/{key}" },
    },
  },
  "assets-delete": {
    audit: unaudited.content,
    ...current,
    ...deletion,
    path: "/assets/{key_domain}/{key}",
    ...qualified,
    olderForms: {
      "assets-delete-v3": { ...unqualified, path: "/assets/v3/{key}" },
      "assets-delete-v4": { until: 1, path: "/assets/v4/{key_domain}/{key}" },
    },
  },
  "tokens-renew": {
    costs: uncharged.bounded,
    ...current,
    method: "POST",
    audit: unaudited.renewal,
    path: "/assets/{key}/token",
    summary: "Give an asset a new token",
    description: "The old token becomes invalid. A public asset is no longer public.",
    params: schemas.keyPath,
    responses: { 200: schemas.newAssetToken },
    errors: ["not-found", "unauthorised"],
    olderForms: { "tokens-renew-v3": { until: 1, path: "/assets/v3/{key}/token" } },
  },
  "tokens-delete": {
    ...current,
    method: "DELETE",
    audit: unaudited.content,
    path: "/assets/{key}/token",
    summary: "Make an asset public",
    description: "From then on, every user can download it without a token.",
    params: schemas.keyPath,
    responses: { 200: null },
    errors: ["not-found", "unauthorised"],
    olderForms: { "tokens-delete-v3": { until: 1, path: "/assets/v3/{key}/token" } },
  },

  "assets-download-v1": {
    ...hidden,
    method: "GET",
    path: "/assets/{id}",
    until: 1,
    auth: "user",
    summary: "Download an asset of an older kind",
    description: "Always 404: there are none.",
    params: schemas.olderPath,
    refusesHead: true,
    responses: {},
    errors: ["not-found"],
  },

  "assets-upload-v3_bot": {
    costs: uncharged.itself,
    audit: unaudited.content,
    ...ofBots,
    ...upload,
    path: "/bot/assets",
    summary: "Upload an asset as a bot",
    errors: [...upload.errors, "bot-access-denied"],
  },
  "assets-download-v3_bot": {
    ...ofBots,
    ...download,
    path: "/bot/assets/{key}",
    summary: "Download an asset as a bot",
    params: schemas.keyPath,
  },
  "assets-delete-v3_bot": {
    audit: unaudited.content,
    ...ofBots,
    ...deletion,
    path: "/bot/assets/{key}",
    summary: "Delete an asset that the bot has uploaded",
    params: schemas.keyPath,
    errors: [...deletion.errors, "bot-access-denied"],
  },
  "assets-upload-v3_provider": {
    audit: unaudited.content,
    ...ofProviders,
    ...upload,
    path: "/provider/assets",
    summary: "Upload an asset as a provider",
  },
  "assets-download-v3_provider": {
    ...ofProviders,
    ...download,
    path: "/provider/assets/{key}",
    summary: "Download an asset as a provider",
    params: schemas.keyPath,
  },
  "assets-delete-v3_provider": {
    audit: unaudited.content,
    ...ofProviders,
    ...deletion,
    path: "/provider/assets/{key}",
    summary: "Delete an asset that the provider has uploaded",
    params: schemas.keyPath,
  },

  "i-get-asset": {
    method: "GET",
    path: "/i/assets/{key}",
    auth: "internal",
    summary: "Get an address from which an asset can be read",
    description: "Whoever uploaded it, and without its token.",
    params: schemas.keyPath,
    responses: { 200: schemas.signedUrl },
    errors: ["not-found"],
  },
  "i-get-asset-record": {
    method: "GET",
    path: "/i/assets/{key}/record",
    auth: "internal",
    summary: "Get who uploaded an asset, when, and how large it is",
    params: schemas.keyPath,
    responses: { 200: schemas.assetRecord },
    errors: ["not-found"],
  },
  "i-delete-asset": {
    method: "DELETE",
    path: "/i/assets/{key}",
    auth: "internal",
    audit: "asset.deleted",
    summary: "Delete an asset, whoever uploaded it",
    description: "Addresses from earlier downloads stop working. Messages and profiles still name its key.",
    params: schemas.keyPath,
    responses: { 200: null },
    errors: ["not-found"],
  },
});
