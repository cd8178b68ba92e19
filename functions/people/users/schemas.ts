import * as z from "zod";
import * as accountTypes from "#shared/accounts/account-types.ts";
import { richInfo } from "#shared/accounts/profiles/rich-info.ts";
import { userProfile } from "#shared/accounts/profiles/user-profile.ts";
import * as wire from "#shared/platform/http/wire-types.ts";

/** Maximum number of users in one request. */
const maxUsers = 500;
const maxHandles = 4;

export const userPath = z.object({ uid: wire.userId });
export const qualifiedUserPath = z.object({ uid_domain: wire.domain, uid: wire.userId });
export const handlePath = z.object({ handle: accountTypes.handle });
export const qualifiedHandlePath = z.object({ domain: wire.domain, handle: accountTypes.handle });
/** Any text, because a malformed handle is refused with `invalid-handle`. */
export const candidatePath = z.object({
  handle: z.string().meta({ description: "Handle as it would be stored: lower case, without `@`" }),
});

export const profiles = z.array(userProfile);

export const usersQuery = z
  .object({
    ids: wire
      .commaSeparated(wire.uuid, maxUsers)
      .optional()
      .meta({ description: "User ids, separated by commas" }),
    handles: wire
      .commaSeparated(accountTypes.handle, maxHandles)
      .optional()
      .meta({ description: "Up to four handles, separated by commas" }),
  })
  .refine(({ ids, handles }) => (ids === undefined) !== (handles === undefined), {
    message: "exactly one of ids and handles is needed",
  });

const qualifiedHandle = z
  .object({ domain: wire.domain, handle: accountTypes.handle })
  .meta({ id: "Qualified_Handle" });

export const listUsers = z
  .object({
    qualified_ids: z.array(wire.qualifiedId).min(1).max(maxUsers).optional(),
    qualified_handles: z.array(qualifiedHandle).min(1).max(maxHandles).optional(),
  })
  .refine((query) => (query.qualified_ids === undefined) !== (query.qualified_handles === undefined), {
    message: "exactly one of qualified_ids and qualified_handles is needed",
  })
  .meta({
    id: "ListUsersQuery",
    description: "Exactly one of `qualified_ids` and `qualified_handles`",
    examples: [
      { qualified_ids: [{ domain: "parley.localhost", id: "8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60" }] },
    ],
  });

export const listedUsers = z
  .object({
    found: profiles,
    failed: z.array(wire.qualifiedId).min(1).optional().meta({
      description:
        "Users of domains that cannot be reached, and those whose profiles did not fit into this answer",
    }),
  })
  .meta({ id: "ListUsersById" });

export const checkHandles = z
  .object({
    handles: z.array(z.string()).min(1).max(50).meta({ description: "Candidates, in order of preference" }),
    return: z
      .int()
      .min(1)
      .max(10)
      .default(1)
      .meta({ description: "Maximum number of handles in the answer" }),
  })
  .meta({ id: "CheckHandles", examples: [{ handles: ["ada", "ada.lovelace"], return: 1 }] });

export const handles = z.array(z.string());

export const handleOwner = z
  .object({
    qualified_user: wire.qualifiedId,
    user: z.uuid().meta({ description: "The same without the domain" }),
  })
  .meta({ id: "UserHandleInfo" });

export const richInfoView = richInfo.meta({ id: "RichInfoAssocList" });
