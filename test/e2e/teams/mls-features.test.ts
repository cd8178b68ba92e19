import { describe, expect, it } from "vitest";
import { api, outcome } from "../../support/api.ts";
import { getFeature, putFeature, unlockFeature } from "../../support/features.ts";
import { newTeam } from "../../support/teams.ts";

const enabled = { status: "enabled" };
const disabled = { status: "disabled" };

const mlsConfig = {
  protocolToggleUsers: [],
  defaultProtocol: "mls",
  supportedProtocols: ["proteus", "mls"],
  allowedCipherSuites: [1],
  defaultCipherSuite: 1,
};

describe.concurrent("MLS", () => {
  it("is refused with a default protocol that is not supported", async () => {
    const team = await newTeam();
    const config = { ...mlsConfig, supportedProtocols: ["proteus"] };
    expect(outcome(await putFeature(team, "mls", { ...enabled, config }))).toBe("400 mls-protocol-mismatch");
    expect((await getFeature(team, "mls")).body.status).toBe("disabled");
    expect(await putFeature(team, "mls", { ...enabled, config: mlsConfig })).toMatchObject({
      status: 200,
      body: { status: "enabled", config: mlsConfig },
    });
  });

  it("cannot be switched off while the migration to it is on", async () => {
    const team = await newTeam();
    await unlockFeature(team, "mlsMigration");
    const migrate = (value: object) => putFeature(team, "mlsMigration", { ...value, config: {} });
    expect(outcome(await migrate(enabled))).toBe("400 mls-protocol-mismatch");
    await putFeature(team, "mls", { ...enabled, config: mlsConfig });
    const config = { startTime: "2026-01-01T00:00:00Z", finaliseRegardlessAfter: "2026-06-01T00:00:00.000Z" };
    const old = { usersThreshold: 50, clientsThreshold: 50 };
    const { body } = await putFeature(team, "mlsMigration", { ...enabled, config: { ...config, ...old } });
    expect(body.config).toEqual(config);
    expect(outcome(await putFeature(team, "mls", { ...disabled, config: mlsConfig }))).toBe(
      "400 mls-protocol-mismatch",
    );
    expect(outcome(await migrate(disabled))).toBe("200");
    expect(outcome(await putFeature(team, "mls", { ...disabled, config: mlsConfig }))).toBe("200");
  });

  it("is migrated to at times with any offset, and shows these times in UTC", async () => {
    const team = await newTeam();
    await unlockFeature(team, "mlsMigration");
    await putFeature(team, "mls", { ...enabled, config: mlsConfig });
    const migrate = (config: object) => putFeature(team, "mlsMigration", { ...enabled, config });
    const { body } = await migrate({
      startTime: "2026-01-01T01:30:00+02:00",
      finaliseRegardlessAfter: "2026-06-01T00:00:00.25-00:30",
    });
    const inUtc = {
      startTime: "2025-12-31T23:30:00.000Z",
      finaliseRegardlessAfter: "2026-06-01T00:30:00.250Z",
    };
    expect(body.config).toEqual(inUtc);
    for (const startTime of [
      "9999-12-31T23:59:59-00:01",
      "0000-01-01T00:00:00+00:01",
      "2026-01-01T00:00:00",
      "x",
    ])
      expect(outcome(await migrate({ startTime }))).toBe("400 bad-request");
    expect((await getFeature(team, "mlsMigration")).body.config).toEqual(inUtc);
  });

  it("is never off while the migration is on, whichever concurrent change is first", async () => {
    for (let round = 0; round < 5; round++) {
      const team = await newTeam();
      await unlockFeature(team, "mlsMigration");
      await putFeature(team, "mls", { ...enabled, config: mlsConfig });
      const answers = await Promise.all([
        putFeature(team, "mls", { ...disabled, config: mlsConfig }),
        putFeature(team, "mlsMigration", { ...enabled, config: {} }),
      ]);
      expect(answers.map(outcome).sort()).toEqual(["200", "400 mls-protocol-mismatch"]);
      const [mls, migration] = await Promise.all([getFeature(team, "mls"), getFeature(team, "mlsMigration")]);
      expect([mls.body.status, migration.body.status]).not.toEqual(["disabled", "enabled"]);
    }
  });

  it("keeps every digit of the period for which a certificate may be put off", async () => {
    const team = await newTeam();
    await unlockFeature(team, "mlsE2EId");
    const path = `/v5/teams/${team.id}/features/mlsE2EId`;
    const config = '"config":{"verificationExpiration":9223372036854775807}';
    const { token } = team.owner;
    const changed = await api("PUT", path, {
      token,
      body: `{"status":"enabled","ttl":18446744073709551615,${config}}`,
      headers: { "content-type": "application/json" },
    });
    for (const { status, bytes } of [changed, await api("GET", path, { token })]) {
      expect(status).toBe(200);
      expect(bytes.toString()).toContain('"verificationExpiration":9223372036854775807');
      expect(bytes.toString()).not.toContain("Digits");
    }
  });

  it("requires a proxy for revocation lists in end-to-end identity from version 6 on", async () => {
    const team = await newTeam();
    await unlockFeature(team, "mlsE2EId");
    const config = { verificationExpiration: 3600, acmeDiscoveryUrl: "https://acme.example.com/dir" };
    const change = (version: string, fields: object = {}, user = team.owner) =>
      putFeature(team, "mlsE2EId", { ...enabled, config: { ...config, ...fields } }, { version, user });
    const member = await team.add();
    for (const user of [team.owner, member]) {
      for (const version of ["/v6", "/v9"]) {
        expect(outcome(await change(version, {}, user))).toBe("400 mls-e2eid-missing-crl-proxy");
      }
    }
    expect(outcome(await change("/v5"))).toBe("200");
    const crlProxy = "https://crl.example.com";
    expect((await change("/v6", { crlProxy })).body.config).toEqual({
      ...config,
      crlProxy,
      useProxyOnMobile: false,
    });
    for (const url of ["http://crl.example.com", "crl.example.com", ""]) {
      expect(outcome(await change("/v6", { crlProxy: url }))).toBe("400 bad-request");
    }
  });
});
