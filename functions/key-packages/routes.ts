import { defineRoutes } from "#shared/http/route.ts";
import * as schemas from "./schemas.ts";

/** Bytes of 100 packages in base64, each with a chain of certificates. */
const uploadLimit = 2 * 1024 * 1024;
/** Bytes of 1000 references. */
const deletionLimit = 128 * 1024;

const upload = {
  method: "POST",
  path: "/mls/key-packages/self/{client}",
  since: 5,
  auth: "user",
  summary: "Add key packages of one of the own devices",
  params: schemas.devicePath,
  body: schemas.keyPackageUpload,
  bodyLimit: uploadLimit,
  responses: { 201: null },
  errors: [
    "mls-not-enabled",
    "mls-protocol-error",
    "mls-invalid-leaf-node-signature",
    "mls-identity-mismatch",
  ],
} as const;

const replace = {
  ...upload,
  method: "PUT",
  summary: "Replace all key packages that one of the own devices has for some cipher suites",
} as const;

const count = {
  method: "GET",
  path: "/mls/key-packages/self/{client}/count",
  auth: "user",
  summary: "Count the key packages of one of the own devices that can be claimed",
  params: schemas.devicePath,
  responses: { 200: schemas.ownKeyPackages },
  errors: ["mls-not-enabled", "mls-protocol-error", "client-not-found"],
} as const;

const remove = {
  method: "DELETE",
  path: "/mls/key-packages/self/{client}",
  auth: "user",
  summary: "Delete key packages of one of the own devices",
  params: schemas.devicePath,
  body: schemas.deleteKeyPackages,
  bodyLimit: deletionLimit,
  responses: { 201: null },
  errors: ["mls-not-enabled", "mls-protocol-error", "client-not-found"],
} as const;

const claim = {
  method: "POST",
  path: "/mls/key-packages/claim/{user_domain}/{user}",
  auth: "user",
  summary: "Take one key package of each device of a user",
  params: schemas.userPath,
  responses: { 200: schemas.keyPackageBundle },
  errors: [
    "mls-not-enabled",
    "mls-protocol-error",
    "federation-not-enabled",
    "invalid-user",
    "mls-legal-hold-not-allowed",
  ],
} as const;

/** Up to here, who names no cipher suite means the first one. */
const untilV7 = { since: 5, until: 7 } as const;

export const routes = defineRoutes({
  "mls-key-packages-upload": upload,
  "mls-key-packages-replace": { ...replace, since: 8, query: schemas.suitesQuery },
  "mls-key-packages-replace-v5": { ...replace, ...untilV7, query: schemas.suitesQueryV5 },
  "mls-key-packages-count": { ...count, since: 8, query: schemas.suiteQuery },
  "mls-key-packages-count-v5": { ...count, ...untilV7, query: schemas.suiteQueryV5 },
  "mls-key-packages-delete": { ...remove, since: 8, query: schemas.suiteQuery },
  "mls-key-packages-delete-v5": { ...remove, ...untilV7, query: schemas.suiteQueryV5 },
  "mls-key-packages-claim": { ...claim, since: 8, query: schemas.claimQuery },
  "mls-key-packages-claim-v5": { ...claim, ...untilV7, query: schemas.claimQueryV5 },
  "mls-key-packages-claim-own": {
    method: "POST",
    path: "/mls/key-packages/claim",
    since: 5,
    auth: "user",
    summary: "Take one key package of each of the own devices",
    query: schemas.claimOwnQuery,
    responses: { 200: schemas.keyPackageBundle },
    errors: ["mls-not-enabled", "mls-protocol-error", "invalid-user", "mls-legal-hold-not-allowed"],
  },
  "mls-public-keys": {
    method: "GET",
    path: "/mls/public-keys",
    since: 5,
    auth: "user",
    summary: "Get the keys with which the service asks groups to remove members",
    query: schemas.publicKeysQuery,
    responses: { 200: schemas.mlsKeysByPurpose },
    errors: ["mls-not-enabled"],
  },
});
