import { withEffects } from "./effects.ts";
import { eventually } from "./eventually.ts";
import { sharedStack } from "./shared-stack.ts";

/** A message that a stack has sent. */
export interface Message {
  readonly kind: "email" | "sms";
  readonly to: string;
  readonly from: string;
  readonly subject?: string;
  readonly text: string;
  readonly html?: string;
  readonly headers: Record<string, string>;
}

/**
 * All messages sent to an address or number so far, newest first.
 * @param options.consoleUrl dev console of another stack
 */
export const messagesTo = (
  address: string,
  { consoleUrl }: { consoleUrl?: string } = {},
): Promise<Message[]> =>
  withEffects(async () => {
    if (consoleUrl === undefined) return sharedStack().messages.list({ to: address }) as unknown as Message[];
    const response = await fetch(`${consoleUrl}/messages?${new URLSearchParams({ to: address })}`);
    return (await response.json()) as Message[];
  });

/** The newest message to an address, as soon as there are `count`; with a purpose, only its messages count. */
export async function nextMessage(
  address: string,
  { count = 1, purpose, consoleUrl }: { count?: number; purpose?: string; consoleUrl?: string } = {},
): Promise<Message> {
  return eventually(async () => {
    const messages = await messagesTo(address, { consoleUrl });
    const [newest, ...older] = messages.filter(
      ({ headers }) => purpose === undefined || headers["X-Svc-Purpose"] === purpose,
    );
    if (newest === undefined || older.length + 1 < count) throw new Error(`No message to ${address} yet`);
    return newest;
  });
}

/** The six digits in an SMS. */
export const codeIn = ({ text }: Message): string => /\b\d{6}\b/.exec(text)?.[0] ?? "";

/** A wrong code: the next one, or one further on. */
export const wrongCode = (code: string, distance = 0): string =>
  String((Number(code) + 1 + distance) % 1_000_000).padStart(6, "0");
