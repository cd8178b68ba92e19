import { randomUUID } from "node:crypto";
import { type Credentials, signedFetch } from "#lib/signed-fetch.ts";
import { chunks } from "#shared/platform/chunks.ts";
import { apiOperations } from "../admin/api-documents.ts";
import { commands } from "../admin/commands.ts";
import { type Endpoint, InternalApi } from "../admin/internal-api.ts";
import type { Operation } from "../admin/operations.ts";
import { operationsOf, policyOf } from "../admin/roles/policy.ts";
import { type Role, roles } from "../admin/roles/roles.ts";
import type { Deployment } from "./deployment.ts";
import { call, expectStatus } from "./walk-steps.ts";

/** Commands about a user, in the order in which each role runs them, and the roles that may. */
const work: Readonly<Record<string, readonly Role[]>> = {
  "user find": roles,
  "user show": roles,
  "user suspend": ["help-desk", "administrator"],
  "user resume": ["help-desk", "administrator"],
  "user log-out": ["help-desk", "administrator"],
  "user reset-second-factor": ["help-desk", "administrator"],
  "user devices list": roles,
  "user sessions list": roles,
  "user grants list": roles,
  "user limits show": roles,
  "user delete": ["administrator"],
};

const concurrentCalls = 20;
/** The first calls start as many processes, one for each function. */
const timeoutMilliseconds = concurrentCalls * 10_000;

/**
 * Check that the policy of each role of operators allows the operations of the role and no others of the internal API,
 * and that it suffices for the commands of the role.
 *
 * @throws Error with all differences
 */
export async function checkRoles(deployment: Deployment, stage: string): Promise<void> {
  const start = Date.now();
  const operations = apiOperations();
  const stackArn = `arn:aws:cloudformation:${deployment.region}:${deployment.account}:stack/parley-${stage}-api/id`;
  const api = { stackArn, apiId: deployment.output("internal-api/Api") };
  const called = [...operations.internal, ...operationsOf("auditor", operations.users)];
  const differences: string[] = [];
  for (const role of roles) {
    const credentials = await deployment.createRole(
      `parley-${stage}-${role}`,
      policyOf(role, operations, api),
    );
    const endpoint = endpointAs(credentials, deployment);
    const allowed = operationsOf(role, called);
    const differing = [
      ...(await differingCalls(called, allowed, endpoint)),
      ...(await differingCommands(role, endpoint, deployment)),
    ];
    differences.push(...differing.map((difference) => `The ${role} ${difference}`));
  }
  if (differences.length > 0) throw new Error(differences.join("\n"));
  console.log(
    `ok    ${roles.length} roles of operators may do exactly what their policies allow: ${roles.length * called.length} calls (${Date.now() - start} ms)`,
  );
}

const endpointAs = (credentials: Credentials, { internalUrl, region }: Deployment): Endpoint => ({
  url: internalUrl,
  send: (url, request) =>
    signedFetch(url, { ...request, service: "execute-api", region, credentials, timeoutMilliseconds }),
});

/**
 * The call has no parameters and no body: a permitted caller gets the answer of a function, mostly that something is
 * missing.
 */
async function differingCalls(
  operations: readonly Operation[],
  allowed: readonly Operation[],
  { url, send }: Endpoint,
): Promise<string[]> {
  const differences: string[] = [];
  for (const chunk of chunks(operations, concurrentCalls)) {
    const answers = chunk.map(async (operation) => {
      const { method, path, operationId } = operation;
      const target = new URL(url + path.replace(/\{\w+\}/g, () => randomUUID()));
      const response = await send(target, { method, headers: {}, body: undefined });
      const text = await response.text();
      // An error of a function has a label.
      const isRefused = response.status === 403 && !text.includes('"label"');
      if (isRefused === allowed.includes(operation))
        differences.push(`${isRefused ? "may not" : "may"} call ${operationId}`);
    });
    await Promise.all(answers);
  }
  return differences;
}

async function differingCommands(
  role: Role,
  endpoint: Endpoint,
  { publicUrl }: Deployment,
): Promise<string[]> {
  const json = { name: "Ada", email: `${role}-${Date.now()}@example.com`, password: "correct horse battery" };
  const { body } = expectStatus(await call(`${publicUrl}/register`, { json }), 201);
  const differences: string[] = [];
  for (const [name, allowed] of Object.entries(work)) {
    const api = new InternalApi({ endpoint: async () => endpoint, isDryRun: false });
    const context = {
      api,
      stage: undefined,
      url: undefined,
      isDryRun: false,
      commands,
      confirm: async () => {},
      note: () => {},
      fail: () => {},
    };
    const command = commands.find((one) => one.name === name);
    const refusal = await Promise.resolve(command?.run(context, { user: body.id })).then(
      () => undefined,
      String,
    );
    if ((refusal === undefined) !== allowed.includes(role))
      differences.push(`may ${refusal === undefined ? "" : "not "}do ${name}: ${refusal}`);
  }
  return differences;
}
