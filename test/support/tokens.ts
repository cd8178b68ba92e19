import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { signingKeySet, toPrivateKey } from "#shared/tokens/signing-keys.ts";
import { signToken, type Token } from "#shared/tokens/token.ts";

/** Parts of a token by name. */
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

/** Sign a token with the key of the stack with this prefix; that stack accepts it as its own. */
export async function signedToken(
  token: Partial<Token> & Pick<Token, "userId">,
  { prefix = "test" }: { prefix?: string } = {},
): Promise<string> {
  const secretsManager = new SecretsManagerClient();
  const { SecretString = "" } = await secretsManager.send(
    new GetSecretValueCommand({ SecretId: `${prefix}-signing-keys` }),
  );
  secretsManager.destroy();
  const [key] = signingKeySet.parse(JSON.parse(SecretString)).keys;
  if (key === undefined) throw new Error("The stack has no signing key");
  const expiresAtSeconds = Math.floor(Date.now() / 1000) + 900;
  return signToken(
    { type: "access", isSession: false, expiresAtSeconds, keyIndex: key.index, ...token },
    toPrivateKey(key.jwk),
  );
}
