import type { Settings } from "#shared/registry/settings.ts";

/** The access of a command to the tables and buckets of a stack. */
export interface DataAccess {
  /** Variables for the SDK of AWS. */
  readonly environment: Readonly<Record<string, string>>;
  /** Prefix of their names. */
  readonly prefix: string;
  readonly publicUrl: string;
  readonly settings: Settings;
}
