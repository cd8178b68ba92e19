import { buffer } from "node:stream/consumers";
import { type LocalServer, listenToPrograms } from "../gateway/http-server.ts";
import type { SecretStore } from "./secret-store.ts";
import { callSecretsManager } from "./secrets-manager.ts";
import type { ServiceReply } from "./service-reply.ts";
import { sendEmail } from "./ses.ts";
import { callSns, type SnsState } from "./sns.ts";

/** Serve SES v2, SNS and Secrets Manager at one address; their requests cannot be confused. */
export function startServiceEndpoint(state: SnsState, secrets: SecretStore): Promise<LocalServer> {
  return listenToPrograms(async (request, response) => {
    try {
      const { status, type, headers, body } = answer(
        {
          operation: `${request.method} ${request.url}`,
          target: request.headers["x-amz-target"]?.toString(),
          type: request.headers["content-type"] ?? "",
          body: await buffer(request),
        },
        state,
        secrets,
      );
      response.writeHead(status, { ...headers, "content-type": type }).end(body);
    } catch (error) {
      console.error(error);
      response.writeHead(500).end();
    }
  });
}

interface ServiceRequest {
  readonly operation: string;
  readonly target: string | undefined;
  readonly type: string;
  readonly body: Buffer;
}

function answer(request: ServiceRequest, state: SnsState, secrets: SecretStore): ServiceReply {
  const { operation, target, type, body } = request;
  if (target?.startsWith("secretsmanager.")) return callSecretsManager(target, body, secrets);
  if (operation === "POST /v2/email/outbound-emails") return sendEmail(body, state.messages);
  if (type.startsWith("application/x-www-form-urlencoded")) return callSns(body, state);
  return {
    status: 404,
    type: "application/json",
    headers: { "x-amzn-errortype": "UnknownOperationException" },
    body: JSON.stringify({ message: `${operation} is not served here` }),
  };
}
