import type { PushEndpointStore } from "./push-endpoint-store.ts";
import type { PushToken } from "./push-token.ts";
import { type RevocationDeps, revokePushTokens } from "./remove-push-tokens.ts";

/**
 * Remove the tokens of an endpoint that cannot be pushed to, from everybody who shares it. Those that were registered
 * later than it was noticed stay.
 *
 * @param isMeant tells which of the tokens; by default all
 */
export async function revokeEndpoint(
  deps: RevocationDeps & { readonly pushEndpoints: PushEndpointStore },
  { endpointArn, noticedAt }: { readonly endpointArn: string; readonly noticedAt: number },
  isMeant: (token: PushToken) => boolean = () => true,
): Promise<void> {
  const { userIds } = await deps.pushEndpoints.get(endpointArn);
  for (const userId of userIds) {
    await revokePushTokens(
      deps,
      userId,
      (token) => token.endpointArn === endpointArn && token.registeredAt <= noticedAt && isMeant(token),
    );
  }
}
