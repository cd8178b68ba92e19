import type { ApiOperations } from "../api-documents.ts";
import type { Operation } from "../operations.ts";
import { accessOf, operationsByAccess, type Role } from "./roles.ts";

/** A deployed internal API. */
export interface DeployedApi {
  /** ARN of the stack `api`. */
  readonly stackArn: string;
  readonly apiId: string;
}

export interface Statement {
  readonly Sid: string;
  readonly Effect: "Allow";
  readonly Action: string | readonly string[];
  readonly Resource: readonly string[];
}

/** An IAM policy of identities. */
export interface Policy {
  readonly Version: "2012-10-17";
  readonly Statement: readonly Statement[];
}

/** Pattern for an id in an ARN: an asterisk would also match further segments of the path. */
const uuidPattern = [8, 4, 4, 4, 12].map((length) => "?".repeat(length)).join("-");
/**
 * From this number of operations below one path, a single pattern covers all of them, because policies are limited to
 * 6,144 characters.
 */
const fewestToJoin = 2;

/** The operations of the internal API that a role may call. */
export function operationsOf(role: Role, operations: readonly Operation[]): readonly Operation[] {
  const ids = accessOf[role].flatMap((access) => operationsByAccess[access]);
  return operations.filter(({ operationId }) => ids.some((id) => isNamed(id, operationId)));
}

/** Whether an entry of `operationsByAccess` names an operation. */
export const isNamed = (entry: string, operationId: string): boolean =>
  entry.endsWith("*") ? operationId.startsWith(entry.slice(0, -1)) : entry === operationId;

/**
 * The policy of a role: the operations it may call, and what `--stage` needs to find the API. The administrator may
 * call every operation, including all those of users.
 */
export function policyOf(role: Role, operations: ApiOperations, api: DeployedApi): Policy {
  const patterns = role === "administrator" ? ["*"] : patternsOf(role, operations);
  return policyWith([
    ...callStatements(patterns, api),
    ...(operationsOf(role, operations.internal).some(isLiftOfSuppression) ? [liftSuppressions] : []),
  ]);
}

/**
 * The statements that a caller of the internal API needs.
 * @param patterns of methods and paths, by {@link patternOf}
 */
export function callStatements(
  patterns: readonly string[],
  { stackArn, apiId }: DeployedApi,
): readonly Statement[] {
  const [, partition, , region, account] = stackArn.split(":");
  const prefix = `arn:${partition}:execute-api:${region}:${account}:${apiId}/$default/`;
  return [
    {
      Sid: "CallInternalApi",
      Effect: "Allow",
      Action: "execute-api:Invoke",
      Resource: patterns.map((pattern) => prefix + pattern),
    },
    {
      Sid: "FindInternalApi",
      Effect: "Allow",
      Action: "cloudformation:DescribeStacks",
      Resource: [stackArn.replace(/[^/]*$/, "*")],
    },
  ];
}

export const policyWith = (statements: readonly Statement[]): Policy => ({
  Version: "2012-10-17",
  Statement: statements,
});

const isLiftOfSuppression = ({ operationId }: Operation) => operationId === "i-delete-mail-suppression";

/** Lifting the suppression of an address also removes it from the list of SES, whose entries have no ARNs. */
const liftSuppressions: Statement = {
  Sid: "LiftSuppressionsOfSes",
  Effect: "Allow",
  Action: "ses:DeleteSuppressedDestination",
  Resource: ["*"],
};

function patternsOf(role: Role, { internal, users }: ApiOperations): string[] {
  const allowed = operationsOf(role, internal);
  const patterns = allowed.map((operation) => {
    const parent = operation.path.replace(/\/[^/]*$/, "/");
    const isBelow = ({ method, path }: Operation) => method === operation.method && path.startsWith(parent);
    const siblings = allowed.filter(isBelow);
    const isJoined = siblings.length >= fewestToJoin && siblings.length === internal.filter(isBelow).length;
    return isJoined ? `${patternOf({ ...operation, path: parent })}*` : patternOf(operation);
  });
  const ofUsers = operationsOf(role, users).flatMap((operation) => [
    patternOf(operation),
    patternOf({ ...operation, path: `/v?${operation.path}` }),
  ]);
  return [...new Set([...patterns, ...ofUsers])].toSorted();
}

/** The end of an operation's ARN, for all values of its parameters. */
export const patternOf = ({ method, path, parameters }: Operation) =>
  method +
  path.replace(/\{(\w+)\}/g, (_, name) =>
    parameters.find((parameter) => parameter.name === name)?.schema.format === "uuid" ? uuidPattern : "*",
  );
