import * as z from "zod";
import { email } from "#shared/accounts/account-types.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import type { ActiveProvider } from "./provider.ts";

export const providerId = wire.uuid.meta({ description: "Id of a provider" });
export const providerFields = {
  name: z.string().min(1).max(128),
  url: wire.httpsUrl.meta({ description: "Web site of the provider" }),
  description: z.string().min(1).max(1024),
};

/** A provider as it sees itself, and as users see it. */
export const providerView = z.object({ id: providerId, email, ...providerFields }).meta({ id: "Provider" });

export const toProviderView = ({ providerId, name, email, url, description }: ActiveProvider) => ({
  id: providerId,
  name,
  email,
  url,
  description,
});
