import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { creationOrder } from "../infra/creation-order.ts";

interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly DeletionPolicy?: string;
}

interface Template {
  readonly Resources: Readonly<Record<string, Resource>>;
}

interface Stack {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  status: string;
  isProtected: boolean;
  templateText: string;
  /** Logical ids of its resources. */
  resources: Set<string>;
  readonly events: object[];
  changeSet?: {
    readonly id: string;
    readonly name: string;
    readonly templateText: string;
    isCreation: boolean;
  };
}

interface Answer {
  readonly status?: number;
  readonly type?: string;
  readonly text: string;
}

/** A refusal in the format of the query protocol. */
class Refusal extends Error {
  readonly code: string;

  constructor(message: string, code = "ValidationError") {
    super(message);
    this.code = code;
  }
}

const noChangeSet = () => new Refusal("ChangeSet does not exist", "ChangeSetNotFound");

/**
 * CloudFormation as far as the CDK uses it to create and update stacks, with the other services that the CDK needs. It
 * creates resources in the order of their references, and none whose name is taken. A stack whose creation fails is
 * rolled back, and can then only be deleted. It does not delete what is protected.
 */
export class CloudFormationService {
  readonly #server = createServer(async (request, response) => {
    const answer = await this.#answer(request).catch((error: unknown): Answer => {
      if (error instanceof Refusal) return { status: 400, text: errorText(error) };
      throw error;
    });
    const { status = 200, type = "text/xml", text } = answer;
    response.writeHead(status, { "content-type": type }).end(text);
  });
  readonly #stacks: Stack[] = [];
  readonly #files = new Map<string, string>();
  /** Names that resources have been given, or have left behind. */
  readonly #names = new Set<string>();
  #created = 0;
  #number = 0;
  /** Number of the resource whose creation fails, counted over all stacks. */
  failsAt = Number.POSITIVE_INFINITY;

  async start(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** The existing stacks by name. */
  describe(): Record<
    string,
    { status: string; isProtected: boolean; resources: number; protectedTables: number }
  > {
    return Object.fromEntries(
      this.#alive().map((stack) => [
        stack.name,
        {
          status: stack.status,
          isProtected: stack.isProtected,
          resources: stack.resources.size,
          protectedTables: Object.values(resourcesOf(stack.templateText)).filter(isProtectedTable).length,
        },
      ]),
    );
  }

  async #answer(request: IncomingMessage): Promise<Answer> {
    const body = (await buffer(request)).toString();
    const target = request.headers["x-amz-target"];
    if (target === "AmazonSSM.GetParameter")
      return {
        type: "application/x-amz-json-1.1",
        text: JSON.stringify({ Parameter: { Name: "version", Type: "String", Value: "30" } }),
      };
    const call = new URLSearchParams(body);
    const action = call.get("Action");
    if (request.method !== "POST" || action === null) return this.#storeFile(request, body);
    const result = this.#results[action]?.(Object.fromEntries(call));
    if (result === undefined) throw new Refusal(`There is no action ${action}`);
    return { text: `<${action}Response>${toXml({ [`${action}Result`]: result })}</${action}Response>` };
  }

  /** S3, for templates. */
  #storeFile({ method, url = "/" }: IncomingMessage, body: string) {
    const { pathname, searchParams } = new URL(url, "http://s3");
    if (method === "PUT") this.#files.set(pathname.split("/").at(-1) ?? "", body);
    if (searchParams.has("location"))
      return { text: "<LocationConstraint>eu-central-1</LocationConstraint>" };
    if (searchParams.has("encryption"))
      return {
        text: toXml({
          ServerSideEncryptionConfiguration: {
            Rule: { ApplyServerSideEncryptionByDefault: { SSEAlgorithm: "AES256" } },
          },
        }),
      };
    return { text: "<ListBucketResult></ListBucketResult>" };
  }

  readonly #results: Readonly<Record<string, (call: Record<string, string>) => object>> = {
    GetCallerIdentity: () => ({
      Account: account,
      Arn: `arn:aws:iam::${account}:user/operator`,
      UserId: "operator",
    }),
    AssumeRole: () => ({
      Credentials: {
        AccessKeyId: "test",
        SecretAccessKey: "test",
        SessionToken: "test",
        Expiration: new Date(Date.now() + 3_600_000).toISOString(),
      },
      AssumedRoleUser: { Arn: "arn", AssumedRoleId: "id" },
    }),
    DescribeStacks: ({ StackName = "" }) => ({ Stacks: [describeStack(this.#find(StackName))] }),
    DescribeStackEvents: ({ StackName = "" }) => ({ StackEvents: this.#find(StackName).events.toReversed() }),
    DescribeStackResources: () => ({ StackResources: [] }),
    ListStackResources: () => ({ StackResourceSummaries: [] }),
    GetTemplate: ({ StackName = "" }) => ({ TemplateBody: this.#find(StackName).templateText }),
    GetTemplateSummary: () => ({ Parameters: [] }),
    CreateChangeSet: (call) => this.#createChangeSet(call),
    DescribeChangeSet: ({ StackName = "" }) => {
      const { changeSet, id, name } = this.#find(StackName);
      if (changeSet === undefined) throw noChangeSet();
      return {
        ChangeSetId: changeSet.id,
        ChangeSetName: changeSet.name,
        StackId: id,
        StackName: name,
        Status: "CREATE_COMPLETE",
        ExecutionStatus: "AVAILABLE",
        Changes: [{ Type: "Resource", ResourceChange: { Action: "Modify", LogicalResourceId: "Any" } }],
      };
    },
    DeleteChangeSet: () => ({}),
    ExecuteChangeSet: ({ StackName = "" }) => this.#execute(this.#find(StackName)),
    UpdateTerminationProtection: ({ StackName = "", EnableTerminationProtection }) => {
      const stack = this.#find(StackName);
      stack.isProtected = EnableTerminationProtection === "true";
      return { StackId: stack.id };
    },
    DeleteStack: ({ StackName = "" }) => this.#delete(this.#find(StackName)),
  };

  #alive(): Stack[] {
    return this.#stacks.filter(({ status }) => status !== "DELETE_COMPLETE");
  }

  /** Finds existing stacks by name, and also deleted ones by id. */
  #find(nameOrId: string): Stack {
    const found =
      this.#alive().find(({ name }) => name === nameOrId) ?? this.#stacks.find(({ id }) => id === nameOrId);
    if (found === undefined) throw new Refusal(`Stack with id ${nameOrId} does not exist`);
    return found;
  }

  #createChangeSet({
    StackName: name = "",
    ChangeSetName = "",
    ChangeSetType,
    TemplateURL,
    TemplateBody,
  }: Record<string, string>) {
    const templateText = TemplateBody ?? this.#files.get(TemplateURL?.split("/").at(-1) ?? "");
    if (templateText === undefined) throw new Refusal(`There is no template at ${TemplateURL}`);
    const isCreation = ChangeSetType === "CREATE";
    const found = this.#alive().find((stack) => stack.name === name);
    if (isCreation && found !== undefined && found.status !== "REVIEW_IN_PROGRESS")
      throw new Refusal(
        `Stack [${name}] already exists and cannot be created again with the changeSet [${ChangeSetName}].`,
      );
    if (!isCreation && (found === undefined || /^ROLLBACK_/.test(found.status)))
      throw new Refusal(`Stack:${name} is in ${found?.status} state and can not be updated.`);
    const stack = found ?? {
      id: `arn:aws:cloudformation:eu-central-1:${account}:stack/${name}/${++this.#number}`,
      name,
      createdAt: new Date().toISOString(),
      status: "REVIEW_IN_PROGRESS",
      isProtected: false,
      templateText: "{}",
      resources: new Set<string>(),
      events: [],
    };
    if (found === undefined) this.#stacks.push(stack);
    const id = `arn:aws:cloudformation:eu-central-1:${account}:changeSet/${ChangeSetName}/${++this.#number}`;
    stack.changeSet = { id, name: ChangeSetName, templateText, isCreation };
    return { Id: id, StackId: stack.id };
  }

  #execute(stack: Stack): object {
    const { changeSet } = stack;
    if (changeSet === undefined) throw noChangeSet();
    const verb = changeSet.isCreation ? "CREATE" : "UPDATE";
    stack.templateText = changeSet.templateText;
    delete stack.changeSet;
    const resources = resourcesOf(stack.templateText);
    for (const id of creationOrder({ Resources: resources }).keys()) {
      if (stack.resources.has(id)) continue;
      const failure = this.#create(resources[id] as Resource);
      note(stack, id, resources[id]?.Type, failure ? "CREATE_FAILED" : "CREATE_COMPLETE", failure);
      if (failure === undefined) {
        stack.resources.add(id);
        continue;
      }
      if (!changeSet.isCreation) throw new Error("Only creations fail here");
      this.#rollBack(stack, resources);
      return {};
    }
    stack.status = `${verb}_COMPLETE`;
    note(stack, stack.name, "AWS::CloudFormation::Stack", stack.status);
    return {};
  }

  /** @returns why it cannot be created */
  #create(resource: Resource): string | undefined {
    this.#created++;
    if (this.#created === this.failsAt) return "Rate exceeded";
    const name = nameOf(resource);
    if (name === undefined) return undefined;
    if (this.#names.has(name)) return `${name} already exists`;
    this.#names.add(name);
    return undefined;
  }

  #rollBack(stack: Stack, resources: Template["Resources"]): void {
    const kept = [...stack.resources].filter((id) => {
      const resource = resources[id] as Resource;
      if (resource.DeletionPolicy === "Retain") return false;
      if (isProtectedTable(resource)) return true;
      this.#names.delete(nameOf(resource) ?? "");
      return false;
    });
    stack.resources = new Set(kept);
    stack.status = kept.length > 0 ? "ROLLBACK_FAILED" : "ROLLBACK_COMPLETE";
    note(stack, stack.name, "AWS::CloudFormation::Stack", stack.status);
  }

  #delete(stack: Stack): object {
    if (stack.isProtected)
      throw new Refusal(`Stack [${stack.name}] cannot be deleted while TerminationProtection is enabled`);
    stack.status = stack.resources.size > 0 ? "DELETE_FAILED" : "DELETE_COMPLETE";
    note(stack, stack.name, "AWS::CloudFormation::Stack", stack.status);
    return {};
  }
}

