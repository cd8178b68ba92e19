import * as z from "zod";
import { storedObject } from "#shared/platform/data/stored-item.ts";
import { openIdScopes } from "#shared/registry/oauth-scopes.ts";

/** What an app that signs a person in asked for. Apart from other scopes, which earlier versions would refuse to read. */
export const openIdGrant = storedObject({
  scope: z.array(z.enum(openIdScopes)),
  /** When the person logged in, in unix seconds; absent if that is not known. */
  authTime: z.int().optional(),
});
