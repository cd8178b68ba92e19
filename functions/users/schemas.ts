import * as z from "zod";
import { richInfo } from "#shared/data/rich-info/rich-info.ts";
import * as primitives from "#shared/schemas/primitives.ts";
import { userProfile } from "#shared/schemas/user-profile.ts";

/** Users that one request may ask for. */
const maxUsers = 500;
const maxHandles = 4;

export const userPath = z.object({ uid: primitives.uuid });
export const qualifiedUserPath = z.object({ uid_domain: z.string(), uid: primitives.uuid });
export const handlePath = z.object({ handle: primitives.handle });
export const qualifiedHandlePath = z.object({ domain: z.string(), handle: primitives.handle });
/** What is wrong with it is answered by `invalid-handle`. */
export const candidatePath = z.object({ handle: z.string() });

export const profiles = z.array(userProfile);

export const usersQuery = z
  .object({
    ids: primitives.commaSeparated(primitives.uuid, maxUsers).optional(),
    handles: primitives.commaSeparated(primitives.handle, maxHandles).optional(),
  })
  .refine(({ ids, handles }) => (ids === undefined) !== (handles === undefined), {
    message: "exactly one of ids and handles is needed",
  });

const qualifiedHandle = z
  .object({ domain: z.string(), handle: primitives.handle })
  .meta({ id: "Qualified_Handle" });

export const listUsers = z
  .object({
    qualified_ids: z.array(primitives.qualifiedId).min(1).max(maxUsers).optional(),
    qualified_handles: z.array(qualifiedHandle).min(1).max(maxHandles).optional(),
  })
  .refine((query) => (query.qualified_ids === undefined) !== (query.qualified_handles === undefined), {
    message: "exactly one of qualified_ids and qualified_handles is needed",
  })
  .meta({ id: "ListUsersQuery" });

export const listedUsers = z
  .object({
    found: profiles,
    failed: z
      .array(primitives.qualifiedId)
      .min(1)
      .optional()
      .meta({ description: "Users of domains that cannot be reached" }),
  })
  .meta({ id: "ListUsersById" });

export const checkHandles = z
  .object({
    handles: z.array(z.string()).min(1).max(50),
    return: z.int().min(1).max(10).default(1),
  })
  .meta({ id: "CheckHandles" });

export const handles = z.array(z.string());

export const handleOwner = z
  .object({ qualified_user: primitives.qualifiedId, user: z.uuid() })
  .meta({ id: "UserHandleInfo" });

export const richInfoView = richInfo.meta({ id: "RichInfoAssocList" });
