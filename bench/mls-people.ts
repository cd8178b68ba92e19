import { chunks } from "#shared/platform/chunks.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { type Api, type ApiAnswer, apiAt, outcome } from "../test/support/api.ts";
import { createConversation } from "../test/support/conversations.ts";
import { addition, type MlsClient, newMlsClient, type PreparedCommit } from "../test/support/mls.ts";
import { newTeam, type Team } from "../test/support/teams.ts";
import { testSettings } from "../test/support/test-settings.ts";

/** Cheap password hashes, since each device is registered with one; all other settings are those of production. */
export const mlsSettings = testSettings;

/** The members of a team, each with a device that takes part in MLS groups. */
export interface MlsPeople {
  readonly publicApi: Api;
  readonly team: Team;
  readonly devices: readonly MlsClient[];
  /** Create a conversation whose group the first device has created. */
  newGroup(): Promise<{ readonly id: string; readonly groupId: string }>;
}

/** Create a team and its members' devices. */
export async function newMlsPeople(
  count: number,
  {
    prefix,
    publicUrl = "",
    publicApi = apiAt(publicUrl),
  }: { prefix: string; publicUrl?: string; publicApi?: Api },
): Promise<MlsPeople> {
  const apis = {
    publicApi,
    internalApi: publicApi,
    data: { prefix, settings: mlsSettings, clock: systemClock },
  };
  const team = await newTeam({}, apis);
  const devices: MlsClient[] = [];
  for (const batch of chunks(
    Array.from({ length: count }, (_, index) => index),
    20,
  )) {
    const added = batch.map(async (index) => {
      const user = index === 0 ? team.owner : await team.add();
      return newMlsClient(user, { publicApi, prefix, packages: 0 });
    });
    devices.push(...(await Promise.all(added)));
  }
  const [creator] = devices;
  if (creator === undefined) throw new Error("Nobody creates groups");
  return {
    publicApi,
    team,
    devices,
    async newGroup() {
      const { body } = await createConversation(team.owner, { in: team, protocol: "mls" }, apis);
      await creator.create(body.group_id);
      mustSucceed(await creator.commit());
      return { id: body.id, groupId: body.group_id };
    },
  };
}

/** Proposals to add devices, with new key packages. */
export const additionsOf = (devices: readonly MlsClient[]) =>
  Promise.all(devices.map(async (device) => addition((await device.makePackage()).publicPackage)));

/** The body that sends a commit. */
export const bundleOf = ({ commit, groupInfo, welcome = Buffer.alloc(0) }: PreparedCommit) =>
  new Uint8Array(Buffer.concat([commit, groupInfo, welcome]));

/** @throws Error when a commit was refused */
export function mustSucceed(answer: ApiAnswer): void {
  if (answer.status !== 201) throw new Error(`A commit was refused: ${outcome(answer)}`);
}
