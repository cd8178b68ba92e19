import { mlsEnabled } from "#shared/devices/mls/mls-enabled.ts";
import { keyFormatQuery, mlsKeysByPurpose } from "#shared/devices/mls/removal-keys-view.ts";
import { localDomain } from "#shared/platform/http/local-domain.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { uncharged } from "#shared/registry/uncharged.ts";
import * as schemas from "./schemas.ts";

/** Bytes of 100 packages in base64, each with a chain of certificates. */
const uploadLimit = 2 * 1024 * 1024;
/** Bytes of 1000 references. */
const deletionLimit = 128 * 1024;

const upload = {
  method: "POST",
  audit: unaudited.keys,
  path: "/mls/key-packages/self/{client}",
  since: 5,
  auth: "user",
  summary: "Upload key packages of one of your devices",
  description: "Each is given out once. If one is not acceptable, all are refused.",
  params: schemas.devicePath,
  body: schemas.keyPackageUpload,
  bodyLimit: uploadLimit,
  responses: { 201: null },
  requires: [mlsEnabled],
  errors: ["mls-protocol-error", "mls-identity-mismatch"],
} as const;

/** Up to this version, a request that names no cipher suite means the first one. */
const untilV7 = { since: 5, until: 7 } as const;

export const routes = defineRoutes({
  "mls-key-packages-upload": upload,
  "mls-key-packages-replace": {
    ...upload,
    method: "PUT",
    audit: unaudited.keys,
    since: 8,
    summary: "Replace a device's key packages for some cipher suites",
    description: "Safe to repeat after an error.",
    query: schemas.suitesQuery,
    olderForms: { "mls-key-packages-replace-v5": { ...untilV7, query: schemas.suitesQueryV5 } },
  },
  "mls-key-packages-count": {
    method: "GET",
    path: "/mls/key-packages/self/{client}/count",
    since: 8,
    auth: "user",
    summary: "Count the claimable key packages of one of your devices",
    params: schemas.devicePath,
    query: schemas.suiteQuery,
    responses: { 200: schemas.ownKeyPackages },
    requires: [mlsEnabled],
    errors: ["mls-protocol-error", "mls-identity-mismatch"],
    olderForms: { "mls-key-packages-count-v5": { ...untilV7, query: schemas.suiteQueryV5 } },
  },
  "mls-key-packages-delete": {
    method: "DELETE",
    audit: unaudited.keys,
    path: "/mls/key-packages/self/{client}",
    since: 8,
    auth: "user",
    summary: "Delete key packages of one of your devices",
    params: schemas.devicePath,
    query: schemas.suiteQuery,
    body: schemas.deleteKeyPackages,
    bodyLimit: deletionLimit,
    responses: { 201: null },
    requires: [mlsEnabled],
    errors: ["mls-protocol-error", "mls-identity-mismatch"],
    olderForms: { "mls-key-packages-delete-v5": { ...untilV7, query: schemas.suiteQueryV5 } },
  },
  "mls-key-packages-claim": {
    costs: uncharged.nothing,
    method: "POST",
    audit: unaudited.keys,
    path: "/mls/key-packages/claim/{user_domain}/{user}",
    since: 8,
    auth: "user",
    summary: "Claim a key package of each device of a user",
    description:
      "Removes the packages, so that each is given out once. Devices without any are left out. Users without a " +
      "verified email address or phone number get none of others.",
    params: schemas.userPath,
    query: schemas.claimQuery,
    requires: [mlsEnabled, localDomain("user_domain")],
    responses: { 200: schemas.keyPackageBundle },
    errors: ["mls-protocol-error", "invalid-user", "mls-legal-hold-not-allowed", "too-many-requests"],
    olderForms: { "mls-key-packages-claim-v5": { ...untilV7, query: schemas.claimQueryV5 } },
  },
  "mls-key-packages-claim-own": {
    costs: uncharged.nothing,
    method: "POST",
    audit: unaudited.keys,
    path: "/mls/key-packages/claim",
    since: 5,
    auth: "user",
    summary: "Claim a key package of each of your devices",
    description: "Removes the packages, so that each is given out once. Devices without any are left out.",
    query: schemas.claimOwnQuery,
    responses: { 200: schemas.keyPackageBundle },
    requires: [mlsEnabled],
    errors: ["mls-protocol-error", "invalid-user", "mls-legal-hold-not-allowed"],
  },
  "mls-public-keys": {
    method: "GET",
    path: "/mls/public-keys",
    since: 5,
    auth: "user",
    summary: "Get the public keys with which the service signs proposals",
    description: "Groups accept a proposal to remove a member if it is signed with one of these keys.",
    query: keyFormatQuery,
    responses: { 200: mlsKeysByPurpose },
    requires: [mlsEnabled],
    errors: [],
  },
});
