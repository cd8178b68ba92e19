/** The result of a check. */
export type Finding =
  | { readonly state: "ok"; readonly found: string }
  /** Comes with the exact action, or the request to AWS. */
  | { readonly state: "missing"; readonly found: string; readonly request: string }
  /** Something to know in time; it does not prevent a deployment. */
  | { readonly state: "warning"; readonly found: string; readonly request: string }
  /** Exists only after the first deployment. */
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
