import { randomUUID } from "node:crypto";
import { provisioningData } from "../test/support/provisioning.ts";

/** Create a directory that provisions a team. */
export async function newDirectory(
  teamId: string,
  prefix: string,
  { hasProvider = true }: { readonly hasProvider?: boolean } = {},
) {
  const data = provisioningData({ prefix });
  const provider = hasProvider ? await data.newProvider(teamId, { certificates: ["AAAA"] }) : undefined;
  const token = await data.newToken(teamId, { idpId: provider?.id });
  const headers = { authorization: `Bearer ${token}` };
  return {
    headers,
    /** A request that creates a user. */
    newUserRequest() {
      const name = randomUUID();
      const json = { externalId: `${name}@example.com`, userName: name, displayName: "Ada Lovelace" };
      return { method: "POST", path: "/scim/v2/Users", headers, json };
    },
  };
}
