import { endpointPrefixOf } from "#shared/registry/settings/push.ts";
import type { Settings } from "#shared/registry/settings.ts";

/** Whether an endpoint belongs to an app in the settings; functions have no access to any other. */
export const isInUse = ({ pushApplications }: Settings, endpointArn: string): boolean =>
  pushApplications.some(({ arn }) => endpointArn.startsWith(endpointPrefixOf(arn)));
