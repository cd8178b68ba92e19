import * as z from "zod";
import { seconds } from "./types.ts";

/** Settings of providers, services and bots. */
export const serviceSettings = {
  /** Lifetime of a provider's login. */
  providerTokenTimeout: seconds.min(1).max(86_400).default(900),
  /** The only provider in the directory. */
  setProviderSearchFilter: z.uuid().optional(),
  services: z
    .strictObject({
      /** Time limit of a call to create a bot. There are up to three attempts. */
      timeoutMilliseconds: z.int().min(100).max(4000).default(2000),
      /** Only safe if functions reach nothing that providers should not. */
      allowsPrivateAddresses: z.boolean().default(false),
      /** Services of a provider. Its own list is not paged. */
      maxPerProvider: z.int().min(1).max(200).default(100),
      /** Services on a team's list. Each list is read as a whole. */
      maxPerTeam: z.int().min(1).max(1000).default(400),
      /** Bots in a conversation. Each event becomes a call to each of them. */
      maxBotsPerConversation: z.int().min(1).default(50),
    })
    .prefault({}),
};
