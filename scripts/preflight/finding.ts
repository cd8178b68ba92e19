/** What a check has found. */
export type Finding =
  | { readonly state: "ok"; readonly found: string }
  /** With what to do, or to request from AWS, exactly. */
  | { readonly state: "missing"; readonly found: string; readonly request: string }
  /** With what to know before it matters; it does not keep a stage from being deployed. */
  | { readonly state: "warning"; readonly found: string; readonly request: string }
  /** Not to be had before the first deployment. */
  | { readonly state: "later"; readonly found: string };

export interface Check {
  readonly name: string;
  /** Permission that it needs. */
  readonly needs: string;
  run(): Promise<Finding>;
}

export const ok = (found: string): Finding => ({ state: "ok", found });
export const missing = (found: string, request: string): Finding => ({ state: "missing", found, request });
export const warning = (found: string, request: string): Finding => ({ state: "warning", found, request });
export const later = (found: string): Finding => ({ state: "later", found });
