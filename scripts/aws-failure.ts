/** Describes in one line why a call to AWS, or a command, failed: an operator needs the reason, not a stack trace. */
export function awsFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { name, message } = error;
  if (name === "CredentialsProviderError") {
    // If a profile is set, the reason is that it does not exist or has no credentials.
    const reason = process.env.AWS_PROFILE === undefined ? "" : ` (${message})`;
    return `There are no AWS credentials${reason}: set AWS_PROFILE, or log in first`;
  }
  if (/^(InvalidClientTokenId|UnrecognizedClient|InvalidAccessKeyId|SignatureDoesNotMatch)/.test(name))
    return `AWS does not accept the credentials: ${message}`;
  if (/^(AccessDenied|AccessDeniedException|UnauthorizedOperation|AuthorizationError\w*)$/.test(name))
    return `The credentials lack a permission: ${message}`;
  if (/^(ExpiredToken|ExpiredTokenException)$/.test(name))
    return "The AWS credentials have expired: log in again";
  if (message === "Region is missing")
    return "There is no AWS region: set AWS_REGION, or `region` in the stage file";
  if (/^(ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)/.test(String(Object(error).code)))
    return `AWS cannot be reached: ${message}`;
  return "$metadata" in error ? `${name}: ${message}` : message;
}
