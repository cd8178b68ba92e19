import type * as z from "zod";
import { defaultLocale } from "#shared/accounts/account-types.ts";
import { parseHandle } from "#shared/accounts/handle.ts";
import { toSelfProfile } from "#shared/accounts/profiles/self-profile.ts";
import { parseSamlIdentity } from "#shared/accounts/profiles/sso-id.ts";
import { splitToFit } from "#shared/platform/http/answer-size.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { richInfoView } from "#shared/provisioning/scim-rich-info.ts";
import type { Deps } from "../deps.ts";
import { changeAccount } from "./change-account.ts";
import { checkAdmin } from "./check-admin.ts";
import { checkHandle } from "./check-handle.ts";
import { createProvisionedAccount } from "./create-account.ts";
import { findRichInfo, readRichInfo } from "./find-rich-info.ts";
import type { routes, ssoIdUpdate } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { clock, settings } = deps;

  const isManaged = (managedBy: string): boolean => {
    if (managedBy !== "scim" && managedBy !== settings.vendor)
      throw new ApiError("bad-request", { message: `managed_by must be scim or ${settings.vendor}` });
    return managedBy === "scim";
  };

  /** The part of an account that comes from an identity provider or a directory, which has known it since `createdAt`. */
  const identityOf = (ssoId: z.output<typeof ssoIdUpdate>, createdAt = clock()) => {
    if ("scim_external_id" in ssoId) {
      const scim = { externalId: ssoId.scim_external_id, createdAt, updatedAt: clock() };
      return { samlIdentity: undefined, scim };
    }
    const samlIdentity = parseSamlIdentity(ssoId.tenant, ssoId.subject);
    if (samlIdentity === undefined)
      throw new ApiError("bad-request", { message: "tenant and subject must be SAML elements" });
    return { samlIdentity };
  };

  return {
    "i-create-sso-user": async ({ body }) => {
      const { user_id: userId, sso_id, name, team: teamId, handle, rich_info: richInfo, locale, role } = body;
      const managedByScim = isManaged(body.managed_by);
      const { samlIdentity, scim } = identityOf(sso_id);
      const person = { name, teamId, managedByScim, handle, locale, samlIdentity, scim };
      const account = await createProvisionedAccount(deps, { userId, person, role, richInfo });
      return { headers: { location: userId }, body: toSelfProfile(account, settings, clock()) };
    },

    "i-put-sso-id": async ({ params, body }) => {
      await changeAccount(deps, params.uid, ({ scim }) =>
        "scim_external_id" in body && scim?.externalId === body.scim_external_id
          ? { samlIdentity: undefined }
          : identityOf(body, scim?.createdAt),
      );
      return {};
    },

    "i-delete-sso-id": async ({ params }) => {
      await changeAccount(deps, params.uid, () => ({ samlIdentity: undefined, scim: undefined }));
      return {};
    },

    "i-put-managed-by": async ({ params, body }) => {
      const managedByScim = isManaged(body.managed_by);
      await changeAccount(deps, params.uid, () => ({ managedByScim }));
      return {};
    },

    "i-put-name": async ({ params, body: { name } }) => {
      await changeAccount(deps, params.uid, () => ({ name }));
      return {};
    },

    "i-put-handle": async ({ params, body }) => {
      const { value: handle } = parseHandle(body.handle, settings);
      await changeAccount(deps, params.uid, () => ({ handle }));
      return {};
    },

    "i-put-locale": async ({ params, body: { locale } }) => {
      await changeAccount(deps, params.uid, () => ({ locale }));
      return {};
    },

    "i-delete-locale": async ({ params }) => {
      await changeAccount(deps, params.uid, () => ({ locale: defaultLocale(settings) }));
      return {};
    },

    "i-get-default-locale": () => ({ body: { locale: defaultLocale(settings) } }),

    "i-check-handle": async ({ params }) => {
      await checkHandle(deps, params.handle);
      return {};
    },

    "i-get-rich-info": async ({ params }) => ({
      body: richInfoView(await readRichInfo(deps, params.uid), settings),
    }),

    "i-get-rich-infos": async ({ query }) => {
      const found = [...(await findRichInfo(deps, query.ids))];
      const pairs = found.map(([userId, info]): [string, Record<string, unknown>] => [
        userId,
        richInfoView(info, settings),
      ]);
      return { body: splitToFit(pairs).fitting };
    },

    "i-check-admin": async ({ params }) => ({ body: await checkAdmin(deps, params.uid) }),
  };
}
