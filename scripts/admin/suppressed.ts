import { DeleteSuppressedDestinationCommand, SESv2Client } from "@aws-sdk/client-sesv2";
import { readStage } from "#lib/stage.ts";
import { awsFailure } from "../aws-failure.ts";
import { defineCommand } from "./command.ts";
import { CommandError } from "./command-error.ts";

const path = "/i/mail-suppressions";
const email = { kind: "email", description: "email address, as the account spells it" } as const;

export const suppressedShow = defineCommand({
  name: "suppressed show",
  summary: "Show why an address gets no mail",
  examples: ["suppressed show ada@example.com --stage prod"],
  effect: "reads",
  arguments: { address: email },
  async run({ api }, { address }) {
    const suppression = await api.find(path, { query: { email: address } });
    if (suppression === undefined) throw new CommandError(`${address} is not suppressed`);
    return suppression;
  },
});

export const suppressedLift = defineCommand({
  name: "suppressed lift",
  summary: "Let an address get mail again; also takes it from the list that SES keeps for the account",
  examples: ["suppressed lift ada@example.com --stage prod"],
  effect: "changes",
  arguments: { address: email },
  async run({ api, stage, isDryRun, note, fail }, { address }) {
    await api.call("DELETE", path, { query: { email: address } });
    if (stage === undefined || isDryRun) return;
    try {
      await removeFromSes(address, readStage(stage).region);
    } catch (error) {
      note(`The list that SES keeps may still have the address: ${awsFailure(error)}`);
      fail();
    }
  },
});

async function removeFromSes(address: string, region: string | undefined): Promise<void> {
  const remove = new DeleteSuppressedDestinationCommand({ EmailAddress: address });
  await new SESv2Client({ region }).send(remove).catch((error) => {
    if (error.name !== "NotFoundException") throw error;
  });
}
