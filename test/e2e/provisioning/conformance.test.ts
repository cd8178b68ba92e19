import { execFile, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { newDirectory } from "../../support/directory.ts";
import { provisioningData } from "../../support/provisioning.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { newTeam } from "../../support/teams.ts";

interface Finding {
  readonly status: string;
  readonly check: string;
  readonly resource: string | null;
  readonly reason: string | null;
}

const python = process.env.SCIM_TESTER_PYTHON ?? "python3";
const has = (modules: string) => spawnSync(python, ["-c", `import ${modules}`]).status === 0;
const hasTester = has("scim2_tester, httpx2");
const hasCommand = has("scim2_cli");

const userPatch = /^User check_(add|replace|remove)_attribute: .*'(emails|preferredLanguage)'/;
/** Findings that are as intended, by what the tool says. */
const explanations: readonly [finding: RegExp, reason: string][] = [
  [
    /^User object_(query_without_id|list_with_attributes): /,
    "users are found only with a filter: 400 tooMany",
  ],
  [/^(User|Group) search_with_attributes: /, "there is no search by POST"],
  [/^Group check_(add|replace|remove)_attribute: /, "only users can be patched, but `patch` covers both"],
  [/^User check_\w+_attribute: .*'urn:[\w:.]+:User'/, "a PATCH changes rich info field by field"],
  [userPatch, "PUT changes them: a PATCH of them is refused, or ignored if it removes them"],
  [/^User check_remove_attribute: .*'(displayName|active|roles)'/, "without a value, they have a default"],
];

const needs = "a Python with scim2-tester, named by SCIM_TESTER_PYTHON (see scripts/scim-conformance.py)";
const run = promisify(execFile);

describe.skipIf(!hasTester)("a conformance tool", { meta: { needs } }, () => {
  it("finds only intended deviations", { timeout: 300_000 }, async () => {
    const data = provisioningData();
    const team = await newTeam();
    // Users with an identity provider may have any external id.
    const { id: idpId } = await data.newProvider(team.id, { certificates: ["MIIB"] });
    const token = await data.newToken(team.id, { idpId });
    const { stdout } = await run(
      python,
      ["scripts/scim-conformance.py", `${sharedStack().publicUrl}/scim/v2`, token],
      { maxBuffer: 16 * 1024 * 1024 },
    );
    const findings: Finding[] = JSON.parse(stdout);
    expect(findings.filter(({ status }) => status === "SUCCESS").length).toBeGreaterThan(40);

    const problems = findings
      .filter(({ status }) => !["SUCCESS", "COMPLIANT", "ACCEPTABLE", "SKIPPED"].includes(status))
      .map(({ resource, check, reason }) => `${resource} ${check}: ${reason}`);
    const unexplained = problems.filter(
      (problem) => !explanations.some(([finding]) => finding.test(problem)),
    );
    expect(unexplained).toEqual([]);
    const unneeded = explanations.filter(([finding]) => !problems.some((problem) => finding.test(problem)));
    expect(unneeded).toEqual([]);
  });
});

const needsCommand = "a Python with scim2-cli, named by SCIM_TESTER_PYTHON";

describe.skipIf(!hasCommand)(
  "a command-line client that trusts discovery",
  { meta: { needs: needsCommand } },
  () => {
    it("creates, reads, changes and deletes users and groups", { timeout: 300_000 }, async () => {
      const token = (await newDirectory({ hasProvider: true })).token;
      const scim = async (...command: string[]) => {
        const running = run(python, ["-c", "from scim2_cli import cli; cli()", ...command], {
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
    });
  },
);
