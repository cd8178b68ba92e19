import { emailIdentity, phoneIdentity } from "#shared/accounts/identity.ts";
import { changeHandle } from "#shared/accounts/self/change-handle.ts";
import { changeLocale } from "#shared/accounts/self/change-locale.ts";
import { changePassword } from "#shared/accounts/self/change-password.ts";
import { changeProfile } from "#shared/accounts/self/change-profile.ts";
import { deleteSelf } from "#shared/accounts/self/delete-self.ts";
import { chargeSms, checkNumber } from "#shared/accounts/sms-allowance.ts";
import { codeRequests } from "#shared/codes/code-requests.ts";
import { pagesFor } from "#shared/platform/html/pages-for.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { networkOf } from "#shared/platform/rate-limit/network.ts";
import { chargeNetwork } from "#shared/platform/rate-limit/network-limit.ts";
import { changeAddress } from "./change-address.ts";
import { changeMemberEmail } from "./change-member-email.ts";
import { changeSupportedProtocols } from "./change-supported-protocols.ts";
import { confirmDeletion } from "./confirm-deletion.ts";
import type { Deps } from "./deps.ts";
import { getSelf } from "./get-self.ts";
import { deletedPage, deletionPage } from "./pages/deletion-pages.ts";
import { translations } from "./pages/texts.ts";
import { removeIdentity } from "./remove-identity.ts";
import type { routes } from "./routes.ts";
import { userOfBothTokens } from "./user-of-both-tokens.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { accounts, settings } = deps;
  const { productName } = settings;
  const pages = pagesFor(translations, settings);

  return {
    "get-self": async ({ actor }) => ({
      body: await getSelf(deps, actor.userId),
    }),

    "delete-self": async ({ actor, body, sourceIp }) => {
      const expiresIn = await deleteSelf(deps, actor, { password: body.password, sourceIp });
      return expiresIn === undefined ? { status: 200 } : { status: 202, body: { expires_in: expiresIn } };
    },

    "verify-delete": async ({ body }) => {
      await confirmDeletion(deps, body);
      return {};
    },

    "get-delete-page": async ({ query, headers }) => {
      const { texts, page } = pages(headers);
      return page(texts.ask.title, deletionPage(texts, { productName, ...query }));
    },

    "post-delete-confirmation": async ({ body, headers }) => {
      await confirmDeletion(deps, body);
      const { texts, page } = pages(headers);
      return page(texts.done.title, deletedPage(texts, productName));
    },

    "put-self": async ({ actor, body: { name, text_status, picture, accent_id, assets } }) => {
      const textStatus = text_status ?? undefined;
      await changeProfile(deps, actor, { name, textStatus, picture, accentId: accent_id, assets });
      return {};
    },

    "change-locale": async ({ actor, body }) => {
      await changeLocale(deps, actor, body.locale);
      return {};
    },

    "change-handle": async ({ actor, body }) => {
      await changeHandle(deps, actor, body.handle);
      return {};
    },

    "change-supported-protocols": async ({ actor, body }) => {
      await changeSupportedProtocols(deps, actor, body.supported_protocols);
      return {};
    },

    "check-password-exists": async ({ actor }) => {
      const account = await accounts.get(actor.userId);
      const hasPassword = account?.passwordHash !== undefined && account.status !== "deleted";
      return { status: hasPassword ? 200 : 404 };
    },

    "change-password": async ({ actor, body: { old_password, new_password } }) => {
      await changePassword(deps, actor.userId, { oldPassword: old_password, newPassword: new_password });
      return {};
    },

    "change-self-email": async ({ body, cookies, bearer, sourceIp }) => {
      const userId = await userOfBothTokens(deps, { cookies, bearer });
      const identity = emailIdentity(body.email, settings);
      await chargeNetwork(deps, codeRequests, sourceIp);
      return toEmailReply(await changeAddress(deps, { userId, identity, network: networkOf(sourceIp) }));
    },

    "update-user-email": async ({ actor, params, body }) => {
      const identity = emailIdentity(body.email, settings);
      await changeMemberEmail(deps, actor.userId, { userId: params.uid, identity });
      return { body: [] };
    },

    "remove-email": async ({ actor, body }) => {
      await removeIdentity(deps, actor, { kind: "email", secondFactor: body?.verification_code });
      return {};
    },

    "change-phone": async ({ actor, body, sourceIp }) => {
      const identity = phoneIdentity(body.phone);
      await checkNumber(identity);
      await chargeSms(deps, identity, { sourceIp });
      await changeAddress(deps, { userId: actor.userId, identity, network: networkOf(sourceIp) });
      return {};
    },

    "remove-phone": async ({ actor, body }) => {
      await removeIdentity(deps, actor, { kind: "phone", secondFactor: body?.verification_code });
      return {};
    },

    "i-change-self-email": async ({ body, headers, query }) => {
      const userId = headers["Z-User"];
      const identity = emailIdentity(body.email, settings);
      const isConfirmed =
        query.email_activation === undefined ? query.activate : query.email_activation === "auto_activate";
      const isChanged = await changeAddress(deps, { userId, identity, isConfirmed, isProvisioning: true });
      return toEmailReply(isChanged && !isConfirmed);
    },
  };
}

function toEmailReply(awaitsCode: boolean): { status: 202; body: never[] } | { status: 204 } {
  return awaitsCode ? { status: 202, body: [] } : { status: 204 };
}
