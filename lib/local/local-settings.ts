import { readFileSync } from "node:fs";
import { parseSettings, type Settings, type SettingsInput } from "#shared/registry/settings.ts";
import { SetupError } from "./setup-error.ts";

/** A rate limit that refuses nothing. */
const unlimited = { burst: 5, refillSeconds: 0 };
const noBudget = { perUser: null, perAnonymousUser: null };

/** The local stage: no waiting times, and no limits on anything that a developer repeats all day. */
const localSettings = (host: string): SettingsInput => ({
  setPasswordHashingOptions: { algorithm: "scrypt", logCost: 12, parallelism: 1 },
  setPasswordHashingRateLimit: {
    perIp: unlimited,
    perUser: unlimited,
    perAccount: unlimited,
    perNetwork: unlimited,
  },
  setCodeDeliveryRateLimit: unlimited,
  setCodeDeliveryRateLimitPerIp: unlimited,
  setCodeReplacementRateLimit: unlimited,
  setSmsDailyBudget: { perNetwork: null, perNumberRange: null, perCountry: null },
  set2FACodeGenerationDelaySecs: 0,
  setDailyWriteBudget: noBudget,
  setDailyUploadBudget: noBudget,
  setConnectionRequestDailyBudget: { perPair: null, perSender: null },
  setClaimDailyBudget: { perPair: null, ofStrangers: null },
  setGuestLinkCheckRateLimit: unlimited,
  setTypingRateLimit: unlimited,
  // A busy machine is slow, not overloaded.
  setMessageBacklog: { afterSecs: 600 },
  setPushTokenRateLimit: unlimited,
  setTeamInvitationRateLimit: {
    perInviter: unlimited,
    perNetwork: unlimited,
    perAddress: unlimited,
    lookupsPerNetwork: unlimited,
  },
  setTeamInvitationDailyBudget: null,
  setOAuthEnabled: true,
  setOAuthOpenIdEnabled: true,
  setEnableMLS: true,
  // Developers run services, receivers and identity providers on the same machine.
  services: { allowsPrivateAddresses: true },
  legalHoldService: {
    allowsPrivateAddresses: true,
    registrationRateLimit: unlimited,
    changeRateLimit: unlimited,
  },
  webhooks: { allowsPrivateAddresses: true, trustsLoopback: true, settleSeconds: 2 },
  saml: {
    allowsHttpOnLoopback: true,
    requestRateLimitPerIp: unlimited,
    badResponseRateLimitPerIp: unlimited,
  },
  turn: {
    servers: [
      `turn:${host}:3478?transport=udp`,
      `turn:${host}:3478?transport=tcp`,
      `turns:${host}:5349?transport=tcp`,
    ],
  },
  outboxResendSeconds: 5,
});

/**
 * Read the settings of a local run: those of a JSON file, which may be that of a stage, merged key by key over those of the
 * local stage.
 * @param host name of this machine for clients, which expect a TURN server there
 * @throws SetupError when the file cannot be read, InvalidSettingsError naming each wrong key
 */
export function readLocalSettings(file?: string, host = "localhost"): Settings {
  const base = localSettings(host);
  return parseSettings(file === undefined ? base : merge(base, settingsIn(readJson(file))));
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new SetupError(`Settings file ${file} cannot be read: ${(error as Error).message}`);
  }
}

/** Only the settings in the file of a stage matter here. */
const settingsIn = (file: unknown): unknown => (isObject(file) && "settings" in file ? file.settings : file);

/** Merges objects and replaces everything else, including an object whose `algorithm` changes. */
function merge(base: unknown, change: unknown): unknown {
  if (!isObject(base) || !isObject(change)) return change;
  if (change.algorithm !== undefined && change.algorithm !== base.algorithm) return change;
  const changed = Object.entries(change).map(([key, value]) => [key, merge(base[key], value)]);
  return { ...base, ...Object.fromEntries(changed) };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
