import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { deployedOutputs } from "#lib/releases/deployed-stacks.ts";
import { signedFetch } from "#lib/signed-fetch.ts";
import { readStage } from "#lib/stage.ts";
import { CommandError } from "./command-error.ts";
import { InternalApi } from "./internal-api.ts";

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
 * The internal API of a deployed stage, called with the operator's credentials, or one on this machine.
 * @throws CommandError, InvalidStageError, and errors of AWS
 */
export async function connect({ stage, url, isDryRun }: Target): Promise<InternalApi> {
  if (stage !== undefined && url !== undefined)
    throw new CommandError("Name a stage or an address, not both");
  if (stage === undefined) {
    const address = url ?? localUrl;
    if (!isOnThisMachine(address))
      throw new CommandError(
        `--url is for addresses of this machine, such as ${localUrl}: name a stage instead`,
      );
    return new InternalApi({
      url: address,
      isDryRun,
      send: (target, request) =>
        fetch(target, { ...request, signal: AbortSignal.timeout(timeoutMilliseconds) }),
    });
  }
  const cloudFormation = new CloudFormationClient({ region: readStage(stage).region });
  const internalUrl = (await deployedOutputs(cloudFormation, stage, "api")).get("InternalUrl");
  if (internalUrl === undefined) throw new CommandError(`The stage ${stage} outputs no InternalUrl`);
  const [region, credentials] = await Promise.all([
    cloudFormation.config.region(),
    cloudFormation.config.credentials(),
  ]);
  return new InternalApi({
    url: internalUrl,
    isDryRun,
    send: (target, request) =>
      signedFetch(target, { ...request, service: "execute-api", region, credentials }),
  });
}

/** Unsigned requests to any other would be refused, and show whom they are about. */
function isOnThisMachine(address: string): boolean {
  const url = URL.parse(address);
  return url?.protocol === "http:" && ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
}
