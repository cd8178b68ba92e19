/** Ciphertexts in base64, by user and device. */
type Recipients = Record<string, Record<string, string>>;

/** Make a request, and fail unless the status is one of these. */
export async function request(
  url: string,
  {
    method = "GET",
    json,
    headers = {},
    expected,
  }: {
    readonly method?: string;
    readonly json?: object;
    readonly headers?: Record<string, string>;
    readonly expected: readonly number[];
  },
) {
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(json && { "content-type": "application/json" }) },
    body: json && JSON.stringify(json),
    signal: AbortSignal.timeout(10_000),
  });
  const text = await response.text();
  if (!expected.includes(response.status)) throw new Error(`${method} ${url}: ${response.status} ${text}`);
  return { status: response.status, headers: response.headers, body: text === "" ? {} : JSON.parse(text) };
}

/**
 * Send a message to all devices in the bot's conversation.
 *
 * The first attempt names no device, so the answer (412) lists all of them. A real bot now claims a prekey of each
 * device that it has no session with (`POST /bot/users/prekeys`), encrypts for each, and sends; here all get the same
 * bytes.
 */
export async function sendToAll(
  baseUrl: string,
  { token, client, bytes }: { readonly token: string; readonly client: string; readonly bytes: string },
): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  let recipients: Recipients = {};
  // Devices may be added or removed between the attempts.
  for (let attempt = 1; attempt <= 3; attempt++) {
    const { status, body } = await request(`${baseUrl}/v9/bot/messages`, {
      method: "POST",
      json: { sender: client, recipients },
      headers,
      expected: [201, 412],
    });
    if (status === 201) return;
    const missing: [string, string[]][] = Object.entries(body.missing);
    for (const [user, clients] of missing) {
      recipients = { ...recipients, [user]: { ...recipients[user], ...textFor(clients, bytes) } };
    }
  }
  throw new Error("The devices in the conversation keep changing");
}

const textFor = (clients: readonly string[], bytes: string) =>
  Object.fromEntries(clients.map((client) => [client, bytes]));
