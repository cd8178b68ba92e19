/** Another provider has the address. */
export class ProviderEmailTakenError extends Error {
  override readonly name = "ProviderEmailTakenError";
}

/** There is no such provider, it is not activated, or it is being deleted. */
export class ProviderNotFoundError extends Error {
  override readonly name = "ProviderNotFoundError";
}
