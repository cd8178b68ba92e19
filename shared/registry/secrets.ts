/** Secrets Manager entries. CDK creates and rotates them; the local runner generates them in its data folder. */
export const secrets = {
  /** Ed25519 private keys that sign tokens, as `SigningKeySet`. */
  "signing-keys": { description: "Ed25519 private keys that sign tokens" },
  /** The public halves, as `VerificationKeySet`: the only key material most functions may read. */
  "verification-keys": { description: "Ed25519 public keys that verify tokens" },
  /** Random text from which codes in emails and SMS are derived. */
  "code-key": { description: "Key from which verification codes are derived" },
  /** Random text from which codes of invitations are derived. */
  "invitation-key": { description: "Key from which codes of invitations are derived" },
  /** Random text from which codes of guest links are derived. */
  "guest-link-key": { description: "Key from which codes of guest links are derived" },
  /** Random text from which the secrets that sign webhooks are derived. */
  "webhook-key": { description: "Key from which the secrets that sign webhooks are derived" },
  /** Random text shared with the TURN servers, from which their credentials are derived. */
  "turn-secret": { description: "Secret shared with TURN servers" },
  /** Random text shared with the SFT servers, from which their credentials are derived. */
  "sft-secret": { description: "Secret shared with SFT servers" },
  /** Random text from which the keys that sign removals from MLS groups are derived. */
  "mls-removal-seed": { description: "Seed of the keys that sign removals from MLS groups" },
  /** Ed25519 private key (JWK) that signs DPoP access tokens, as `{keys: [jwk]}`; empty until the operator adds one. */
  "dpop-key": { description: "Ed25519 private key that signs DPoP access tokens" },
  /** The account of the canary, as `CanaryAccount`; empty until the operator creates one. */
  canary: { description: "Account with which the canary logs in" },
} as const;

export type SecretName = keyof typeof secrets;
