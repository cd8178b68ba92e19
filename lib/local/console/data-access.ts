import type { Settings } from "#shared/registry/settings.ts";

/** How a command reaches the tables and buckets of a stack. */
export interface DataAccess {
  /** Variables for the SDK of AWS. */
  readonly environment: Readonly<Record<string, string>>;
  /** What their names begin with. */
  readonly prefix: string;
  readonly publicUrl: string;
  readonly settings: Settings;
}
