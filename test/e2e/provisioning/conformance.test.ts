import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { newDirectory } from "../../support/directory.ts";
import { hasPython, inPython, pythonEnvironment } from "../../support/python.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { stackWith } from "../../support/stack-with.ts";

interface Finding {
  readonly status: string;
  readonly check: string;
  readonly resource: string | null;
  readonly reason: string | null;
}

/**
 * Attributes of users that still have a value once removed, which the tool calls an error. `functions/provisioning/scim/README.md`
 * gives the reason for each.
 */
const keptOnRemoval = [
  "displayName",
  "active",
  "preferredLanguage",
  "emails",
  "roles",
  "urn:ietf:params:scim:schemas:extension:svc:1.0:User",
];

/** Packages of PyPI, with their versions. */
const packages = ["scim2-tester==0.5.2", "scim2-cli==0.6.0", "httpx2==2.16.2"];
const run = promisify(execFile);

describe("a conformance tool", () => {
  it.skipIf(!hasPython)(
    "finds only intended deviations",
    { ...inPython, timeout: 300_000 },
    async ({ skip }) => {
      const environment = pythonEnvironment(...packages);
      if (environment === undefined) return skip(`Needs ${inPython.meta.needs}`);
      const stack = await stackWith({ scim: { listsUsers: true } });
      // Users with an identity provider may have any external id.
      const { token } = await newDirectory({ hasProvider: true }, stack);
      const { stdout } = await run(
        environment.python,
        ["scripts/scim-conformance.py", `${stack.publicUrl}/scim/v2`, token],
        { maxBuffer: 16 * 1024 * 1024 },
      );
      const findings: Finding[] = JSON.parse(stdout);
      expect(findings.filter(({ status }) => status === "SUCCESS").length).toBeGreaterThan(40);

      const problems = findings
        .filter(({ status }) => !["SUCCESS", "COMPLIANT", "ACCEPTABLE", "SKIPPED"].includes(status))
        .map(({ resource, check, reason }) => `${resource} ${check}: ${reason}`);
      expect(problems.toSorted()).toEqual(
        keptOnRemoval
          .map((name) => `User check_remove_attribute: PATCH modify() did not remove attribute '${name}'`)
          .toSorted(),
      );
    },
  );
});

describe("a command-line client that trusts discovery", () => {
  it.skipIf(!hasPython)(
    "creates, reads, changes and deletes users and groups",
    { ...inPython, timeout: 300_000 },
    async ({ skip }) => {
      const environment = pythonEnvironment(...packages);
      if (environment === undefined) return skip(`Needs ${inPython.meta.needs}`);
      const token = (await newDirectory({ hasProvider: true })).token;
      const scim = async (...command: string[]) => {
        const running = run(environment.python, ["-c", "from scim2_cli import cli; cli()", ...command], {
          env: {
            ...process.env,
            SCIM_CLI_URL: `${sharedStack().publicUrl}/scim/v2`,
            SCIM_CLI_HEADERS: `Authorization: Bearer ${token}`,
          },
        });
        // Otherwise it waits for a resource on its standard input.
        running.child.stdin?.end();
        const { stdout } = await running;
        return stdout.trim() === "" ? undefined : JSON.parse(stdout);
      };
      const externalId = randomUUID();
      const userName = `u.${externalId}`;
      const user = ["--external-id", externalId, "--user-name", userName];
      const created = await scim("create", "user", ...user, "--display-name", "Ada");
      expect(created).toMatchObject({ userName, externalId, displayName: "Ada", active: true });
      const { id } = created;
      expect(await scim("query", "user", id)).toEqual(created);
      const found = await scim("query", "user", "--filter", `userName eq "${userName}"`);
      expect(found).toMatchObject({ totalResults: 1, Resources: [{ id }] });

      expect(await scim("modify", "user", id, "replace", "displayName", "Ada King")).toMatchObject({
        displayName: "Ada King",
      });
      expect(await scim("modify", "user", id, "replace", "active", "false")).toMatchObject({ active: false });
      expect(await scim("replace", "user", "--id", id, ...user, "--display-name", "Countess")).toMatchObject({
        id,
        displayName: "Countess",
        active: true,
      });

      const members = JSON.stringify([{ value: id }]);
      const group = await scim("create", "group", "--display-name", "Engineering", "--members", members);
      expect(group).toMatchObject({ displayName: "Engineering", members: [{ value: id }] });
      expect(await scim("query", "group", group.id)).toEqual(group);
      await scim("delete", "group", group.id);
      await scim("delete", "user", id);
      await expect(scim("query", "user", id)).rejects.toThrow(/no such resource/i);
    },
  );
});
