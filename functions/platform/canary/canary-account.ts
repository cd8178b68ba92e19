import * as z from "zod";
import { emailAddress } from "#shared/platform/address-types.ts";

const device = z.string().min(1);

/** Content of the secret `canary`: an account that only the canary uses, and the user whom it looks for. */
const canaryAccount = z.object({
  userId: z.uuid(),
  email: emailAddress,
  password: z.string().min(1),
  /** Ids of its devices: the first one sends, the second one receives. */
  devices: z.tuple([device, device]),
  /** Another account without a team, which a search must find by its name. */
  contact: z.object({ userId: z.uuid(), name: z.string().min(1) }),
});

export type CanaryAccount = z.infer<typeof canaryAccount>;

/** The secret has no account yet, or an incomplete one. The message says what to do and quotes no content. */
export class NoCanaryAccountError extends Error {
  override readonly name = "NoCanaryAccountError";

  constructor() {
    super("There is no account for the canary: run npm run canary -- create --stage NAME");
  }
}

/** @throws NoCanaryAccountError */
export function parseCanaryAccount(text: string): CanaryAccount {
  try {
    return canaryAccount.parse(JSON.parse(text));
  } catch {
    // Without the cause, which may quote the password.
    throw new NoCanaryAccountError();
  }
}