/** Account of the stubbed credentials. */
const account = "123456789012";

const resourcesOf = (templateText: string): Template["Resources"] => JSON.parse(templateText).Resources ?? {};

const isProtectedTable = ({ Type, Properties }: Resource): boolean =>
  Type === "AWS::DynamoDB::Table" && Properties?.DeletionProtectionEnabled === true;

/** The name that a template gives a resource, if it does: another of the same type cannot have it. */
function nameOf({ Type, Properties = {} }: Resource): string | undefined {
  const [, value] =
    Object.entries(Properties).find(
      ([key, one]) =>
        /^(Table|Queue|LogGroup|Bucket|Function|Role)?Name$/.test(key) && typeof one === "string",
    ) ?? [];
  return value === undefined ? undefined : `${Type} ${value}`;
}

function note(stack: Stack, id: string, type: string | undefined, status: string, reason?: string): void {
  stack.events.push({
    StackId: stack.id,
    StackName: stack.name,
    EventId: `${stack.events.length}`,
    LogicalResourceId: id,
    PhysicalResourceId: type === "AWS::CloudFormation::Stack" ? stack.id : id,
    ResourceType: type,
    ResourceStatus: status,
    Timestamp: new Date().toISOString(),
    ...(reason !== undefined && { ResourceStatusReason: reason }),
  });
}

const describeStack = ({ id, name, status, isProtected, createdAt }: Stack) => ({
  StackId: id,
  StackName: name,
  StackStatus: status,
  CreationTime: createdAt,
  EnableTerminationProtection: isProtected,
});

function toXml(value: unknown): string {
  if (Array.isArray(value)) return value.map((one) => `<member>${toXml(one)}</member>`).join("");
  if (typeof value === "object" && value !== null)
    return Object.entries(value)
      .map(([key, one]) => `<${key}>${toXml(one)}</${key}>`)
      .join("");
  return String(value).replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

const errorText = ({ code, message }: Refusal) =>
  `<ErrorResponse>${toXml({ Error: { Type: "Sender", Code: code, Message: message } })}</ErrorResponse>`;
