import { createHash } from "node:crypto";
import type { Account } from "#shared/accounts/account.ts";
import type { RichInfo } from "#shared/accounts/profiles/rich-info.ts";
import type { Config } from "#shared/platform/config.ts";
import { richInfoUrns, richInfoView } from "#shared/provisioning/scim-rich-info.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { Member } from "#shared/teams/member.ts";
import { roleOf } from "#shared/teams/permissions.ts";
import { scimLocation } from "../location.ts";
import { shownEmail } from "./profile.ts";
import { coreSchema, type UserView } from "./routes.ts";
import { userNameOf } from "./user-name.ts";

interface Context {
  readonly config: Pick<Config, "publicUrl">;
  readonly settings: Settings;
}

interface Rendered {
  readonly account: Account;
  /** Absent: the user is invited, not yet a member. */
  readonly member: Pick<Member, "permissions"> | undefined;
  readonly richInfo: RichInfo | undefined;
}

/** Shows a user whom a directory has created or adopted. */
export function renderUser({ config, settings }: Context, { account, member, richInfo }: Rendered): UserView {
  const { userId, name, handle, scim, status } = account;
  if (scim === undefined || handle === undefined) throw new Error(`No directory manages user ${userId}`);
  const email = shownEmail(account, settings);
  const role = member === undefined ? "member" : roleOf(member.permissions);
  const urns = richInfoUrns(settings);
  const content = {
    schemas: [coreSchema, urns.map, urns.list],
    id: userId,
    externalId: scim.externalId,
    userName: userNameOf(account),
    displayName: name,
    active: status === "active",
    ...(email !== undefined && { emails: [{ value: email }] }),
    preferredLanguage: account.locale,
    roles: role === undefined ? [] : [role],
    ...richInfoView(richInfo, settings),
  };
  const dates = {
    created: new Date(scim.createdAt).toISOString(),
    lastModified: new Date(scim.updatedAt).toISOString(),
  };
  return {
    ...content,
    meta: {
      resourceType: "User",
      ...dates,
      version: `W/"${createHash("sha256")
        .update(JSON.stringify({ ...content, dates }))
        .digest("hex")}"`,
      location: scimLocation({ config, settings }, `/Users/${userId}`),
    },
  };
}
