/** The provider has reached its limit of services, or the team its limit of services on its list. */
export class TooManyServicesError extends Error {
  override readonly name = "TooManyServicesError";
}

/** There is no such service, or it is being deleted. */
export class ServiceNotFoundError extends Error {
  override readonly name = "ServiceNotFoundError";
}
