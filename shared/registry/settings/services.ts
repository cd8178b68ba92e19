import * as z from "zod";
import { seconds } from "./types.ts";

/** Settings of providers, services and bots. */
export const serviceSettings = {
  /** How long a provider stays logged in, in seconds. */
  providerTokenTimeout: seconds.min(1).max(86_400).default(900),
  /** Provider to which the directory of services is restricted; absent: all. */
  setProviderSearchFilter: z.uuid().optional(),
  services: z
    .strictObject({
      /** Time limit of one call to a service that is to create a bot, with up to three attempts. */
      timeoutMilliseconds: z.int().min(100).max(4000).default(2000),
      /** Whether services may have private addresses; only safe where they can reach nothing sensitive that way. */
      allowsPrivateAddresses: z.boolean().default(false),
    })
    .prefault({}),
};
