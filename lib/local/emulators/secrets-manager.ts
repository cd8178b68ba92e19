import * as z from "zod";
import { SecretRefusal, type SecretStore } from "./secret-store.ts";
import type { ServiceReply } from "./service-reply.ts";

const arnPrefix = "arn:aws:secretsmanager:local:000000000000:secret:";
/** Secrets Manager appends six random characters to each ARN. */
const arnSuffix = "-parley";

const arnOf = (name: string) => `${arnPrefix}${name}${arnSuffix}`;
const secretId = z
  .string()
  .transform((id) => (id.startsWith(arnPrefix) ? id.slice(arnPrefix.length, -arnSuffix.length) : id));

const named = z.object({ SecretId: secretId });

type Action = (input: unknown, secrets: SecretStore) => Record<string, unknown>;

const actions: Readonly<Record<string, Action>> = {
  CreateSecret(input, secrets) {
    const request = z
      .object({ Name: z.string(), SecretString: z.string(), ClientRequestToken: z.string().optional() })
      .parse(input);
    const VersionId = secrets.create(request.Name, request.SecretString, request.ClientRequestToken);
    return { ARN: arnOf(request.Name), Name: request.Name, VersionId };
  },

  GetSecretValue(input, secrets) {
    const request = named
      .extend({ VersionId: z.string().optional(), VersionStage: z.string().optional() })
      .parse(input);
    const found = secrets.get(request.SecretId, {
      versionId: request.VersionId,
      stage: request.VersionStage,
    });
    return {
      ARN: arnOf(found.name),
      Name: found.name,
      VersionId: found.versionId,
      SecretString: found.value,
      VersionStages: found.stages,
      CreatedDate: found.createdAt,
    };
  },

  PutSecretValue(input, secrets) {
    const request = named
      .extend({
        SecretString: z.string(),
        ClientRequestToken: z.string().optional(),
        VersionStages: z.array(z.string()).min(1).optional(),
      })
      .parse(input);
    const VersionId = secrets.put(request.SecretId, request.SecretString, {
      versionId: request.ClientRequestToken,
      stages: request.VersionStages,
    });
    const { stages } = secrets.get(request.SecretId, { versionId: VersionId });
    return { ARN: arnOf(request.SecretId), Name: request.SecretId, VersionId, VersionStages: stages };
  },

  DescribeSecret(input, secrets) {
    const { SecretId } = named.parse(input);
    const { name, versions } = secrets.describe(SecretId);
    return {
      ARN: arnOf(name),
      Name: name,
      RotationEnabled: true,
      VersionIdsToStages: Object.fromEntries(
        Object.entries(versions).map(([id, { stages }]) => [id, stages]),
      ),
    };
  },

  UpdateSecretVersionStage(input, secrets) {
    const request = named
      .extend({
        VersionStage: z.string(),
        MoveToVersionId: z.string().optional(),
        RemoveFromVersionId: z.string().optional(),
      })
      .parse(input);
    secrets.moveStage(request.SecretId, request.VersionStage, {
      to: request.MoveToVersionId,
      from: request.RemoveFromVersionId,
    });
    return { ARN: arnOf(request.SecretId), Name: request.SecretId };
  },
};

/** Answer as Secrets Manager (JSON 1.1 protocol), as far as functions, the rotation and the runner need it. */
export function callSecretsManager(target: string, body: Buffer, secrets: SecretStore): ServiceReply {
  const action = actions[target.replace("secretsmanager.", "")];
  if (action === undefined) return refuse("UnknownOperationException", `${target} is not served here`);
  try {
    return reply(200, action(JSON.parse(body.toString()), secrets));
  } catch (error) {
    if (error instanceof SecretRefusal) return refuse(error.code, error.message);
    if (error instanceof SyntaxError) return refuse("SerializationException", "The body is not JSON");
    if (error instanceof z.ZodError) return refuse("InvalidParameterException", z.prettifyError(error));
    throw error;
  }
}

const refuse = (code: string, message: string) => reply(400, { __type: code, Message: message });

const reply = (status: number, body: Record<string, unknown>): ServiceReply => ({
  status,
  type: "application/x-amz-json-1.1",
  body: JSON.stringify(body),
});
