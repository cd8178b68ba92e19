import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { decideOnPages, expiredCode, newApp, requestOf } from "../../support/oauth.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { newUser } from "../../support/users.ts";
import { type FailureWords, failures } from "./libraries/failures.ts";

/** Programs in other languages, each with one OAuth library. They report what the library tells its app. */

const folder = "test/e2e/oauth/libraries";
const python = process.env.OAUTH_PYTHON ?? "python3";
const jars = process.env.OAUTH_JARS;
const isThere = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;

const needsPython = `a Python with ${folder}/requirements.txt, named by OAUTH_PYTHON`;
/** `mvn -f test/e2e/oauth/libraries dependency:copy-dependencies -DoutputDirectory="$PWD/jars"` fetches them. */
const needsJava = `Java 17 and, in a folder named by OAUTH_JARS, the libraries of ${folder}/pom.xml`;
const hasPython = isThere(python, "-c", "import authlib, flask, requests_oauthlib");
const hasJava = jars !== undefined && isThere("java", "-version");

const libraries = [
  {
    name: "authlib",
    needs: needsPython,
    isThere: hasPython,
    command: [python, `${folder}/authlib_flow.py`],
    typeOf: () => "OAuthError",
  },
  {
    name: "requests-oauthlib",
    needs: needsPython,
    isThere: hasPython,
    command: [python, `${folder}/requests_oauthlib_flow.py`],
    typeOf: () => "OAuth2Error",
  },
  {
    name: "Nimbus OAuth 2.0 SDK",
    needs: needsJava,
    isThere: hasJava,
    command: ["java", "-cp", `${jars}/*`, `${folder}/NimbusFlow.java`],
    typeOf: ({ status }: FailureWords) =>
      status === undefined ? "AuthorizationErrorResponse" : "TokenErrorResponse",
  },
];

/** The values that a program needs to know about its surroundings. */
async function newSurroundings() {
  const [app, user] = await Promise.all([newApp(), newUser()]);
  const authorizationUrl = new URL("/authorize", sharedStack().publicUrl);
  authorizationUrl.search = new URLSearchParams(requestOf(app)).toString();
  const expired = await expiredCode(app, user);
  const environment = {
    ISSUER: sharedStack().publicUrl,
    CLIENT_ID: app.client_id,
    CLIENT_SECRET: app.client_secret,
    REDIRECT_URL: app.redirect_url,
    USER_TOKEN: user.token,
    EXPIRED_CODE: expired.code,
    EXPIRED_CODE_VERIFIER: expired.verifier,
    DENIED_RESPONSE: await decideOnPages(authorizationUrl, user, "deny"),
  };
  return { user, environment };
}

describe.concurrent.each(libraries)("$name", ({ needs, isThere, command, typeOf }) => {
  it.skipIf(!isThere)(
    "gets, uses, refreshes and revokes tokens, and reports every failure by its own errors",
    { meta: { needs } },
    async () => {
      const { user, environment } = await newSurroundings();
      const [program = "", ...args] = command;
      const env = { ...process.env, ...environment };
      const { stdout } = await promisify(execFile)(program, args, { env, timeout: 100_000 });
      const report = JSON.parse(stdout);
      expect(report.success).toEqual({ user: user.id, refreshed: user.id, revocation: 200 });
      const expected = Object.entries<FailureWords>(failures).map(([name, words]) => [
        name,
        { type: typeOf(words), error: words.error },
      ]);
      expect(report.failures).toEqual(Object.fromEntries(expected));
    },
  );
});
