import { randomUUID } from "node:crypto";

/** One run of a command: whatever it has recorded says which. */
export interface CommandRun {
  readonly name: string;
  readonly id: string;
}

export const startRun = (name: string): CommandRun => ({ name, id: randomUUID() });

/** How requests of the command name it, for the audit trail. */
export const commandHeader = ({ name, id }: CommandRun) => ({ "x-command": `${id} ${name}` });
