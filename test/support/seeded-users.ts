import { randomUUID } from "node:crypto";
import type { Account } from "#shared/accounts/account.ts";
import { AccountStore } from "#shared/accounts/account-store.ts";
import { hashPassword } from "#shared/accounts/credentials/password.ts";
import { indexUpdateMessages } from "#shared/accounts/index-update.ts";
import { type Clock, systemClock, toSeconds } from "#shared/platform/clock.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import { parseSettings, type SettingsInput } from "#shared/registry/settings.ts";
import { createRuntime } from "#shared/runtime/runtime.ts";
import { newConnectionId, newCookie } from "#shared/sessions/cookies.ts";
import { SessionStore } from "#shared/sessions/session-store.ts";
import { TokenIssuer } from "#shared/sessions/tokens/token-issuer.ts";
import { permissionsOf, type Role } from "#shared/teams/permissions.ts";
import { TeamStore } from "#shared/teams/team-store.ts";
import { stackConfig } from "./stack-config.ts";
import { testSettings } from "./test-settings.ts";

/** Profile of a new user, with the field names of a registration. */
export interface SeededProfile {
  readonly name?: string;
  readonly accent_id?: number;
  readonly assets?: Account["assets"];
  readonly picture?: Account["picture"];
  readonly locale?: string;
  readonly supported_protocols?: Account["supportedProtocols"];
  /** The user's data at an identity provider or in a directory; the service of a bot. */
  readonly provisioned?: Partial<Pick<Account, "managedByScim" | "samlIdentity" | "scim" | "service">>;
}

/** A stack as its functions see it. */
export interface StackData {
  /** Prefix of the names of its resources. */
  readonly prefix: string;
  readonly settings: SettingsInput;
  readonly clock: Clock;
}

const sharedData: StackData = { prefix: "test", settings: testSettings, clock: systemClock };
const storesOf = new WeakMap<StackData, ReturnType<typeof openStores>>();

function openStores({ prefix, settings, clock }: StackData) {
  const config = { ...stackConfig(prefix), settings: parseSettings(settings) };
  const runtime = { ...createRuntime("test", config), clock };
  const context = storeContext(runtime);
  return {
    clock,
    dynamo: context.dynamo,
    settings: config.settings,
    accounts: new AccountStore(context),
    sessions: new SessionStore(context),
    teams: new TeamStore(context),
    outbox: new Outbox(runtime),
    tokens: new TokenIssuer({ ...runtime, secrets: new SecretReader(runtime) }),
  };
}

/** The team of a new user: founded under a name, or joined. */
export type SeededMembership =
  | { readonly teamId: string; readonly name: string }
  | { readonly teamId: string; readonly role: Role; readonly invitedBy: string };

/** Hashes by password and options: a password that many users share is hashed once. */
const hashes = new Map<string, Promise<string>>();

/**
 * Create a user as if by registration, activation and login, but in one transaction instead of four requests. Only a
 * user with a name in `profile` gets into the search index.
 */
export async function seedUser(
  email: string,
  password: string,
  profile: SeededProfile,
  stack: StackData = sharedData,
  membership?: SeededMembership,
) {
  const stores = storesOf.get(stack) ?? openStores(stack);
  storesOf.set(stack, stores);
  const { accounts, clock, outbox, sessions, settings, teams, tokens } = stores;
  const hashKey = JSON.stringify([password, settings.setPasswordHashingOptions]);
  const hash = hashes.get(hashKey) ?? hashPassword(password, settings.setPasswordHashingOptions);
  hashes.set(hashKey, hash);
  const now = clock();
  const account: Account = {
    userId: randomUUID(),
    revision: 1,
    status: "active",
    name: profile.name ?? "Ada",
    accentId: profile.accent_id ?? 0,
    assets: profile.assets ?? [],
    picture: profile.picture ?? [],
    locale: profile.locale ?? "en",
    supportedProtocols: profile.supported_protocols ?? ["proteus"],
    managedByScim: false,
    email,
    teamId: membership?.teamId,
    passwordHash: await hash,
    sessionEpoch: 0,
    createdAt: now,
    ...profile.provisioned,
  };
  const { userId } = account;
  const cookie = newCookie({ type: "persistent" }, settings, now);
  await change(stores, async () => ({
    writes: [
      ...accounts.save(undefined, account),
      sessions.create(userId, cookie),
      ...(membership === undefined ? [] : membershipWrites(teams, membership, { userId, now })),
    ],
    messages: profile.name === undefined ? [] : indexUpdateMessages(outbox, undefined, account),
  }));
  const [{ access_token: token }, cookieToken] = await Promise.all([
    tokens.accessToken({ userId, connectionId: newConnectionId(cookie) }),
    tokens.cookieToken({
      userId,
      cookieId: cookie.id,
      isSession: false,
      expiresAtSeconds: toSeconds(cookie.expiresAt),
    }),
  ]);
  return { id: userId, email, password, token, cookie: cookieToken };
}

function membershipWrites(
  teams: TeamStore,
  membership: SeededMembership,
  { userId, now }: { userId: string; now: number },
): Write[] {
  const { teamId } = membership;
  if ("role" in membership) {
    const { role, invitedBy } = membership;
    const permissions = permissionsOf(role);
    return teams.addMember({
      teamId,
      userId,
      permissions,
      invitedBy,
      invitedAt: now,
      legalHoldStatus: "no_consent",
    });
  }
  const team = {
    teamId,
    creator: userId,
    name: membership.name,
    icon: "default",
    splashScreen: "default",
    status: "active" as const,
    statusChangedAt: now,
    searchVisibility: "standard" as const,
  };
  return teams.create(team, { permissions: permissionsOf("owner"), legalHoldStatus: "no_consent" });
}
