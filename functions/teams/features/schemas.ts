import * as z from "zod";
import { userId, uuid } from "#shared/platform/http/wire-types.ts";
import { uint64 } from "#shared/platform/int64.ts";
import { featureStatus, lockStatus } from "#shared/registry/feature-configs.ts";
import { byFeature, type FeatureName, featureSpec } from "#shared/teams/features/catalogue.ts";
import type { StoredFeature } from "#shared/teams/features/feature.ts";
import { type FeatureView, featureViews } from "#shared/teams/features/feature-view.ts";

export const teamPath = z.object({ tid: uuid.meta({ description: "Id of the team" }) });
export const userPath = z.object({ uid: userId });
export const userQuery = z.object({ user_id: userId.optional() });

const ttl = z
  .union([uint64(), z.literal("unlimited")])
  .optional()
  .meta({ deprecated: true, description: "Has no effect" });

/** The value of a feature in requests. */
export interface FeatureRequest extends Pick<StoredFeature, "config"> {
  readonly status: "enabled" | "disabled";
}

const requestFields = { status: featureStatus, ttl };
/** For all features that have no configuration. */
const plainRequest = z.object(requestFields).meta({ id: "Feature", examples: [{ status: "enabled" }] });

function toRequest(name: FeatureName): z.ZodType<FeatureRequest> {
  const { schema, config, isConfigOptional = false } = featureSpec(name);
  if (config === undefined) return plainRequest;
  return z
    .object({ ...requestFields, config: isConfigOptional ? config.optional() : config })
    .meta({ id: `${schema}.Feature`, examples: [exampleOf(config)] });
}

/** A body that enables a feature, with the example of its configuration. */
function exampleOf(config: z.ZodType | undefined): FeatureRequest {
  const [example] = (config?.meta()?.examples ?? []) as Record<string, unknown>[];
  return { status: "enabled", ...(example !== undefined && { config: example }) };
}

function toPatch(name: FeatureName): z.ZodType<StoredFeature> {
  const { schema, config } = featureSpec(name);
  const fields = { status: featureStatus.optional(), lockStatus: lockStatus.optional(), ttl };
  const body = config === undefined ? z.object(fields) : z.object({ ...fields, config: config.optional() });
  return body
    .refine((patch) => Object.values(patch).some((value) => value !== undefined), "at least one field")
    .meta({ id: `${schema}.Patch`, examples: [{ ...exampleOf(config), lockStatus: "unlocked" as const }] });
}

/** Bodies that change a feature, one schema per feature. */
export const featureRequests = byFeature(toRequest);
export const featurePatches = byFeature(toPatch);

export const featureLock = z.object({ lockStatus });

export const featureValue = z.object({ status: featureStatus }).meta({ examples: [{ status: "enabled" }] });

/** All features as a team or a user has them. */
type AllFeatures = Readonly<Record<FeatureName, FeatureView>>;

const views: z.ZodType<AllFeatures, AllFeatures> = z.object(featureViews);
export const allFeatures = views.meta({ id: "AllTeamFeatures" });
