import { readStage, type Stage } from "#lib/stage.ts";

/**
 * Read the stage of a command. AWS clients that are created from now on use the region in its file or, if there is
 * none, that of the environment.
 * @throws InvalidStageError
 */
export function useStage(name: string): Stage {
  const stage = readStage(name);
  if (stage.region !== undefined) process.env.AWS_REGION = stage.region;
  return stage;
}
