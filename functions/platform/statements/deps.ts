import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { JwtSigner } from "#shared/sessions/tokens/jwt.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({ secrets: SecretReader, signer: JwtSigner });
