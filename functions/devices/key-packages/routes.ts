import * as z from "zod";
import { mlsEnabled } from "#shared/devices/mls/mls-enabled.ts";
import { keyFormatQuery, mlsKeysByPurpose } from "#shared/devices/mls/removal-keys.ts";
import { deviceId } from "#shared/platform/http/device-id.ts";
import { localDomain } from "#shared/platform/http/local-domain.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { uncharged } from "#shared/registry/uncharged.ts";

/** Packages in one request; clients send 100. */
const maxKeyPackages = 100;
/** 16 KiB in base64; a package with a chain of certificates and post-quantum keys has about 6 KiB. */
const maxKeyPackageLength = 22_000;

const bytes = (text: string) => Buffer.from(text, "base64");

const clientId = deviceId.meta({ description: "Id of one of your devices" });

const cipherSuite = z
  .string()
  .regex(/^(0x[0-9a-f]{1,4}|\d{1,5})$/i, "a number such as 0x0001")
  .meta({ examples: ["0x0001"] })
  .transform(Number)
  .meta({ description: "Number of an MLS cipher suite, decimal or in hex (RFC 9420 §17.1)" });
const cipherSuites = z
  .string()
  .regex(/^[0-9a-fx, ]{1,200}$/i, "numbers such as 0x0001,0xf031")
  .meta({
    examples: ["0x0001,0xf031"],
    description: "Numbers of MLS cipher suites, decimal or in hex, separated by commas",
  })
  .transform((text) => text.split(",").map((part) => part.trim()))
  .pipe(z.array(cipherSuite).min(1));
/** Cipher suite that clients need not name before version 8. */
const firstSuite = "0x0001";

const devicePath = z.object({ client: clientId });
const userPath = z.object({ user_domain: wire.domain, user: wire.userId });

const suiteQuery = z.object({ ciphersuite: cipherSuite });
const suiteQueryV5 = z.object({ ciphersuite: cipherSuite.prefault(firstSuite) });
const suitesQuery = z.object({ ciphersuites: cipherSuites });
const suitesQueryV5 = z.object({ ciphersuites: cipherSuites.prefault(firstSuite) });

const skippedClient = clientId
  .optional()
  .meta({ description: "Id of one of your devices, to leave out", deprecated: true });
const claimQuery = suiteQuery.extend({ skip_own: skippedClient });
const claimQueryV5 = suiteQueryV5.extend({ skip_own: skippedClient });
const claimOwnQuery = suiteQueryV5.extend({
  skip_own: wire.queryFlag.default(false).meta({ description: "Whether to leave out the device that asks" }),
});

const keyPackageUpload = z
  .object({
    key_packages: z
      .array(z.base64().max(maxKeyPackageLength).transform(bytes))
      .max(maxKeyPackages)
      .meta({
        description:
          "In base64, each the bare struct of RFC 9420 §10. Its credential names the device, and its signature key is the one that " +
          "the device registered under `mls_public_keys`.",
      }),
  })
  .meta({ id: "KeyPackageUpload", examples: [{ key_packages: [] }] });

const deleteKeyPackages = z
  .object({
    key_packages: z
      .array(z.base64().max(200).transform(bytes))
      .min(1)
      .max(1000)
      .meta({ description: "References of the key packages in base64 (RFC 9420 §5.2)" }),
  })
  .meta({
    id: "DeleteKeyPackages",
    examples: [{ key_packages: ["J8+3Vqm5E2d0FZlK1oQbYtX7uHcR4sNw9AeGiTzLpMk="] }],
  });

const ownKeyPackages = z.object({ count: z.int() }).meta({ id: "OwnKeyPackages" });

const keyPackageBundleEntry = z
  .object({
    user: z.uuid(),
    domain: wire.domain,
    client: z.string().meta({ description: "Id of the device" }),
    key_package_ref: z.base64().meta({ description: "Reference of the key package (RFC 9420 §5.2)" }),
    key_package: z.base64().meta({ description: "The bare struct of RFC 9420 §10" }),
  })
  .meta({ id: "KeyPackageBundleEntry" });
const keyPackageBundle = z
  .object({ key_packages: z.array(keyPackageBundleEntry) })
  .meta({ id: "KeyPackageBundle" });
export type KeyPackageBundleEntry = z.input<typeof keyPackageBundleEntry>;

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
  params: devicePath,
  body: keyPackageUpload,
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
    query: suitesQuery,
    olderForms: { "mls-key-packages-replace-v5": { ...untilV7, query: suitesQueryV5 } },
  },
  "mls-key-packages-count": {
    method: "GET",
    path: "/mls/key-packages/self/{client}/count",
    since: 8,
    auth: "user",
    summary: "Count the claimable key packages of one of your devices",
    params: devicePath,
    query: suiteQuery,
    responses: { 200: ownKeyPackages },
    requires: [mlsEnabled],
    errors: ["mls-protocol-error", "mls-identity-mismatch"],
    olderForms: { "mls-key-packages-count-v5": { ...untilV7, query: suiteQueryV5 } },
  },
  "mls-key-packages-delete": {
    method: "DELETE",
    audit: unaudited.keys,
    path: "/mls/key-packages/self/{client}",
    since: 8,
    auth: "user",
    summary: "Delete key packages of one of your devices",
    params: devicePath,
    query: suiteQuery,
    body: deleteKeyPackages,
    bodyLimit: deletionLimit,
    responses: { 201: null },
    requires: [mlsEnabled],
    errors: ["mls-protocol-error", "mls-identity-mismatch"],
    olderForms: { "mls-key-packages-delete-v5": { ...untilV7, query: suiteQueryV5 } },
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
    params: userPath,
    query: claimQuery,
    requires: [mlsEnabled, localDomain("user_domain")],
    responses: { 200: keyPackageBundle },
    errors: ["mls-protocol-error", "invalid-user", "mls-legal-hold-not-allowed", "too-many-requests"],
    olderForms: { "mls-key-packages-claim-v5": { ...untilV7, query: claimQueryV5 } },
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
    query: claimOwnQuery,
    responses: { 200: keyPackageBundle },
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
