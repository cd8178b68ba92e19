/** Paths that check passwords or send codes, with and without a version. */
export const credentialPaths =
  "^(/v[0-9]+)?/(provider/)?(login|register|activate|password-reset|verification-code)(/|$)";
