import * as z from "zod";
import { featureStatus, lockStatus } from "#shared/registry/feature-configs.ts";
import { byFeature, type FeatureName, featureSpec } from "./catalogue.ts";
import type { Feature } from "./feature.ts";

/** A feature in answers and events. */
export interface FeatureView extends Omit<Feature, "config"> {
  readonly ttl: "unlimited";
  readonly config?: Record<string, unknown> | undefined;
}

const ttl = z.literal("unlimited").meta({ deprecated: true, description: "Always `unlimited`" });

const fields = { status: featureStatus, lockStatus, ttl };
/** All features that have no configuration. */
const plainFeature = z.object(fields).meta({ id: "LockableFeature" });

const view = (name: FeatureName): z.ZodType<FeatureView, FeatureView> => {
  const { schema, config, meaning } = featureSpec(name);
  return config === undefined
    ? plainFeature.meta({ description: meaning })
    : z.object({ ...fields, config }).meta({ id: `${schema}.LockableFeature`, description: meaning });
};

/** Schemas of features in answers. */
export const featureViews = byFeature(view);

export const toFeatureView = ({ status, lockStatus, config }: Feature): FeatureView => ({
  status,
  lockStatus,
  ttl: "unlimited",
  config,
});
