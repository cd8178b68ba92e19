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
      /** Most services of one provider, because its own list is not paged. */
      maxPerProvider: z.int().min(1).max(200).default(100),
      /** Most services on the list of one team, because each list is read as a whole. */
      maxPerTeam: z.int().min(1).max(1000).default(400),
    })
    .prefault({}),
};
