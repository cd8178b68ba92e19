import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Provisioner } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import { readAndAdopt } from "./adopt-user.ts";
import { renderUser } from "./render-user.ts";
import type { UserView } from "./routes.ts";

/**
 * Read a user of a directory's team by id; a member whom no directory manages yet is adopted.
 *
 * @throws ApiError `scim-not-found`; what `readAndAdopt` throws
 * @see operation `scim-get-user`
 */
export async function getUser(deps: Deps, provisioner: Provisioner, userId: string): Promise<UserView> {
  const user = await readAndAdopt(deps, provisioner, userId);
  if (user === undefined) throw new ApiError("scim-not-found");
  return renderUser(deps, user);
}
