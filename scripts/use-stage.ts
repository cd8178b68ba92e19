import { readStage, type Stage } from "#lib/stage.ts";

/**
 * Read the stage that a command is about. Clients of AWS that are made from now on work in the region of its file, whatever
 * the environment says; without one there, in that of the environment.
 * @throws InvalidStageError
 */
export function useStage(name: string): Stage {
  const stage = readStage(name);
  if (stage.region !== undefined) process.env.AWS_REGION = stage.region;
  return stage;
}
