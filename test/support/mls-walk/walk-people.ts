import type { ClientState } from "ts-mls";
import { api, internalApi, outcome } from "../api.ts";
import type { RunningService } from "../bots.ts";
import { connectUsers } from "../connections.ts";
import { type MlsClient, newMlsClient } from "../mls.ts";
import { newTeam } from "../teams.ts";
import { newUser, register, type User } from "../users.ts";
import type { Person } from "./walk-model.ts";
import { countingApi } from "./walk-requests.ts";

/** The subconversation that calls are in. */
const conference = "conference";

/** A user who takes part in a walk, or stays outside. */
export interface Participant extends Person {
  readonly user: User;
  readonly devices: Device[];
}

/** A device with its state in both groups. */
export interface Device {
  readonly owner: Participant;
  readonly main: MlsClient;
  readonly call: MlsClient;
  last: string | undefined;
  isDeleted: boolean;
}

/** Register three members of a team, of whom the first is its owner and may add bots of a service, and three outsiders. */
export async function newParticipants(service: RunningService) {
  const withMls = { supported_protocols: ["proteus" as const, "mls" as const] };
  const team = await newTeam({ owner: withMls });
  for (const name of ["mls", "mlsMigration"]) {
    const json = {
      status: "enabled",
      lockStatus: "unlocked",
      ...(name === "mlsMigration" && { config: {} }),
    };
    await internalApi("PATCH", `/i/teams/${team.id}/features/${name}`, { json });
  }
  const whitelisting = { provider: service.provider, id: service.id, whitelisted: true };
  const listed = await api("POST", `/teams/${team.id}/services/whitelist`, {
    token: team.owner.token,
    json: whitelisting,
  });
  if (listed.status !== 200) throw new Error(`The service is not on the list: ${outcome(listed)}`);
  const [bob, cleo, dan, eve, gus] = await Promise.all([
    team.add("member", withMls),
    team.add("member", withMls),
    newUser(withMls),
    newUser(withMls),
    newGuest(),
  ]);
  await connectUsers(team.owner, dan);
  const enter = async (name: string, user: User, count: number, isOfTeam = false): Promise<Participant> => {
    const owner: Participant = { name, id: user.id, isOfTeam, user, devices: [] };
    for (let made = 0; made < count; made++) {
      const main = await newMlsClient(user, { publicApi: countingApi, packages: 1 });
      const call = main.within(conference);
      owner.devices.push({ owner, main, call, last: undefined, isDeleted: false });
    }
    return owner;
  };
  const people = await Promise.all([
    enter("Ada", team.owner, 2, true),
    enter("Bob", bob, 2, true),
    enter("Cleo", cleo, 1, true),
    enter("Dan", dan, 2),
    enter("Eve", eve, 1),
    enter("Gus", gus, 1),
  ]);
  return { team, people, bob, dan };
}

/** The MLS identity of a device. */
export const identityOf = ({ main }: Device): string => main.device.identity;

/** The identities of the leaves of a group, as the library knows them. */
export const leavesOf = ({ ratchetTree }: ClientState): Map<number, string> =>
  new Map(
    ratchetTree.flatMap((node, index) =>
      node?.nodeType === "leaf" && node.leaf.credential.credentialType === "basic"
        ? [[index / 2, Buffer.from(node.leaf.credential.identity).toString()] as const]
        : [],
    ),
  );

/** A guest who has only a name. */
async function newGuest(): Promise<User> {
  const { body, cookie } = await register({});
  const access = await api("POST", "/access", { cookie });
  return { ...body, token: access.body.access_token };
}
