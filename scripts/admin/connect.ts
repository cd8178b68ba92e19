import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { deployedOutputs } from "#lib/releases/deployed-stacks.ts";
import { signedFetch } from "#lib/signed-fetch.ts";
import { readStage } from "#lib/stage.ts";
import { CommandError } from "./command-error.ts";
import { type Endpoint, InternalApi } from "./internal-api.ts";

const localUrl = "http://127.0.0.1:8081";
/** Longer than a function has. */
const timeoutMilliseconds = 30_000;

interface Target {
  readonly stage: string | undefined;
  /** Base address of an API that checks no signatures; without a stage, that of `npm start`. */
  readonly url: string | undefined;
  readonly isDryRun: boolean;
}

/**
 * The internal API of a deployed stage, called with the operator's credentials, or one on this machine. Its first request
 * may throw CommandError, InvalidStageError, and errors of AWS.
 * @throws CommandError if both are named
 */
export function connect({ stage, url, isDryRun }: Target): InternalApi {
  if (stage === undefined) return new InternalApi({ endpoint: async () => endpointHere(url), isDryRun });
  if (url !== undefined) throw new CommandError("Name a stage or an address, not both");
  return new InternalApi({ endpoint: () => endpointOf(stage), isDryRun });
}

function endpointHere(url = localUrl): Endpoint {
  if (!isOnThisMachine(url))
    throw new CommandError(
      `--url is for addresses of this machine, such as ${localUrl}: name a stage instead`,
    );
  return {
    url,
    send: (target, request) =>
      fetch(target, { ...request, signal: AbortSignal.timeout(timeoutMilliseconds) }),
  };
}

async function endpointOf(stage: string): Promise<Endpoint> {
  const cloudFormation = new CloudFormationClient({ region: readStage(stage).region });
  const internalUrl = (await deployedOutputs(cloudFormation, stage, "api")).get("InternalUrl");
  if (internalUrl === undefined) throw new CommandError(`The stage ${stage} outputs no InternalUrl`);
  const [region, credentials] = await Promise.all([
    cloudFormation.config.region(),
    cloudFormation.config.credentials(),
  ]);
  return {
    url: internalUrl,
    send: (target, request) =>
      signedFetch(target, { ...request, service: "execute-api", region, credentials }),
  };
}

/** Unsigned requests to any other would be refused, and show whom they are about. */
function isOnThisMachine(address: string): boolean {
  const url = URL.parse(address);
  return url?.protocol === "http:" && ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
}
