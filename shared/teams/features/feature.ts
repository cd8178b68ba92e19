import * as z from "zod";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { isRawJson } from "#shared/platform/exact-json.ts";
import { fromStored, toStored } from "#shared/platform/int64.ts";
import type { FeatureStatus, LockStatus } from "#shared/registry/feature-configs.ts";
import type { FeatureName, featureCatalogue } from "./catalogue.ts";

/** Configuration of a feature; undefined for features that have none. */
export type FeatureConfig<Name extends FeatureName> = Name extends FeatureName
  ? (typeof featureCatalogue)[Name] extends { readonly config: infer Schema extends z.ZodType }
    ? z.output<Schema>
    : undefined
  : never;

/** An effective feature. */
export interface Feature<Name extends FeatureName = FeatureName> {
  readonly status: FeatureStatus;
  readonly lockStatus: LockStatus;
  readonly config: FeatureConfig<Name>;
}

const storedFeature = storedObject({
  status: z.enum(["enabled", "disabled"]).optional(),
  lockStatus: z.enum(["locked", "unlocked"]).optional(),
  config: z.record(z.string(), z.unknown()).optional(),
});
/** The stored fields of a feature, which override its default. */
export type StoredFeature = z.infer<typeof storedFeature>;

/** The stored features of a team. */
export const teamFeaturesItem = storedItem(
  { table: "teams", kind: "features", key: ["team#*", "features"], subject: { team: "partition" } },
  storedObject({
    teamId: z.uuid(),
    /** Increases with each change; a change names the revision that it is based on. 0: nothing is stored. */
    revision: z.int(),
    features: z.record(z.string(), storedFeature),
    /** Whether the team is on the operator's list, which decides on legal hold if the setting `legalhold` says so. */
    isLegalHoldWhitelisted: z.boolean().optional(),
  }),
);
export interface TeamFeatures extends Stored<typeof teamFeaturesItem> {
  readonly features: Readonly<Partial<Record<FeatureName, StoredFeature>>>;
}

/** Stored features of a team that has changed none. */
export const noFeatures = (teamId: string): TeamFeatures => ({ teamId, revision: 0, features: {} });

/** Suffix of the attribute with the digits of an integer that is too large for a number. */
const digitsSuffix = "Digits";

/** The stored form of a configuration, of which other versions can read every number. */
export const toStoredConfig = (config: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(config).flatMap(([name, value]) => {
      if (!isRawJson(value)) return [[name, value]];
      const { number, digits } = toStored(value);
      return [
        [name, number],
        [`${name}${digitsSuffix}`, digits],
      ];
    }),
  );

/** The configuration that was stored. */
export const fromStoredConfig = (stored: Readonly<Record<string, unknown>> = {}): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(stored).flatMap(([name, value]) => {
      const isDigits = name.endsWith(digitsSuffix) && name.slice(0, -digitsSuffix.length) in stored;
      if (isDigits) return [];
      return [[name, typeof value === "number" ? fromStored(value, stored[name + digitsSuffix]) : value]];
    }),
  );
