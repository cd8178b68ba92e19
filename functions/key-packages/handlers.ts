import { checkLocalDomain } from "#shared/http/local-domain.ts";
import type { Actor, Handlers } from "#shared/http/route.ts";
import { type ClaimedKeyPackage, claimKeyPackages } from "./claim-key-packages.ts";
import { countKeyPackages } from "./count-key-packages.ts";
import { deleteKeyPackages } from "./delete-key-packages.ts";
import type { Deps } from "./deps.ts";
import { listRemovalKeys } from "./list-removal-keys.ts";
import { replaceKeyPackages } from "./replace-key-packages.ts";
import type { routes } from "./routes.ts";
import type { KeyPackageBundleEntry } from "./schemas.ts";
import { uploadKeyPackages } from "./upload-key-packages.ts";

type AllHandlers = Handlers<typeof routes>;

export function createHandlers(deps: Deps): AllHandlers {
  const { domain } = deps.settings;

  const replace: AllHandlers["mls-key-packages-replace"] = async ({ actor, params, query, body }) => {
    await replaceKeyPackages(deps, ownDevice(actor, params), query.ciphersuites, body.key_packages);
    return {};
  };

  const count: AllHandlers["mls-key-packages-count"] = async ({ actor, params, query }) => ({
    body: { count: await countKeyPackages(deps, ownDevice(actor, params), query.ciphersuite) },
  });

  const remove: AllHandlers["mls-key-packages-delete"] = async ({ actor, params, query, body }) => {
    await deleteKeyPackages(deps, ownDevice(actor, params), query.ciphersuite, body.key_packages);
    return {};
  };

  const claim: AllHandlers["mls-key-packages-claim"] = async ({ actor, params, query }) => {
    checkLocalDomain(params.user_domain, deps.settings);
    const isOwn = params.user === actor.userId;
    const claimed = await claimKeyPackages(deps, {
      userId: params.user,
      suite: query.ciphersuite,
      except: new Set(isOwn ? [actor.clientId, query.skip_own] : []),
    });
    return { body: { key_packages: claimed.map(toEntry(params.user, domain)) } };
  };

  return {
    "mls-key-packages-upload": async ({ actor, params, body }) => {
      await uploadKeyPackages(deps, ownDevice(actor, params), body.key_packages);
      return {};
    },

    "mls-key-packages-replace": replace,
    "mls-key-packages-replace-v5": replace,
    "mls-key-packages-count": count,
    "mls-key-packages-count-v5": count,
    "mls-key-packages-delete": remove,
    "mls-key-packages-delete-v5": remove,
    "mls-key-packages-claim": claim,
    "mls-key-packages-claim-v5": claim,

    "mls-key-packages-claim-own": async ({ actor, query }) => {
      const claimed = await claimKeyPackages(deps, {
        userId: actor.userId,
        suite: query.ciphersuite,
        except: new Set(query.skip_own ? [actor.clientId] : []),
      });
      return { body: { key_packages: claimed.map(toEntry(actor.userId, domain)) } };
    },

    "mls-public-keys": async ({ query }) => ({
      body: { removal: await listRemovalKeys(deps, query.format) },
    }),
  };
}

const ownDevice = ({ userId }: Actor, { client }: { client: string }) => ({ userId, clientId: client });

const toEntry =
  (user: string, domain: string) =>
  ({ clientId, reference, bytes }: ClaimedKeyPackage): KeyPackageBundleEntry => ({
    user,
    domain,
    client: clientId,
    key_package_ref: Buffer.from(reference, "base64url").toString("base64"),
    key_package: Buffer.from(bytes).toString("base64"),
  });
