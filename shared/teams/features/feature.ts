import * as z from "zod";
import type { FeatureStatus, LockStatus } from "#shared/registry/feature-configs.ts";
import type { FeatureName, featureCatalogue } from "./catalogue.ts";

/** Configuration of a feature; undefined for features that have none. */
export type FeatureConfig<Name extends FeatureName> = Name extends FeatureName
  ? (typeof featureCatalogue)[Name] extends { readonly config: infer Schema extends z.ZodType }
    ? z.output<Schema>
    : undefined
  : never;

/** A feature as it is in force. */
export interface Feature<Name extends FeatureName = FeatureName> {
  readonly status: FeatureStatus;
  readonly lockStatus: LockStatus;
  readonly config: FeatureConfig<Name>;
}

const storedFeature = z.object({
  status: z.enum(["enabled", "disabled"]).optional(),
  lockStatus: z.enum(["locked", "unlocked"]).optional(),
  config: z.record(z.string(), z.unknown()).optional(),
});
/** What is stored of a feature, which is laid over its default. */
export type StoredFeature = z.infer<typeof storedFeature>;

/** What a team has stored of its features. */
export const teamFeaturesItem = z.object({
  teamId: z.uuid(),
  /** Grows with each change; a change names the revision that it is based on. 0: nothing is stored. */
  revision: z.int(),
  features: z.record(z.string(), storedFeature),
  /** Whether the team has legal hold where the setting `legalhold` leaves that to a list of teams. */
  isLegalHoldWhitelisted: z.boolean().optional(),
});
export interface TeamFeatures extends z.infer<typeof teamFeaturesItem> {
  readonly features: Readonly<Partial<Record<FeatureName, StoredFeature>>>;
}

/** Features of a team that has changed none. */
export const noFeatures = (teamId: string): TeamFeatures => ({ teamId, revision: 0, features: {} });
