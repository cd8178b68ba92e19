import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
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
const hasTester = spawnSync(python, ["-c", "import scim2_tester, httpx2"]).status === 0;

const userPatch = /^User check_(add|replace|remove)_attribute: .*'(emails|preferredLanguage)'/;
/** Findings that are as intended, by what the tool says. */
const explanations: readonly [finding: RegExp, reason: string][] = [
  [
    /^User object_(query_without_id|list_with_attributes): /,
    "users are found only with a filter: 400 tooMany",
  ],
  [/^(User|Group) search_with_attributes: /, "there is no search by POST"],
  [/^Group check_(add|replace|remove)_attribute: /, "only users can be patched, but `patch` covers both"],
  [userPatch, "PUT changes them: a PATCH of them is refused, or ignored if it removes them"],
  [/^User check_remove_attribute: .*'(displayName|active|roles)'/, "without a value, they have a default"],
];

const needs = "a Python with scim2-tester (see scripts/scim-conformance.py)";

describe.skipIf(!hasTester)("a conformance tool", { meta: { needs } }, () => {
  it("finds only intended deviations", { timeout: 300_000 }, async () => {
    const data = provisioningData();
    const team = await newTeam();
    // Users with an identity provider may have any external id.
    const { id: idpId } = await data.newProvider(team.id, { certificates: ["MIIB"] });
    const token = await data.newToken(team.id, { idpId });
    const { stdout } = await promisify(execFile)(
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
