import { apiOperations } from "./api-documents.ts";
import { defineCommand } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { deployedApi } from "./connect.ts";
import { policyOf } from "./roles/policy.ts";
import { roles } from "./roles/roles.ts";

export const policy = defineCommand({
  name: "policy",
  summary: "Print an IAM policy for those who work as a role with the internal API of a stage",
  examples: ["policy help-desk --stage prod > help-desk.json", "policy auditor --stage prod"],
  effect: "reads",
  arguments: { role: { kind: "choice", choices: roles, description: "what they may do" } },
  async *run({ stage }, { role }) {
    if (stage === undefined) throw new CommandError("A policy is for a stage: add --stage NAME");
    yield JSON.stringify(policyOf(role, apiOperations(), await deployedApi(stage)), undefined, 2);
  },
});
