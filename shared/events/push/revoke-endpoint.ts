import type { PushEndpointStore } from "./push-endpoint-store.ts";
import type { PushToken } from "./push-token.ts";
import { type RevocationDeps, revokePushTokens } from "./remove-push-tokens.ts";

/**
 * Remove the tokens of a useless endpoint from everybody who shares it, except those registered since it was noticed.
 *
 * @param isMeant selects tokens; by default all
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
