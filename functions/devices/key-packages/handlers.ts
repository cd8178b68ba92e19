import { readRemovalKeys } from "#shared/mls/removal-keys.ts";
import { toRemovalKeysView } from "#shared/mls/removal-keys-view.ts";
import type { Actor, Handlers } from "#shared/platform/http/route.ts";
import { type ClaimedKeyPackage, claimKeyPackages } from "./claim-key-packages.ts";
import { countKeyPackages } from "./count-key-packages.ts";
import { deleteKeyPackages } from "./delete-key-packages.ts";
import type { Deps } from "./deps.ts";
import { replaceKeyPackages } from "./replace-key-packages.ts";
import type { routes } from "./routes.ts";
import type { KeyPackageBundleEntry } from "./schemas.ts";
import { uploadKeyPackages } from "./upload-key-packages.ts";

interface OwnDeviceInput {
  readonly actor: Actor;
  readonly params: { readonly client: string };
}

interface SuiteInput {
  readonly query: { readonly ciphersuite: number };
}

interface UploadInput extends OwnDeviceInput {
  readonly body: { readonly key_packages: readonly Buffer[] };
}

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { settings } = deps;

  async function upload(input: UploadInput) {
    await uploadKeyPackages(deps, ownDevice(input), input.body.key_packages);
    return {};
  }

  async function replace(input: UploadInput & { query: { ciphersuites: readonly number[] } }) {
    await replaceKeyPackages(deps, ownDevice(input), input.query.ciphersuites, input.body.key_packages);
    return {};
  }

  async function count(input: OwnDeviceInput & SuiteInput) {
    return { body: { count: await countKeyPackages(deps, ownDevice(input), input.query.ciphersuite) } };
  }

  async function remove(input: UploadInput & SuiteInput) {
    await deleteKeyPackages(deps, ownDevice(input), input.query.ciphersuite, input.body.key_packages);
    return {};
  }

  async function claim(
    { userId: claimerId }: Actor,
    { userId, suite, except }: { userId: string; suite: number; except: readonly (string | undefined)[] },
  ) {
    const claimed = await claimKeyPackages(deps, { claimerId, userId, suite, except: new Set(except) });
    return { body: { key_packages: claimed.map(toEntry(userId, settings.domain)) } };
  }

  function claimOf({
    actor,
    params,
    query,
  }: {
    actor: Actor;
    params: { user_domain: string; user: string };
    query: { ciphersuite: number; skip_own?: string };
  }) {
    const isOwn = params.user === actor.userId;
    const except = isOwn ? [actor.clientId, query.skip_own] : [];
    return claim(actor, { userId: params.user, suite: query.ciphersuite, except });
  }

  return {
    "mls-key-packages-upload": upload,
    "mls-key-packages-replace": replace,
    "mls-key-packages-replace-v5": replace,
    "mls-key-packages-count": count,
    "mls-key-packages-count-v5": count,
    "mls-key-packages-delete": remove,
    "mls-key-packages-delete-v5": remove,
    "mls-key-packages-claim": claimOf,
    "mls-key-packages-claim-v5": claimOf,

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
