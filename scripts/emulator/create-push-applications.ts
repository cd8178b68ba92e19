import { CreatePlatformApplicationCommand, type SNSClient } from "@aws-sdk/client-sns";
import { SetupError } from "#lib/local/setup-error.ts";
import type { Settings } from "#shared/registry/settings.ts";

/**
 * Create the platform applications in the settings, as operators do.
 * @throws SetupError when the account or region in the settings is not that of the emulator
 */
export async function createPushApplications(
  sns: SNSClient,
  { pushApplications }: Pick<Settings, "pushApplications">,
): Promise<void> {
  for (const { arn, transport } of pushApplications) {
    const create = new CreatePlatformApplicationCommand({
      Name: arn.split("/").at(-1),
      Platform: transport,
      Attributes: { PlatformCredential: "none" },
    });
    const { PlatformApplicationArn } = await sns.send(create);
    if (PlatformApplicationArn !== arn) {
      throw new SetupError(`The stage names the platform application ${arn}, not ${PlatformApplicationArn}`);
    }
  }
}
