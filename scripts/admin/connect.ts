import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { deployedStack } from "#lib/releases/deployed-stacks.ts";
import { reachableUrl } from "#lib/releases/reachable-url.ts";
import { signedFetch } from "#lib/signed-fetch.ts";
import { readStage } from "#lib/stage.ts";
import { CommandError } from "./command-error.ts";
import type { CommandRun } from "./command-run.ts";
import { type Endpoint, InternalApi } from "./internal-api.ts";
import type { DeployedApi } from "./roles/policy.ts";

/** Internal API of `npm start`. */
export const localUrl = "http://127.0.0.1:8081";
/** Longer than the timeout of functions. */
const timeoutMilliseconds = 30_000;

/** The installation that the operator names. */
export interface Target {
  readonly stage: string | undefined;
  /** Base address of an API that checks no signatures; without a stage, that of `npm start`. */
  readonly url: string | undefined;
}

/**
 * The internal API of a deployed stage, called with the operator's credentials, or one on this machine. Its first request
 * may throw what `endpointOf` throws.
 * @throws CommandError if both are named
 */
export function connect({
  isDryRun,
  run,
  ...target
}: Target & { readonly isDryRun: boolean; readonly run: CommandRun }): InternalApi {
  if (target.stage !== undefined && target.url !== undefined)
    throw new CommandError("Name a stage or an address, not both");
  return new InternalApi({ endpoint: () => endpointOf(target), isDryRun, run });
}

/**
 * The address of the API.
 * @throws CommandError, InvalidStageError, and errors of AWS
 */
export const endpointOf = async ({ stage, url }: Target): Promise<Endpoint> =>
  stage === undefined ? endpointHere(url) : deployedEndpoint(stage);

/** @throws InvalidStageError, and errors of AWS */
export async function deployedApi(stage: string): Promise<DeployedApi> {
  const { url, stackArn } = await findApi(clientFor(stage), stage);
  return { stackArn, apiId: new URL(url).hostname.replace(/\..*/s, "") };
}

function endpointHere(url = localUrl): Endpoint {
  requireThisMachine(url);
  return {
    url,
    advice:
      "Run npm start, name a deployed stage with --stage, or with --url the internal API of an npm start at other ports",
    send: (target, request) =>
      fetch(target, { ...request, signal: AbortSignal.timeout(timeoutMilliseconds) }),
  };
}

async function deployedEndpoint(stage: string): Promise<Endpoint> {
  const cloudFormation = clientFor(stage);
  const url = reachableUrl((await findApi(cloudFormation, stage)).url);
  const region = await cloudFormation.config.region();
  return {
    url,
    // Credentials are asked for each time, because temporary ones are renewed.
    send: async (target, request) =>
      signedFetch(target, {
        ...request,
        service: "execute-api",
        region,
        credentials: await cloudFormation.config.credentials(),
      }),
  };
}

const clientFor = (stage: string) => new CloudFormationClient({ region: readStage(stage).region });

async function findApi(cloudFormation: CloudFormationClient, stage: string) {
  const { arn, outputs } = await deployedStack(cloudFormation, stage, "api");
  const url = outputs.get("InternalUrl");
  if (url === undefined) throw new CommandError(`The stage ${stage} outputs no InternalUrl`);
  return { url, stackArn: arn };
}

/**
 * Refuse other addresses: they would refuse unsigned requests, which would also reveal whom they are about.
 * @throws CommandError
 */
export function requireThisMachine(address: string): void {
  const url = URL.parse(address);
  if (url?.protocol === "http:" && ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname)) return;
  throw new CommandError(
    `--url only takes addresses of this machine, such as ${localUrl}: name a stage instead`,
  );
}
