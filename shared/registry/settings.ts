import * as z from "zod";
import { accountSettings } from "./settings/accounts.ts";
import { assetSettings } from "./settings/assets.ts";
import { brandingSettings } from "./settings/branding.ts";
import { callSettings } from "./settings/calls.ts";
import { codeSettings } from "./settings/codes.ts";
import { conversationSettings } from "./settings/conversations.ts";
import { deviceSettings } from "./settings/devices.ts";
import { domainSettings } from "./settings/domains.ts";
import { eventSettings } from "./settings/events.ts";
import { featureSettings } from "./settings/features.ts";
import { installationSettings } from "./settings/installation.ts";
import { legalHoldSettings } from "./settings/legal-hold.ts";
import { oauthSettings } from "./settings/oauth.ts";
import { peopleSettings } from "./settings/people.ts";
import { provisioningSettings } from "./settings/provisioning.ts";
import { pushSettings } from "./settings/push.ts";
import { serviceSettings } from "./settings/services.ts";
import { sessionSettings } from "./settings/sessions.ts";
import { teamSettings } from "./settings/teams.ts";
import { webhookSettings } from "./settings/webhooks.ts";

/**
 * Everything an operator can change without touching code, under the names of the interface. Each domain declares its
 * own settings; the defaults are meant for production. A stage overrides single keys with a JSON file, which is
 * validated at synth and at local start, and bundled into the functions.
 */
export const settingsSchema = z.strictObject({
  ...installationSettings,
  ...brandingSettings,
  ...accountSettings,
  ...codeSettings,
  ...sessionSettings,
  ...oauthSettings,
  ...peopleSettings,
  ...teamSettings,
  ...domainSettings,
  ...provisioningSettings,
  ...legalHoldSettings,
  ...featureSettings,
  ...conversationSettings,
  ...serviceSettings,
  ...assetSettings,
  ...deviceSettings,
  ...callSettings,
  ...eventSettings,
  ...pushSettings,
  ...webhookSettings,
});

export type Settings = z.infer<typeof settingsSchema>;
export type SettingsInput = z.input<typeof settingsSchema>;

/** The settings are invalid; the message names every wrong key. */
export class InvalidSettingsError extends Error {
  override readonly name = "InvalidSettingsError";
}

/** Validates settings and fills in the defaults. @throws InvalidSettingsError naming every wrong key */
export function parseSettings(input: unknown): Settings {
  const result = settingsSchema.safeParse(input);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => {
    const key = issue.path.join(".") || "settings";
    return issue.code === "unrecognized_keys"
      ? `unknown setting ${[...issue.path, issue.keys.join(", ")].join(".")}`
      : `${key}: ${issue.message}`;
  });
  throw new InvalidSettingsError(`Bad settings: ${problems.join("; ")}`);
}
