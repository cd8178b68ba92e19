/** Secrets Manager entries. CDK creates and rotates them, the local runner generates them into its data folder. */
export const secrets = {
  /** Ed25519 private keys that sign tokens, as `SigningKeySet`. */
  "signing-keys": { description: "Ed25519 private keys that sign tokens" },
  /** The public halves, as `VerificationKeySet`: the only key material most functions may read. */
  "verification-keys": { description: "Ed25519 public keys that verify tokens" },
  /** Random text from which codes in mails and SMS are derived. */
  "code-key": { description: "Key from which verification codes are derived" },
} as const;

export type SecretName = keyof typeof secrets;
