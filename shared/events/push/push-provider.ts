import {
  CreatePlatformEndpointCommand,
  DeleteEndpointCommand,
  EndpointDisabledException,
  GetEndpointAttributesCommand,
  InvalidParameterException,
  NotFoundException,
  PublishCommand,
  type PublishCommandInput,
  SetEndpointAttributesCommand,
  SNSClient,
} from "@aws-sdk/client-sns";
import { awsClientOptions } from "#shared/platform/aws-client-options.ts";
import type { NativePush } from "./native-push.ts";

/** SNS has no such platform application. */
export class UnknownApplicationError extends Error {
  override readonly name = "UnknownApplicationError";
}

/** The push provider rejects the token. */
export class PushTokenRejectedError extends Error {
  override readonly name = "PushTokenRejectedError";
}

/** SNS does not answer, or is busy. */
export class ProviderBusyError extends Error {
  override readonly name = "ProviderBusyError";
}

/** The push providers behind SNS: an endpoint of SNS stands for a push token. */
export class PushProvider {
  readonly #sns = new SNSClient(awsClientOptions());

  /**
   * Create the endpoint of a token, or find it.
   * @returns its ARN
   * @throws UnknownApplicationError, PushTokenRejectedError, ProviderBusyError
   */
  async createEndpoint(applicationArn: string, token: string): Promise<string> {
    const create = new CreatePlatformEndpointCommand({
      PlatformApplicationArn: applicationArn,
      Token: token,
    });
    try {
      return (await this.#sns.send(create)).EndpointArn ?? "";
    } catch (cause) {
      if (cause instanceof NotFoundException) throw new UnknownApplicationError(applicationArn, { cause });
      if (cause instanceof InvalidParameterException) {
        const existing = existingEndpoint.exec(cause.message)?.[1];
        if (existing !== undefined) return existing;
        throw new PushTokenRejectedError(cause.message, { cause });
      }
      throw asBusy(cause);
    }
  }

  /**
   * Give an endpoint its token, and enable it.
   * @returns false when it no longer exists
   * @throws PushTokenRejectedError, ProviderBusyError
   */
  async enableEndpoint(endpointArn: string, token: string): Promise<boolean> {
    const enable = new SetEndpointAttributesCommand({
      EndpointArn: endpointArn,
      Attributes: { Token: token, Enabled: "true" },
    });
    try {
      await this.#sns.send(enable);
      return true;
    } catch (cause) {
      if (cause instanceof NotFoundException) return false;
      if (cause instanceof InvalidParameterException)
        throw new PushTokenRejectedError(cause.message, { cause });
      throw asBusy(cause);
    }
  }

  /** The token of an endpoint; undefined when the endpoint is disabled or gone. */
  async usableToken(endpointArn: string): Promise<string | undefined> {
    const get = new GetEndpointAttributesCommand({ EndpointArn: endpointArn });
    try {
      const { Attributes = {} } = await this.#sns.send(get);
      return Attributes.Enabled === "true" ? Attributes.Token : undefined;
    } catch (error) {
      if (error instanceof NotFoundException) return undefined;
      throw error;
    }
  }

  /** Delete an endpoint, if it still exists. */
  async deleteEndpoint(endpointArn: string): Promise<void> {
    await this.#sns.send(new DeleteEndpointCommand({ EndpointArn: endpointArn }));
  }

  /** Wake a device. @returns false when the endpoint is useless, because it was deleted or disabled */
  async push(push: NativePush): Promise<boolean> {
    try {
      await this.#sns.send(new PublishCommand({ TargetArn: push.endpointArn, ...payloadFor(push) }));
      return true;
    } catch (error) {
      if (isFinal(error)) return false;
      throw error;
    }
  }
}

/** The message of SNS about an endpoint with the same token, but other attributes than in the call. */
const existingEndpoint = /Endpoint (arn:\S+) already exists/;

/** Any other wrong parameter would be wrong in every push, and must not remove tokens. */
const isFinal = (error: unknown) =>
  error instanceof EndpointDisabledException ||
  error instanceof NotFoundException ||
  (error instanceof InvalidParameterException && error.message.includes("TargetArn"));

const throttlings = new Set(["ThrottledException", "Throttled", "Throttling", "ThrottlingException"]);

/** An outage becomes `ProviderBusyError`; a refusal, for instance for lack of a permission, is passed on. */
function asBusy(error: unknown): unknown {
  const { name, $fault, $metadata } = error as Error & {
    $fault?: string;
    $metadata?: { httpStatusCode?: number };
  };
  const isUnanswered = $metadata?.httpStatusCode === undefined;
  const isBusy = isUnanswered || $fault === "server" || throttlings.has(name);
  return isBusy ? new ProviderBusyError(name, { cause: error }) : error;
}

/**
 * Payload of a push: only that there is something to fetch, so that neither providers nor anybody looking at a locked
 * screen learns more.
 */
function payloadFor({
  transport,
  userId,
  notificationId,
  priority,
}: NativePush): Pick<PublishCommandInput, "Message" | "MessageStructure" | "MessageAttributes"> {
  const notice = { type: "notice", data: { id: notificationId }, user: userId };
  const content =
    transport === "GCM"
      ? { data: notice, priority: priority === "low" ? "normal" : "high" }
      : { aps: { alert: { title: "New message" }, "mutable-content": "1" }, data: notice };
  return {
    MessageStructure: "json",
    // SNS demands a default, for transports that the message does not mention.
    Message: JSON.stringify({ default: "", [transport]: JSON.stringify(content) }),
    ...(transport !== "GCM" && {
      MessageAttributes: {
        "AWS.SNS.MOBILE.APNS.PUSH_TYPE": { DataType: "String", StringValue: "alert" },
        "AWS.SNS.MOBILE.APNS.PRIORITY": { DataType: "String", StringValue: priority === "low" ? "5" : "10" },
      },
    }),
  };
}
