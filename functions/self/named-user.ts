import * as z from "zod";
import { ApiError } from "#shared/errors.ts";

/** The user that a caller of the internal API names in `Z-User`. @throws ApiError `unauthenticated` */
export function namedUser(headers: Readonly<Record<string, string | undefined>>): string {
  const userId = z.uuid().safeParse(headers["z-user"]?.toLowerCase());
  if (!userId.success) throw new ApiError("unauthenticated", { message: "Z-User is not a user id" });
  return userId.data;
}
