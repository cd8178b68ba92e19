import { DeleteSuppressedDestinationCommand, NotFoundException, SESv2Client } from "@aws-sdk/client-sesv2";
import { readStage } from "#lib/stage.ts";
import { awsClientOptions } from "#shared/platform/aws-client-options.ts";
import { toAsciiAddress } from "#shared/platform/email-address.ts";
import { awsFailure } from "../aws-failure.ts";
import { defineCommand } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { newestList } from "./newest-list.ts";

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

export const suppressedList = newestList(
  {
    name: "suppressed list",
    summary: "List the addresses that get no mail, the most recently reported first",
    examples: ["suppressed list --stage prod", "suppressed list --from 2026-11-26 --json"],
  },
  { path: `${path}/list`, field: "suppressions" },
);

export const suppressedLift = defineCommand({
  name: "suppressed lift",
  summary: "Let an address get mail again; also takes it from the list that SES keeps for the account",
  examples: ["suppressed lift ada@example.com --stage prod"],
  effect: "changes",
  arguments: { address: email },
  async run({ api, stage, isDryRun, note, fail }, { address }) {
    await api.call("DELETE", path, { query: { email: address } });
    if (stage === undefined || isDryRun) return;
    const { region } = readStage(stage);
    try {
      const isRemoved = await removeFromSes(toAsciiAddress(address.trim()), region);
      note(
        isRemoved
          ? `The list that SES keeps for the account had ${address}: it is taken from it, too.`
          : `The list that SES keeps for the account does not have ${address}.`,
      );
    } catch (error) {
      note(`The list that SES keeps may still have the address: ${awsFailure(error)}`);
      fail();
    }
  },
});

/** @returns false if the account's list in this region does not have the address */
async function removeFromSes(address: string, region: string | undefined): Promise<boolean> {
  const remove = new DeleteSuppressedDestinationCommand({ EmailAddress: address });
  try {
    await new SESv2Client({ region, ...awsClientOptions() }).send(remove);
    return true;
  } catch (error) {
    if (error instanceof NotFoundException) return false;
    throw error;
  }
}
