import type { SettingsInput } from "#shared/registry/settings.ts";

/** Settings of the stack that most tests share: cheap hashes, and no limit that concurrent tests would have in common. */
export const testSettings = {
  setPasswordHashingOptions: { algorithm: "scrypt", logCost: 10, parallelism: 1 },
  setPasswordHashingRateLimit: {
    perIp: { burst: 1, refillSeconds: 0 },
    perUser: { burst: 1, refillSeconds: 0 },
    perAccount: { burst: 1, refillSeconds: 0 },
    perNetwork: { burst: 1, refillSeconds: 0 },
  },
  setCodeDeliveryRateLimit: { burst: 1, refillSeconds: 0 },
  setCodeDeliveryRateLimitPerIp: { burst: 1, refillSeconds: 0 },
  setCodeReplacementRateLimit: { burst: 1, refillSeconds: 0 },
  setSmsDailyBudget: { perNetwork: null, perNumberRange: null, perCountry: null },
  setTeamInvitationRateLimit: {
    perNetwork: { burst: 1, refillSeconds: 0 },
    lookupsPerNetwork: { burst: 1, refillSeconds: 0 },
  },
  setGuestLinkCheckRateLimit: { burst: 1, refillSeconds: 0 },
  saml: {
    requestRateLimitPerIp: { burst: 1, refillSeconds: 0 },
    badResponseRateLimitPerIp: { burst: 1, refillSeconds: 0 },
  },
  set2FACodeGenerationDelaySecs: 0,
  setOAuthEnabled: true,
  setEnableMLS: true,
  // Tests run services on loopback; a busy machine may take seconds.
  services: { allowsPrivateAddresses: true, timeoutMilliseconds: 4000 },
  legalHoldService: { allowsPrivateAddresses: true, timeoutMilliseconds: 4000 },
  webhooks: { allowsPrivateAddresses: true },
  turn: {
    servers: [
      "turn:turn.example.com:3478?transport=udp",
      "turn:turn.example.com:3478?transport=tcp",
      "turns:turn.example.com:5349?transport=tcp",
    ],
  },
  // With many stacks, a sweep every second would waste CPU time.
  outboxResendSeconds: 5,
  // Measuring would be a seventh of all calls. Counts are exact, so that a test that follows calls gets the same in each run.
  statistics: { sampleOneIn: null, exactPerMinute: 1_000_000 },
  // A busy machine may take seconds.
  socketPostMilliseconds: 10_000,
} as const satisfies SettingsInput;
