import * as z from "zod";
import { deviceId } from "#shared/platform/http/device-id.ts";
import * as wire from "#shared/platform/http/wire-types.ts";

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

export const devicePath = z.object({ client: clientId });
export const userPath = z.object({ user_domain: wire.domain, user: wire.userId });

export const suiteQuery = z.object({ ciphersuite: cipherSuite });
export const suiteQueryV5 = z.object({ ciphersuite: cipherSuite.prefault(firstSuite) });
export const suitesQuery = z.object({ ciphersuites: cipherSuites });
export const suitesQueryV5 = z.object({ ciphersuites: cipherSuites.prefault(firstSuite) });

const skippedClient = clientId
  .optional()
  .meta({ description: "Id of one of your devices, to leave out", deprecated: true });
export const claimQuery = suiteQuery.extend({ skip_own: skippedClient });
export const claimQueryV5 = suiteQueryV5.extend({ skip_own: skippedClient });
export const claimOwnQuery = suiteQueryV5.extend({
  skip_own: wire.queryFlag.default(false).meta({ description: "Whether to leave out the device that asks" }),
});

export const keyPackageUpload = z
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

export const deleteKeyPackages = z
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

export const ownKeyPackages = z.object({ count: z.int() }).meta({ id: "OwnKeyPackages" });

const keyPackageBundleEntry = z
  .object({
    user: z.uuid(),
    domain: wire.domain,
    client: z.string().meta({ description: "Id of the device" }),
    key_package_ref: z.base64().meta({ description: "Reference of the key package (RFC 9420 §5.2)" }),
    key_package: z.base64().meta({ description: "The bare struct of RFC 9420 §10" }),
  })
  .meta({ id: "KeyPackageBundleEntry" });
export const keyPackageBundle = z
  .object({ key_packages: z.array(keyPackageBundleEntry) })
  .meta({ id: "KeyPackageBundle" });
export type KeyPackageBundleEntry = z.input<typeof keyPackageBundleEntry>;
