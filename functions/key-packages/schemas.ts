import * as z from "zod";
import * as primitives from "#shared/schemas/primitives.ts";

/** Packages in one request; clients send 100. */
const maxKeyPackages = 100;
/** Base64 of 16 KiB: a package with a chain of certificates and post-quantum keys has about 6 KiB. */
const maxKeyPackageLength = 22_000;

const bytes = (text: string) => Buffer.from(text, "base64");

const clientId = z.string().min(1).max(64);

const cipherSuite = z
  .string()
  .regex(/^(0x[0-9a-f]{1,4}|\d{1,5})$/i, "a number such as 0x0001")
  .meta({ examples: ["0x0001"] })
  .transform(Number);
const cipherSuites = z
  .string()
  .regex(/^[0-9a-fx, ]{1,200}$/i, "numbers such as 0x0001,0xf031")
  .meta({ examples: ["0x0001,0xf031"] })
  .transform((text) => text.split(",").map((part) => part.trim()))
  .pipe(z.array(cipherSuite).min(1));
/** What clients before version 8 need not name. */
const firstSuite = "0x0001";

export const devicePath = z.object({ client: clientId });
export const userPath = z.object({ user_domain: z.string(), user: primitives.uuid });

export const suiteQuery = z.object({ ciphersuite: cipherSuite });
export const suiteQueryV5 = z.object({ ciphersuite: cipherSuite.prefault(firstSuite) });
export const suitesQuery = z.object({ ciphersuites: cipherSuites });
export const suitesQueryV5 = z.object({ ciphersuites: cipherSuites.prefault(firstSuite) });

const skippedClient = clientId
  .optional()
  .meta({ description: "One of the own devices, which gets left out", deprecated: true });
export const claimQuery = suiteQuery.extend({ skip_own: skippedClient });
export const claimQueryV5 = suiteQueryV5.extend({ skip_own: skippedClient });
export const claimOwnQuery = suiteQueryV5.extend({
  skip_own: primitives.queryFlag
    .default(false)
    .meta({ description: "Whether the device that asks gets left out" }),
});

export const keyPackageUpload = z
  .object({
    key_packages: z
      .array(z.base64().max(maxKeyPackageLength).transform(bytes))
      .max(maxKeyPackages)
      .meta({ description: "Key packages in base64, each the bare struct of RFC 9420 §10" }),
  })
  .meta({ id: "KeyPackageUpload" });

export const deleteKeyPackages = z
  .object({ key_packages: z.array(z.base64().max(200).transform(bytes)).min(1).max(1000) })
  .meta({ id: "DeleteKeyPackages" });

export const ownKeyPackages = z.object({ count: z.int() }).meta({ id: "OwnKeyPackages" });

const keyPackageBundleEntry = z
  .object({
    user: z.uuid(),
    domain: z.string(),
    client: z.string(),
    key_package_ref: z.base64(),
    key_package: z.base64(),
  })
  .meta({ id: "KeyPackageBundleEntry" });
export const keyPackageBundle = z
  .object({ key_packages: z.array(keyPackageBundleEntry) })
  .meta({ id: "KeyPackageBundle" });
export type KeyPackageBundleEntry = z.input<typeof keyPackageBundleEntry>;

export const publicKeysQuery = z.object({ format: z.enum(["raw", "jwk"]).default("raw") });

const publicJwk = z
  .object({ kty: z.string(), crv: z.string(), x: z.string(), y: z.string().optional() })
  .meta({ id: "PublicJwk" });
const publicKey = z.union([z.base64(), publicJwk]);
const mlsKeys = z
  .object({
    ed25519: publicKey,
    ecdsa_secp256r1_sha256: publicKey,
    ecdsa_secp384r1_sha384: publicKey,
    ecdsa_secp521r1_sha512: publicKey,
  })
  .meta({ id: "MLSKeys" });
export const mlsKeysByPurpose = z.object({ removal: mlsKeys }).meta({ id: "MLSKeysByPurpose" });
export type MlsKeysView = z.input<typeof mlsKeys>;
