/** Where an emulator of AWS has an API below its own address, besides at the host name of the API, which needs a DNS. */
export const emulatedApiUrl = (endpoint: string, api: string, stage: string): string =>
  `${endpoint}/_aws/execute-api/${api}/${stage}`;

/**
 * The address of an API as a stack puts it out or, where `AWS_ENDPOINT_URL` names an emulator, the one that can be reached.
 * @param output whatever a stack puts out; what is no address of an API is returned as it is
 */
export function reachableUrl(output: string, endpoint = process.env.AWS_ENDPOINT_URL): string {
  if (endpoint === undefined || isAws(endpoint)) return output;
  const { hostname = "", pathname = "", protocol } = URL.parse(output) ?? {};
  const [, api] = /^(\w+)\.execute-api\./.exec(hostname) ?? [];
  if (api === undefined) return output;
  const stage = pathname === "/" ? "$default" : pathname.slice(1);
  const base = endpoint.replace(/\/$/, "");
  return emulatedApiUrl(protocol === "wss:" ? base.replace(/^http/, "ws") : base, api, stage);
}

/** Whether an address is one of AWS itself, and not of an emulator. */
export const isAws = (address: string): boolean => /\.amazonaws\.com(\.cn)?$/.test(new URL(address).hostname);
