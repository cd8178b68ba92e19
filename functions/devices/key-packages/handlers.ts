import { createHash } from "node:crypto";
import { readRemovalKeys } from "#shared/devices/mls/removal-keys.ts";
import { toRemovalKeysView } from "#shared/devices/mls/removal-keys-view.ts";
import type { Actor, Handlers } from "#shared/platform/http/route.ts";
import { type ClaimedKeyPackage, claimKeyPackages } from "./claim-key-packages.ts";
import type { Deps } from "./deps.ts";
import { checkOwnDevice, type OwnDevice } from "./own-device.ts";
import type { KeyPackageBundleEntry, routes } from "./routes.ts";
import { servedSuite } from "./served-suite.ts";
import { replaceKeyPackages, uploadKeyPackages } from "./upload-key-packages.ts";

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
