/** Why a request is refused, in the words of RFC 6749 §4.1.2.1; the app learns it by the redirect. */
export interface RequestProblem {
  readonly error: string;
  readonly error_description: string;
}
