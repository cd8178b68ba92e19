import * as z from "zod";
import { storedObject } from "#shared/platform/data/stored-item.ts";
import { openIdScopes } from "#shared/registry/oauth-scopes.ts";

/**
 * The request of an app that signs a person in. Stored apart from the other scopes, because earlier versions would
 * refuse to read it there.
 */
export const openIdGrant = storedObject({
  scope: z.array(z.enum(openIdScopes)),
  /** When the person logged in, in unix seconds; absent if that is not known. */
  authTime: z.int().optional(),
});
