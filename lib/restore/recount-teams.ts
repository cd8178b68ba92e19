import { type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { hasOwnerRights, isTeamAdmin, memberItem } from "#shared/teams/member.ts";
import { kindOf } from "../releases/item-kinds.ts";
import type { Item } from "./item-rules.ts";
import { pagesOf } from "./read-table.ts";

interface Counts {
  memberCount: number;
  ownerCount: number;
  adminCount: number;
}

/**
 * Correct the numbers of members, owners and admins of teams after members were left out. Only for tables that nobody
 * uses yet.
 * @returns ids of the teams that were corrected
 */
export async function recountTeams(dynamo: DynamoDBDocumentClient, tableName: string): Promise<string[]> {
  const found = new Map<string, Counts>();
  const stored = new Map<string, Item>();
  for await (const items of pagesOf(dynamo, tableName)) {
    for (const item of items) {
      const kind = kindOf("teams", item)?.kind;
      if (kind === "team") stored.set(String(item.owner), item);
      if (kind === "member") count(found, memberItem.parse(item), String(item.owner));
    }
  }

  const corrected: string[] = [];
  for (const [owner, team] of stored) {
    const counts = found.get(owner) ?? { memberCount: 0, ownerCount: 0, adminCount: 0 };
    const names = Object.keys(counts) as (keyof Counts)[];
    if (names.every((name) => team[name] === counts[name])) continue;
    await dynamo.send(
      new UpdateCommand({
        TableName: tableName,
        Key: { owner, entry: team.entry },
        UpdateExpression: `SET ${names.map((name) => `${name} = :${name}`).join(", ")}`,
        ExpressionAttributeValues: Object.fromEntries(names.map((name) => [`:${name}`, counts[name]])),
      }),
    );
    corrected.push(String(team.teamId));
  }
  return corrected;
}

function count(found: Map<string, Counts>, member: Parameters<typeof isTeamAdmin>[0], owner: string): void {
  const counts = found.get(owner) ?? { memberCount: 0, ownerCount: 0, adminCount: 0 };
  counts.memberCount++;
  if (hasOwnerRights(member)) counts.ownerCount++;
  if (isTeamAdmin(member)) counts.adminCount++;
  found.set(owner, counts);
}
