/** Activities that operators can pause without a deployment, and the operations that are refused meanwhile. */
export const switches = {
  registration: "new accounts, teams and providers",
  "password-login": "logins with a password or a code by SMS",
  uploads: "uploads of files",
  messages: "messages in conversations, and broadcasts",
} as const;

export type SwitchName = keyof typeof switches;
