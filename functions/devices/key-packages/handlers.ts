import { createHash } from "node:crypto";
import { currentStatus } from "#shared/accounts/account.ts";
import { isOngoing } from "#shared/accounts/legal-hold-status.ts";
import { readClaimAllowances } from "#shared/conversations/connections/claim-allowances.ts";
import { type Device, hasLegalHoldDevice } from "#shared/devices/device.ts";
import type { KeyPackageItem } from "#shared/devices/key-package-store.ts";
import { readRemovalKeys, toRemovalKeysView } from "#shared/devices/mls/removal-keys.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor, Handlers } from "#shared/platform/http/route.ts";
import { servedSuite } from "./accept-key-package.ts";
import type { Deps } from "./deps.ts";
import type { KeyPackageBundleEntry, routes } from "./routes.ts";
import {
  checkOwnDevice,
  type OwnDevice,
  replaceKeyPackages,
  uploadKeyPackages,
} from "./upload-key-packages.ts";

interface OwnDeviceInput {
  readonly actor: Actor;
  readonly params: { readonly client: string };
}

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { settings } = deps;

  async function claim(
    { userId: claimerId }: Actor,
    { userId, suite, except }: { userId: string; suite: number; except: readonly (string | undefined)[] },
  ) {
    const claimed = await claimKeyPackages(deps, { claimerId, userId, suite, except: new Set(except) });
    return { body: { key_packages: claimed.map(toEntry(userId, settings.domain)) } };
  }

  return {
    "mls-key-packages-upload": async ({ body, ...own }) => {
      await uploadKeyPackages(deps, ownDevice(own), body.key_packages);
      return {};
    },
    "mls-key-packages-replace": async ({ query, body, ...own }) => {
      await replaceKeyPackages(deps, ownDevice(own), query.ciphersuites, body.key_packages);
      return {};
    },
    "mls-key-packages-count": async ({ query, ...own }) => ({
      body: { count: await countKeyPackages(deps, ownDevice(own), query.ciphersuite) },
    }),
    "mls-key-packages-delete": async ({ query, body, ...own }) => {
      await deleteKeyPackages(deps, ownDevice(own), query.ciphersuite, body.key_packages);
      return {};
    },
    "mls-key-packages-claim": ({ actor, params: { user: userId }, query }) => {
      const except = userId === actor.userId ? [actor.clientId, query.skip_own] : [];
      return claim(actor, { userId, suite: query.ciphersuite, except });
    },

    "mls-key-packages-claim-own": ({ actor, query }) =>
      claim(actor, {
        userId: actor.userId,
        suite: query.ciphersuite,
        except: query.skip_own ? [actor.clientId] : [],
      }),

    "mls-public-keys": async ({ query }) => ({
      body: toRemovalKeysView(await readRemovalKeys(deps.secrets), query.format),
    }),
  };
}

const ownDevice = ({ actor, params }: OwnDeviceInput) => ({ userId: actor.userId, clientId: params.client });

const toEntry =
  (user: string, domain: string) =>
  ({ clientId, reference, bytes }: ClaimedKeyPackage): KeyPackageBundleEntry => ({
    user,
    domain,
    client: clientId,
    key_package_ref: Buffer.from(reference, "base64url").toString("base64"),
    key_package: Buffer.from(bytes).toString("base64"),
  });

/**
 * Count the claimable key packages of one of the caller's devices.
 *
 * @throws ApiError `mls-protocol-error`, `mls-identity-mismatch`
 * @see operation `mls-key-packages-count`
 */
async function countKeyPackages(deps: Deps, own: OwnDevice, suite: number): Promise<number> {
  servedSuite(suite);
  const [count] = await Promise.all([deps.keyPackages.count({ ...own, suite }), checkOwnDevice(deps, own)]);
  return count;
}

/**
 * Delete key packages of one of the caller's devices by their references; unknown ones are ignored.
 *
 * @throws ApiError `mls-protocol-error`, `mls-identity-mismatch`
 * @see operation `mls-key-packages-delete`
 */
async function deleteKeyPackages(
  deps: Deps,
  own: OwnDevice,
  suite: number,
  references: readonly Buffer[],
): Promise<void> {
  const { hash } = servedSuite(suite);
  await checkOwnDevice(deps, own);
  const { length } = createHash(hash).digest();
  const possible = references.filter((reference) => reference.length === length);
  await deps.keyPackages.remove(
    { ...own, suite },
    possible.map((reference) => reference.toString("base64url")),
  );
}

interface KeyPackageClaim {
  readonly claimerId: string;
  readonly userId: string;
  /** Number of the cipher suite. */
  readonly suite: number;
  /** Devices to leave out. */
  readonly except: ReadonlySet<string | undefined>;
}

/** A key package that was claimed, and the device that it adds to a group. */
interface ClaimedKeyPackage extends KeyPackageItem {
  readonly clientId: string;
}

/**
 * Claim a key package for a cipher suite from each of a user's devices that has one. None is given out twice. A caller
 * who is not activated can claim only from their own devices.
 *
 * @throws ApiError `mls-protocol-error`, `invalid-user`, `mls-legal-hold-not-allowed`
 * @throws RateLimitedError when the claimer, or strangers to the user, have spent the daily budget
 * @see operation `mls-key-packages-claim`
 */
async function claimKeyPackages(
  deps: Deps,
  { claimerId, userId, suite, except }: KeyPackageClaim,
): Promise<ClaimedKeyPackage[]> {
  servedSuite(suite);
  const [devices, allowanceOf] = await Promise.all([
    readDevices(deps, userId),
    readClaimAllowances(deps, { kind: "key-packages", claimerId, userIds: [userId] }),
  ]);
  const allowance = allowanceOf(userId);
  if (allowance === "refused") return [];
  if (allowance !== "granted") throw allowance;
  const claims = devices
    .filter(({ clientId }) => !except.has(clientId))
    .map(async ({ clientId }) => {
      const claimed = await deps.keyPackages.claim({ userId, clientId, suite });
      return claimed === undefined ? [] : [{ clientId, ...claimed }];
    });
  return (await Promise.all(claims)).flat();
}

/** Reads the devices of a user, if the user can be added to groups. */
async function readDevices({ accounts, clock, devices }: Deps, userId: string): Promise<Device[]> {
  const [account, ofUser] = await Promise.all([accounts.get(userId), devices.get(userId)]);
  const status = account && currentStatus(account, clock());
  if (status !== "active" && status !== "ephemeral") throw new ApiError("invalid-user");
  if (isOngoing(account?.legalHoldStatus) || hasLegalHoldDevice(ofUser))
    throw new ApiError("mls-legal-hold-not-allowed");
  return Object.values(ofUser.devices);
}
