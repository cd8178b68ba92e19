import { randomUUID } from "node:crypto";

/** One run of a command; all of its records name it. */
export interface CommandRun {
  readonly name: string;
  readonly id: string;
}

export const startRun = (name: string): CommandRun => ({ name, id: randomUUID() });

/** Name of the command in its requests, for the audit trail. */
export const commandHeader = ({ name, id }: CommandRun) => ({ "x-command": `${id} ${name}` });
