import { hashedKey } from "../data/code/code-store.ts";

/** Key of a user's deletion code, as mails carry it. */
export const deletionKey = (userId: string) => hashedKey(userId).slice(0, 20);
