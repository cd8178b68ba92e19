import type { Stage } from "#lib/stage.ts";
import type { Clients } from "./clients.ts";
import { type Check, missing, ok, warning } from "./finding.ts";
import { readJson } from "./read-json.ts";

/** Checks of the data that the loss of a region would destroy. */
export function backupChecks(
  { isProtected, backups, replicaRegion }: Stage,
  region: string,
  clients: Clients,
  endpoint: string | undefined,
): Check[] {
  if (backups === undefined) return isProtected ? [copies] : [];
  return [
    secrets(replicaRegion),
    ...[region, backups.region].map((one) => fullManagement(one, clients, endpoint)),
  ];
}

const copies: Check = {
  name: "copies in a second region",
  needs: "nothing",
  run: async () =>
    warning(
      "none of tables and files: the loss of the region would be the loss of them",
      "set backups and replicaRegion in the stage file",
    ),
};

const secrets = (replicaRegion: string | undefined): Check => ({
  name: "copies of secrets",
  needs: "nothing",
  run: async () =>
    replicaRegion === undefined
      ? warning("none: copied tables are worth little without them", "set replicaRegion in the stage file")
      : ok(`in ${replicaRegion}`),
});

/** Without it, AWS Backup copies no table: https://docs.aws.amazon.com/aws-backup/latest/devguide/advanced-ddb-backup.html */
const fullManagement = (region: string, { sts }: Clients, endpoint: string | undefined): Check => ({
  name: `AWS Backup of tables in ${region}`,
  needs: "backup:DescribeRegionSettings",
  async run() {
    const settings = await readJson("/account-settings", { service: "backup", region, sts, endpoint });
    if (Object(settings.ResourceTypeManagementPreference).DynamoDB === true)
      return ok("has its advanced features");
    return missing(
      "without its advanced features, it copies none to another region",
      `aws backup update-region-settings --region ${region} --resource-type-opt-in-preference DynamoDB=true ` +
        "--resource-type-management-preference DynamoDB=true",
    );
  },
});
