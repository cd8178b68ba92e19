import { randomUUID } from "node:crypto";
import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { signingKeySet, toPrivateKey } from "#shared/sessions/tokens/signing-keys.ts";
import { type LoginToken, signToken, type UnsignedToken } from "#shared/sessions/tokens/token.ts";

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

/** Sign a user's token with the key of the stack with this prefix; that stack accepts it as its own. */
export const signedToken = (
  token: Partial<LoginToken> & Pick<LoginToken, "userId">,
  options?: StackOptions,
): Promise<string> =>
  signedWith(
    { type: "access", isSession: false, expiresAtSeconds: Math.floor(Date.now() / 1000) + 900, ...token },
    options,
  );

/** Sign the token of a provider or a bot, which need not exist. */
export const signedServiceToken = (
  token: Exclude<UnsignedToken, { userId: string }>,
  options?: StackOptions,
): Promise<string> => signedWith(token, options);

/** Token of a provider that does not exist. */
export const providersToken = (options?: StackOptions): Promise<string> =>
  signedServiceToken(
    {
      type: "provider",
      providerId: randomUUID(),
      expiresAtSeconds: Math.floor(Date.now() / 1000) + 900,
    },
    options,
  );

/** Token of a bot that does not exist. */
export const botsToken = (options?: StackOptions): Promise<string> =>
  signedServiceToken(
    { type: "bot", providerId: randomUUID(), botId: randomUUID(), conversationId: randomUUID() },
    options,
  );

interface StackOptions {
  readonly prefix?: string;
}

async function signedWith(token: UnsignedToken, options?: StackOptions): Promise<string> {
  const { index, jwk } = await signingKey(options);
  return signToken({ keyIndex: index, ...token }, toPrivateKey(jwk));
}

async function signingKey({ prefix = "test" }: StackOptions = {}) {
  const secretsManager = new SecretsManagerClient();
  const { SecretString = "" } = await secretsManager.send(
    new GetSecretValueCommand({ SecretId: `${prefix}-signing-keys` }),
  );
  secretsManager.destroy();
  const [key] = signingKeySet.parse(JSON.parse(SecretString)).keys;
  if (key === undefined) throw new Error("The stack has no signing key");
  return key;
}
