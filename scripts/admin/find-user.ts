import { CommandError } from "./command-error.ts";
import type { InternalApi } from "./internal-api.ts";

/** The part of a profile that the commands use. */
export interface Profile {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly email?: string;
  readonly email_unvalidated?: string;
  readonly phone?: string;
  readonly handle?: string;
  readonly team?: string;
  readonly managed_by?: string;
  readonly sso_id?: unknown;
  readonly locale?: string;
  readonly expires_at?: string;
  readonly deleted?: boolean;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Users with an id, an address, a phone number or a handle: none or one. */
export async function findUsers(api: InternalApi, text: string): Promise<Profile[]> {
  const found: Profile[] = await api.read("/i/users", {
    query: { ...keyOf(text), includePendingInvitations: "true" },
  });
  return found;
}

/** An error for an unknown user that tells how to find users with unverified addresses. */
export const noUser = (text: string): CommandError =>
  new CommandError(
    text.indexOf("@") > 0
      ? `There is no user with the verified address ${text}: users list --from DAY includes those who never verified theirs`
      : `There is no user ${text}`,
  );

/** The user that an operator names. @throws CommandError if there is none */
export async function theUser(api: InternalApi, text: string): Promise<Profile> {
  const [user] = await findUsers(api, text);
  if (user === undefined) throw noUser(text);
  return user;
}

function keyOf(text: string): Record<string, string> {
  if (uuid.test(text)) return { ids: text };
  if (text.startsWith("+")) return { phone: text };
  if (text.indexOf("@") > 0) return { email: text };
  return { handles: text.replace(/^@/, "") };
}
