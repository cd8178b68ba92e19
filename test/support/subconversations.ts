import { type Api, type ApiAnswer, api, outcome } from "./api.ts";
import { domain } from "./key-packages.ts";
import type { MlsClient } from "./mls.ts";

/** The name that clients give to the subconversation of a call. */
const conference = "conference";

/** Path of a subconversation. */
export const subconversationPath = ({ id }: { readonly id: string }, subconv = conference) =>
  `/v9/conversations/${domain}/${id}/subconversations/${encodeURIComponent(subconv)}`;

type Place = { readonly id: string };
type Caller = Pick<MlsClient, "token">;

/** Subconversations of a stack, by default the shared one. */
export function subconversationsOf({ publicApi = api }: { publicApi?: Api } = {}) {
  const call = (method: string, path: string, { token }: Caller, json?: unknown): Promise<ApiAnswer> =>
    publicApi(method, path, { token, ...(json !== undefined && { json }) });

  const read = (caller: Caller, place: Place, subconv?: string) =>
    call("GET", subconversationPath(place, subconv), caller);

  const end = (caller: Caller, place: Place, group: { group_id: string; epoch: number }) =>
    call("DELETE", subconversationPath(place), caller, group);

  const leave = (caller: Caller, place: Place) =>
    call("DELETE", `${subconversationPath(place)}/self`, caller);

  /** Begin a subconversation with a device of a member. @returns the device in it */
  async function start(client: MlsClient, place: Place, subconv = conference): Promise<MlsClient> {
    const { body } = await read(client, place, subconv);
    const inCall = client.within(subconv);
    await inCall.create(body.group_id);
    await inCall.mustCommit();
    return inCall;
  }

  /** Let a device join a subconversation. @param options see `prepareJoin` @returns the device in it */
  async function join(
    client: MlsClient,
    place: Place,
    subconv = conference,
    options?: Parameters<MlsClient["prepareJoin"]>[1],
  ): Promise<MlsClient> {
    const inCall = client.within(subconv);
    const answer = await inCall.send(await inCall.prepareJoin(place.id, options));
    if (answer.status !== 201) throw new Error(`Could not join: ${outcome(answer)} ${answer.body.message}`);
    return inCall;
  }

  return { read, end, leave, start, join };
}
