import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { change } from "#shared/platform/messaging/change.ts";
import { type RemovalDeps, removeProvider } from "#shared/provisioning/remove-provider.ts";

/** Remove the identity providers and tokens of a team that is being deleted, and everything stored with them. */
export async function removeTeamProvisioning(
  deps: RemovalDeps & { readonly dynamo: DynamoDBDocumentClient },
  teamId: string,
): Promise<void> {
  while (await removeNext(deps, teamId));
  await deps.provisioning.removeContents(teamId);
}

/** @returns whether there may be more */
const removeNext = (
  deps: RemovalDeps & { readonly dynamo: DynamoDBDocumentClient },
  teamId: string,
): Promise<boolean> =>
  change<boolean>(deps, async () => {
    const { identityProviders, provisioning } = deps;
    const team = await provisioning.get(teamId);
    const [listed] = team.providers;
    if (listed !== undefined) {
      const provider = await identityProviders.get(listed.id);
      if (provider === undefined) throw new Error(`Team ${teamId} lists the missing provider ${listed.id}`);
      return { writes: await removeProvider(deps, team, provider), result: true };
    }
    if (team.tokens.length === 0) return { result: false };
    return { writes: provisioning.save(team, { ...team, tokens: [] }), result: true };
  });
