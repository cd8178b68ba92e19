import type { Handlers, Input } from "#shared/platform/http/route.ts";
import {
  byFeature,
  byOperation,
  type FeatureName,
  operationOf,
  singleFeatures,
} from "#shared/teams/features/catalogue.ts";
import { defaultFeature } from "#shared/teams/features/effective-feature.ts";
import { toFeatureView } from "#shared/teams/features/feature-view.ts";
import type { Deps } from "../deps.ts";
import { getUserFeatures } from "./get-user-features.ts";
import { getConferenceCalling, overrideConferenceCalling } from "./override-conference-calling.ts";
import type { routes, SingleRoute } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const allOf = async (userId: string) => {
    const featureOf = await getUserFeatures(deps, userId);
    return { body: byFeature((name) => toFeatureView(featureOf(name))) };
  };

  const readOwn =
    (name: FeatureName) =>
    async ({ actor }: Input<SingleRoute>) => {
      const featureOf = await getUserFeatures(deps, actor.userId);
      return { body: toFeatureView(featureOf(name)) };
    };

  return {
    ...byOperation(singleFeatures.map((name) => [`get-own_${operationOf(name)}`, readOwn(name)] as const)),

    "get-all-feature-configs-for-user": ({ actor }) => allOf(actor.userId),

    "i-get-feature-configs": ({ query }) =>
      query.user_id === undefined
        ? { body: byFeature((name) => toFeatureView(defaultFeature(name, deps.settings))) }
        : allOf(query.user_id),

    "i-get-user-conference-calling": async ({ params }) => ({
      body: { status: await getConferenceCalling(deps, params.uid) },
    }),

    "i-put-user-conference-calling": async ({ params, body: { status } }) => {
      await overrideConferenceCalling(deps, params.uid, status);
      return { body: { status } };
    },

    "i-delete-user-conference-calling": async ({ params }) => {
      await overrideConferenceCalling(deps, params.uid, undefined);
      return {};
    },
  };
}
