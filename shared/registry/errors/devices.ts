import { defineErrors } from "./define-errors.ts";

/** Errors of devices and MLS. */
export const deviceErrors = defineErrors({
  "legal-hold-device": {
    status: 400,
    label: "client-error",
    message: "Legal-hold devices are added and removed by approval only",
  },
  "client-token-parse-error": { status: 400, message: "The DPoP proof is malformed or incomplete" },
  "client-token-bad-nonce": {
    status: 400,
    message: "The nonce of the DPoP proof is not the one that was given out last",
  },
  "client-token-bad-signature": {
    status: 400,
    message: "The DPoP proof is not signed with the key that it names",
  },
  "client-token-bad-client-id": { status: 400, message: "The DPoP proof is about another device or user" },
  "client-token-bad-method": { status: 400, message: "The DPoP proof is made for another method" },
  "client-token-bad-uri": { status: 400, message: "The DPoP proof is made for another address" },
  "client-token-bad-time": { status: 400, message: "The DPoP proof has expired or is not valid yet" },
  "mls-not-enabled": { status: 400, message: "MLS is switched off" },
  "mls-protocol-error": { status: 400, message: "Invalid MLS data" },
  "mls-duplicate-public-key": {
    status: 400,
    message: "The device has a key for this signature scheme already",
  },
  "unknown-client": { status: 403, message: "No such device of this user" },
  "too-many-clients": { status: 403, message: "Too many devices" },
  "mls-identity-mismatch": { status: 403, message: "No such device of this user" },
  "client-not-found": { status: 404, message: "No such device" },
  "no-server-key-bundle": { status: 404, message: "There is no key to sign such tokens with" },
  "client-capabilities-cannot-be-removed": { status: 409, message: "Capabilities of a device can only grow" },
  "mls-legal-hold-not-allowed": { status: 409, message: "Not possible with a user under legal hold" },
});
