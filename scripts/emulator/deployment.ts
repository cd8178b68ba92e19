import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import type { Audience } from "#lib/gateway-routes.ts";
import { SetupError } from "#lib/local/setup-error.ts";
import { emulatedApiUrl } from "#lib/releases/reachable-url.ts";
import { type Credentials, signedFetch } from "#lib/signed-fetch.ts";
import { socketStage } from "#lib/socket-paths.ts";
import { inboxPath } from "./emulators.ts";
import { deployedNames, outputId } from "./rewrites.ts";
import type { Emulator } from "./start-emulator.ts";

/** Outputs of all stacks, as the CDK writes them into a file. */
export type StackOutputs = Readonly<Record<string, Readonly<Record<string, string>>>>;

interface Mail {
  readonly to: readonly string[];
  readonly text: string;
}

/** Sent mails, by the account that sent them. */
interface Inbox {
  readonly messages: Readonly<Record<string, readonly { To: string[]; BodyText: string }[]>>;
}

/** A deployment to an emulator. All APIs are reached by their paths, because their host names need DNS. */
export class Deployment {
  readonly region: string;
  /** Address of the public API for clients: API Gateway, or the entrance in front of it. */
  publicUrl: string;
  readonly internalUrl: string;
  socketUrl: string;
  /** Address of the `@connections` API. */
  readonly connectionsUrl: string;
  readonly #endpoint: string;
  readonly #credentials: Credentials;
  readonly #outputs: Readonly<Record<string, string>>;

  constructor({ endpoint, region }: Emulator, credentials: Credentials, outputs: StackOutputs) {
    this.region = region;
    this.#endpoint = endpoint;
    this.#credentials = credentials;
    this.#outputs = Object.assign({}, ...Object.values(outputs).map(deployedNames));
    this.publicUrl = this.#urlOf("public");
    this.internalUrl = this.#urlOf("internal");
    const sockets = this.output("socket-api/Api");
    this.connectionsUrl = emulatedApiUrl(endpoint, sockets, socketStage);
    this.socketUrl = this.connectionsUrl.replace(/^http/, "ws");
  }

  /**
   * ARN, name or id of the resource of a construct, by its path in its stack.
   * @throws Error when it is not among the outputs of the stacks
   */
  output(path: string): string {
    const value = this.#outputs[outputId(path)];
    if (value === undefined) throw new Error(`The stacks have no output for ${path}`);
    return value;
  }

  /** The number of the account. */
  get account(): string {
    return this.output("websocket-function/Role").split(":")[4] ?? "";
  }

  /** Call the internal API with a signature: POST with a body, GET without. */
  signedFetch(path: string, json?: unknown): Promise<Response> {
    return this.#send("execute-api", new URL(`${this.internalUrl}${path}`), json);
  }

  /** Run a function, and wait for its end. @throws Error when it fails */
  async invoke(functionName: string, event: unknown): Promise<void> {
    const arn = encodeURIComponent(this.output(`${functionName}-function/Function`));
    const url = new URL(`${this.#endpoint}/2015-03-31/functions/${arn}/invocations`);
    const response = await this.#send("lambda", url, event);
    if (response.ok && !response.headers.has("x-amz-function-error")) return;
    throw new Error(`${functionName} failed: ${response.status} ${await response.text()}`);
  }

  /** Environment variables of a function, as CloudFormation has set them. @throws Error when refused */
  async variablesOf(functionName: string): Promise<Readonly<Record<string, string>>> {
    const arn = encodeURIComponent(this.output(`${functionName}-function/Function`));
    const url = new URL(`${this.#endpoint}/2015-03-31/functions/${arn}/configuration`);
    const response = await this.#send("lambda", url);
    if (!response.ok) throw new Error(`The configuration of ${functionName} was refused: ${response.status}`);
    const { Environment } = (await response.json()) as { Environment: { Variables: Record<string, string> } };
    return Environment.Variables;
  }

