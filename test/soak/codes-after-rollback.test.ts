import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Checkout, checkOut, hasCommit, previousRelease } from "#lib/releases/checkout.ts";
import { migrate } from "#lib/releases/migrate.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { migrations } from "#shared/registry/migrations.ts";
import { apiAt, outcome } from "../support/api.ts";
import { forkVersion, stopVersions } from "../support/fork-version.ts";
import { newInvitation } from "../support/invitations.ts";
import { newApp, newCode, redeem } from "../support/oauth.ts";
import { activateProvider, newProviderEmail, providerCode, registerProvider } from "../support/providers.ts";
import type { Team } from "../support/teams.ts";
import {
  activate,
  activationCode,
  logIn,
  newEmail,
  newPhone,
  register,
  registeredUser,
  somePassword,
} from "../support/users.ts";
import { startVersionGateway, type Version, type VersionGateway } from "../support/version-gateway.ts";

const needs = "the previous release in the history of git";
const newPassword = "another horse battery";

describe.skipIf(!hasCommit(previousRelease))(
  "codes that were sent before a rollback",
  { meta: { needs } },
  () => {
    let checkout: Checkout;
    let gateway: VersionGateway;
    let current: Version;
    let previous: Version;
    const prefix = `codes-${randomUUID().slice(0, 8)}`;

    beforeAll(async () => {
      checkout = checkOut(previousRelease);
      gateway = await startVersionGateway();
      // Migrations come first, as in a deployment: the tables are the previous release's.
      previous = await forkVersion(gateway, { name: "the previous release", root: checkout.root, prefix });
      for (const migration of migrations)
        await migrate({ dynamo: createDynamo(), tableName: `${prefix}-${migration.table}`, migration });
      const root = join(import.meta.dirname, "../..");
      current = await forkVersion(gateway, { name: "this version", root, prefix });
    }, 240_000);
    afterAll(async () => {
      await gateway?.stop();
      await stopVersions();
      checkout?.remove();
    });

    const apisAt = ({ publicUrl, internalUrl }: { publicUrl: string; internalUrl: string }) => ({
      publicApi: apiAt(publicUrl),
      internalApi: apiAt(internalUrl),
      publicUrl,
    });
    type Clients = ReturnType<typeof apisAt>;
    const ok = (answer: Parameters<typeof outcome>[0]) => {
      expect(outcome(answer)).toMatch(/^20[0-4]$/);
      return answer;
    };

    /** Tasks that are begun with this version and finished with the previous one. */
    const kinds: Record<string, (clients: Clients) => Promise<(clients: Clients) => Promise<unknown>>> = {
      async "an activation of an email address"(apis) {
        const email = newEmail();
        ok(await register({ email, password: somePassword }, apis));
        const { code } = await activationCode({ email }, apis);
        return async (later) => ok(await later.publicApi("POST", "/activate", { json: { email, code } }));
      },
      async "an activation of a number"(apis) {
        const phone = newPhone();
        ok(await apis.publicApi("POST", "/activate/send", { json: { phone } }));
        const { code } = await activationCode({ phone }, apis);
        return async (later) =>
          ok(await register({ phone, phone_code: code, password: somePassword }, later));
      },
      async "an activation of another address"(apis) {
        const [{ cookie, token }, email] = [await registeredUser({}, apis), newEmail()];
        ok(await apis.publicApi("PUT", "/access/self/email", { cookie, token, json: { email } }));
        const { key, code } = await activationCode({ email }, apis);
        return async (later) => ok(await later.publicApi("POST", "/activate", { json: { key, code } }));
      },
      async "a login"(apis) {
        const phone = newPhone();
        ok(await register({ phone }, apis));
        ok(await activate({ phone }, apis));
        ok(await apis.publicApi("POST", "/login/send", { json: { phone } }));
        const path = `/i/users/login-code?${new URLSearchParams({ phone })}`;
        const { code } = ok(await apis.internalApi("GET", path)).body;
        return async (later) => ok(await later.publicApi("POST", "/login", { json: { phone, code } }));
      },
      async "a password reset"(apis) {
        const { email } = await registeredUser({}, apis);
        ok(await apis.publicApi("POST", "/password-reset", { json: { email } }));
        const path = `/i/users/password-reset-code?${new URLSearchParams({ email })}`;
        const { key, code } = ok(await apis.internalApi("GET", path)).body;
        const json = { key, code, password: newPassword };
        return async (later) => ok(await later.publicApi("POST", "/password-reset/complete", { json }));
      },
      async "a second factor"(apis) {
        const { id, email, token } = await registeredUser({}, apis);
        const json = { action: "login", email };
        ok(await apis.publicApi("POST", "/verification-code/send", { json, token }));
        const { body: code } = ok(await apis.internalApi("GET", `/i/users/${id}/verification-code/login`));
        const login = { email, password: somePassword, verification_code: code };
        return async (later) => ok(await later.publicApi("POST", "/login", { json: login }));
      },
      async "an invitation to a team"(apis) {
        const owner = { email: newEmail(), password: somePassword };
        ok(await apis.publicApi("POST", "/activate/send", { json: { email: owner.email } }));
        const { code: email_code } = await activationCode({ email: owner.email }, apis);
        const team = { name: "Engines", icon: "default" };
        const { body } = ok(await register({ ...owner, email_code, team }, apis));
        const { body: session } = ok(await logIn(owner, { apis }));
        const invited = { id: body.team, owner: { token: session.access_token } };
        const { code, email } = await newInvitation(invited as unknown as Team, {}, apis);
        const person = { email, password: somePassword, team_code: code };
        return async (later) => ok(await register(person, later));
      },
      async "an authorization of an app"(apis) {
        const [user, app] = [await registeredUser({}, apis), await newApp({}, apis)];
        const code = await newCode(app, user, {}, apis);
        return async (later) => ok(await redeem(app, code, {}, later));
      },
      async "an activation of a provider"(apis) {
        const email = newProviderEmail();
        ok(await registerProvider({ email, password: somePassword }, apis));
        const code = await providerCode(email, { apis });
        return async (later) => ok(await activateProvider(email, { code, apis: later }));
      },
      async "a password reset of a provider"(apis) {
        const email = newProviderEmail();
        ok(await registerProvider({ email, password: somePassword }, apis));
        ok(await activateProvider(email, { apis }));
        ok(await apis.publicApi("POST", "/provider/password-reset", { json: { email } }));
        const { key, code } = await providerCode(email, { kind: "password-reset", apis });
        const json = { key, code, password: newPassword };
        return async (later) =>
          ok(await later.publicApi("POST", "/provider/password-reset/complete", { json }));
      },
    };

    it.each(Object.keys(kinds))("work with the previous release: %s", async (kind) => {
      const apis = apisAt(gateway);
      await gateway.use(current);
      const finish = await kinds[kind]?.(apis);
      await gateway.use(previous);
      await finish?.(apis);
      expect([current, previous].flatMap(({ errors }) => errors)).toEqual([]);
    });
  },
);
