import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { inject } from "vitest";
import { signingKeySet, toPrivateKey } from "#shared/auth/signing-keys.ts";
import { signToken, type Token } from "#shared/auth/token.ts";

/** Parts of a token by name, as clients read them. */
export const partsOf = (token = ""): Record<string, string> =>
  Object.fromEntries(
    token
      .split(".")
      .slice(1)
      .map((part) => part.split("=")),
  );

/** Id of a cookie as `GET /cookies` lists it. */
export const cookieIdOf = (cookie: string | undefined): number =>
  Number.parseInt(partsOf(cookie).r ?? "", 16);

/** A token that the stack with this prefix has signed as far as anybody can tell. */
export async function signedToken(
  token: Partial<Token> & Pick<Token, "userId">,
  { prefix = "test" }: { prefix?: string } = {},
): Promise<string> {
  Object.assign(process.env, inject("emulators").environment);
  const client = new SecretsManagerClient();
  const { SecretString = "" } = await client.send(
    new GetSecretValueCommand({ SecretId: `${prefix}-signing-keys` }),
  );
  client.destroy();
  const [key] = signingKeySet.parse(JSON.parse(SecretString)).keys;
  if (key === undefined) throw new Error("The stack has no signing key");
  const expiresAtSeconds = Math.floor(Date.now() / 1000) + 900;
  return signToken(
    { type: "access", isSession: false, expiresAtSeconds, keyIndex: key.index, ...token },
    toPrivateKey(key.jwk),
  );
}
