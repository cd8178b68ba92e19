/** Path below an emulator's own address at which it serves an API, too; the host name of the API needs DNS. */
export const emulatedApiUrl = (endpoint: string, api: string, stage: string): string =>
  `${endpoint}/_aws/execute-api/${api}/${stage}`;

/**
 * The address of an API in a stack's output or, if `AWS_ENDPOINT_URL` names an emulator, one that can be reached.
 * @param output any output of a stack; one that is no address of an API is returned unchanged
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

/** Whether an address belongs to AWS itself, and not to an emulator. */
export const isAws = (address: string): boolean => /\.amazonaws\.com(\.cn)?$/.test(new URL(address).hostname);
