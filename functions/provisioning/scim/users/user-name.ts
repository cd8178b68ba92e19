import { randomInt } from "node:crypto";
import type { Account } from "#shared/accounts/account.ts";
import { isUsableHandle } from "#shared/accounts/handle.ts";
import { emailIdentity, handleIdentity, type Identity } from "#shared/accounts/identity.ts";
import { userNameClaim } from "#shared/accounts/provisioned-identity.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { Deps } from "../deps.ts";

/** Whether a text is an email address. */
export function isEmail(text: string, settings: Settings): boolean {
  try {
    return emailIdentity(text, settings).kind === "email";
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** Reads a user name: a handle, in lower case, or an email address as it was sent; undefined for anything else. */
export function parseUserName(text: string, settings: Settings): string | undefined {
  if (isEmail(text, settings)) return text.trim();
  const handle = text.toLowerCase();
  return isUsableHandle(handle, settings) ? handle : undefined;
}

/** Whether a user name is the handle itself; from an email address, a handle is derived. */
export const isHandle = (userName: string): boolean => !userName.includes("@");

/** The name by which a directory knows a user. */
export const userNameOf = ({ handle = "", scim }: Pick<Account, "handle" | "scim">): string =>
  scim?.userName ?? handle;

/** The identity that a user name claims: handles are unique on the installation, addresses in their team. */
export const userNameIdentity = (teamId: string, userName: string): Identity =>
  isHandle(userName) ? handleIdentity(userName) : userNameClaim(teamId, userName);

/** The part of an address that could be a handle. */
const baseOf = (address: string): string =>
  address
    .slice(0, address.lastIndexOf("@"))
    .toLowerCase()
    .replaceAll(/[^a-z0-9_.-]/g, "") || "user";

const withDigits = (base: string, count: number) =>
  base + String(randomInt(10 ** count)).padStart(count, "0");

/**
 * Choose the handle of a user with a user name. From an address it is the local part, with digits while others have
 * it; it stays as long as the local part does.
 *
 * @param present the user as it is; absent: a new one
 */
export async function chooseHandle(
  { accounts, settings }: Pick<Deps, "accounts" | "settings">,
  userName: string,
  present?: Account,
): Promise<string> {
  if (isHandle(userName)) return userName;
  const base = baseOf(userName);
  const { handle, scim } = present ?? {};
  if (handle !== undefined && scim?.userName !== undefined && baseOf(scim.userName) === base) return handle;
  const candidates = [base, withDigits(base, 4), withDigits(base, 8)].filter((one) =>
    isUsableHandle(one, settings),
  );
  const claims = await accounts.findClaims(candidates.map(handleIdentity));
  const isFree = (_: string, index: number) =>
    claims[index] === undefined || claims[index].userId === present?.userId;
  return candidates.find(isFree) ?? withDigits(base, 12);
}
