import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";

/** An error with the code that SNS would answer. */
export class EndpointRefusal extends Error {
  override readonly name = "EndpointRefusal";
  readonly code: "InvalidParameter" | "NotFound" | "EndpointDisabled";

  constructor(code: EndpointRefusal["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** Attributes of SNS: `Token`, `Enabled` (true or false), `CustomUserData`. */
type Attributes = Readonly<Record<string, string>>;

interface Endpoint {
  readonly arn: string;
  readonly applicationArn: string;
  readonly attributes: Attributes;
}

const applicationPattern = /^arn:[\w-]+:sns:[\w-]+:\d{12}:app\/(GCM|APNS|APNS_SANDBOX)\/[\w.-]+$/;
const appleToken = /^[0-9a-f]{1,400}$/i;

/**
 * Endpoints of mobile devices, as in SNS. Every platform application exists. With a file, endpoints survive a restart.
 */
export class PlatformEndpoints {
  readonly #file: string | undefined;
  readonly #endpoints: Map<string, Endpoint>;

  constructor(file?: string) {
    this.#file = file;
    const stored: Endpoint[] =
      file !== undefined && existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
    this.#endpoints = new Map(stored.map((endpoint) => [endpoint.arn, endpoint]));
  }

  /** @returns the ARN of a new endpoint, or of the existing one with the same token and attributes */
  create(applicationArn: string, token: string, attributes: Attributes): string {
    const [, transport] = applicationPattern.exec(applicationArn) ?? [];
    if (transport === undefined) {
      throw invalid("PlatformApplicationArn", "An ARN must have a known platform and name");
    }
    checkToken(transport, token);
    const existing = this.#withToken(applicationArn, token);
    if (existing !== undefined) {
      const { Enabled = existing.attributes.Enabled, CustomUserData = "" } = attributes;
      const isSame =
        Enabled === existing.attributes.Enabled &&
        CustomUserData === (existing.attributes.CustomUserData ?? "");
      if (isSame) return existing.arn;
      throw duplicate(existing);
    }
    const arn = `${applicationArn.replace(":app/", ":endpoint/")}/${randomUUID()}`;
    this.#save({ arn, applicationArn, attributes: { Enabled: "true", ...attributes, Token: token } });
    return arn;
  }

  get(arn: string): Endpoint {
    const endpoint = this.#endpoints.get(arn);
    if (endpoint === undefined) throw new EndpointRefusal("NotFound", "Endpoint does not exist");
    return endpoint;
  }

  setAttributes(arn: string, attributes: Attributes): void {
    const endpoint = this.get(arn);
    const { Token } = attributes;
    if (Token !== undefined) {
      const [, transport = ""] = applicationPattern.exec(endpoint.applicationArn) ?? [];
      checkToken(transport, Token);
      const existing = this.#withToken(endpoint.applicationArn, Token);
      if (existing !== undefined && existing.arn !== arn) throw duplicate(existing);
    }
    this.#save({ ...endpoint, attributes: { ...endpoint.attributes, ...attributes } });
  }

  /** Succeeds even if it is already gone. */
  delete(arn: string): void {
    this.#endpoints.delete(arn);
    this.#write();
  }

  /** The endpoint to which to publish. */
  target(arn: string): Endpoint {
    const endpoint = this.#endpoints.get(arn);
    if (endpoint === undefined) throw invalid("TargetArn", "No endpoint found for the target arn specified");
    if (endpoint.attributes.Enabled !== "true") {
      throw new EndpointRefusal("EndpointDisabled", "Endpoint is disabled");
    }
    return endpoint;
  }

  #withToken(applicationArn: string, token: string): Endpoint | undefined {
    return [...this.#endpoints.values()].find(
      (one) => one.applicationArn === applicationArn && one.attributes.Token === token,
    );
  }

  #save(endpoint: Endpoint): void {
    this.#endpoints.set(endpoint.arn, endpoint);
    this.#write();
  }

  #write(): void {
    if (this.#file === undefined) return;
    const draft = `${this.#file}.new`;
    writeFileSync(draft, JSON.stringify([...this.#endpoints.values()], null, 2), { mode: 0o600 });
    renameSync(draft, this.#file);
  }
}

function checkToken(transport: string, token: string): void {
  if (transport === "GCM" && token === "") throw invalid("Token", "cannot be empty");
  if (transport !== "GCM" && !appleToken.test(token)) {
    throw invalid("Token", "iOS device tokens must be no more than 400 hexadecimal characters");
  }
}

const invalid = (parameter: string, reason: string) =>
  new EndpointRefusal("InvalidParameter", `Invalid parameter: ${parameter} Reason: ${reason}`);

const duplicate = ({ arn }: Endpoint) =>
  invalid("Token", `Endpoint ${arn} already exists with the same Token, but different attributes.`);