  /** Text of a secret. */
  async readSecret(secretId: string): Promise<string> {
    const client = new SecretsManagerClient({
      endpoint: this.#endpoint,
      region: this.region,
      credentials: this.#credentials,
    });
    const { SecretString = "" } = await client.send(new GetSecretValueCommand({ SecretId: secretId }));
    client.destroy();
    return SecretString;
  }

  /**
   * Create the integration response that a rewrite has removed from the template, by its path.
   * @throws Error when refused
   */
  async createIntegrationResponse(path: string): Promise<void> {
    const [resource = "", json = ""] = this.output(path).split(/ (.*)/s);
    const url = new URL(`${this.#endpoint}${resource}`);
    const response = await this.#send("apigateway", url, JSON.parse(json));
    if (!response.ok)
      throw new Error(`${path} was refused with ${response.status}: ${await response.text()}`);
  }

  /** Credentials of a role, by the path of its construct. */
  assumeRole(path: string): Promise<Credentials> {
    return this.#assume(this.output(path));
  }

  /**
   * Credentials of a role with only this policy; an existing role of that name is changed.
   * @throws Error when refused
   */
  async createRole(name: string, policy: object): Promise<Credentials> {
    const trust = {
      Version: "2012-10-17",
      Statement: [{ Effect: "Allow", Action: "sts:AssumeRole", Principal: { AWS: this.account } }],
    };
    const create = { Action: "CreateRole", AssumeRolePolicyDocument: JSON.stringify(trust) };
    const put = { Action: "PutRolePolicy", PolicyName: "role", PolicyDocument: JSON.stringify(policy) };
    for (const parameters of [create, put]) {
      const response = await this.#query("iam", { Version: "2010-05-08", RoleName: name, ...parameters });
      const text = await response.text();
      if (!response.ok && !text.includes("EntityAlreadyExists"))
        throw new Error(`${parameters.Action} of ${name} was refused: ${text}`);
    }
    return this.#assume(`arn:aws:iam::${this.account}:role/${name}`);
  }

  /**
   * All mails sent so far.
   * @throws SetupError when the emulator does not show them
   */
  async mails(): Promise<Mail[]> {
    const response = await fetch(`${this.#endpoint}${inboxPath}`);
    if (!response.ok) throw new SetupError(`The emulator shows no mails at ${inboxPath}: ${response.status}`);
    const { messages } = (await response.json()) as Inbox;
    return Object.values(messages).flatMap((account) =>
      account.map(({ To, BodyText }) => ({ to: To, text: BodyText })),
    );
  }

  async #assume(RoleArn: string): Promise<Credentials> {
    const response = await this.#query("sts", {
      Action: "AssumeRole",
      Version: "2011-06-15",
      RoleArn,
      RoleSessionName: "check-of-access",
    });
    const text = await response.text();
    const field = (name: string) => new RegExp(`<${name}>([^<]+)<`).exec(text)?.[1] ?? "";
    if (!response.ok) throw new Error(`The role ${RoleArn} cannot be assumed: ${text}`);
    return {
      accessKeyId: field("AccessKeyId"),
      secretAccessKey: field("SecretAccessKey"),
      sessionToken: field("SessionToken"),
    };
  }

  #query(service: string, parameters: Readonly<Record<string, string>>): Promise<Response> {
    return signedFetch(new URL(this.#endpoint), {
      service,
      region: this.region,
      credentials: this.#credentials,
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(parameters).toString(),
    });
  }

  #urlOf(audience: Audience): string {
    return emulatedApiUrl(this.#endpoint, this.output(`${audience}-api/Api`), "$default");
  }

  #send(service: string, url: URL, json?: unknown): Promise<Response> {
    return signedFetch(url, {
      service,
      region: this.region,
      credentials: this.#credentials,
      ...(json !== undefined && {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(json),
      }),
    });
  }
}
