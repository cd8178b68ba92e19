/** The label of a denial, in the title of the page; apps get it, too. */
export type DenialLabel =
  | "forbidden"
  | "bad-team"
  | "bad-upstream"
  | "bad-username"
  // Spelled as clients know it.
  | "cannont-provision-on-replaced-idp"
  | (string & {});

/** The response is genuine, but does not let anybody in. */
export class LoginDeniedError extends Error {
  override readonly name = "LoginDeniedError";
  readonly label: DenialLabel;
  readonly reasons: readonly string[];

  constructor(label: DenialLabel, reasons: readonly string[], options?: ErrorOptions) {
    super(reasons.join("; "), options);
    this.label = label;
    this.reasons = reasons;
  }
}
