/** The user has no such device. */
export class DeviceNotFoundError extends Error {
  override readonly name = "DeviceNotFoundError";
}

/** A device would have more prekeys than the service keeps for it. */
export class TooManyPrekeysError extends Error {
  override readonly name = "TooManyPrekeysError";

  constructor(limit: number) {
    super(`A device can have about ${limit} prekeys`);
  }
}
