import { synthesise } from "../stacks/synthesise.ts";
import { readStage } from "../stage.ts";
import { stackPrefix } from "./deployed-stacks.ts";
import type { StackTemplate } from "./kept-resources.ts";

/** Templates of a stage by stack, without the name of the stage, and with functions without code. */
export const stageTemplates = (name: string): Record<string, StackTemplate> =>
  Object.fromEntries(
    synthesise(readStage(name)).stacks.map((stack) => [
      stack.name.slice(stackPrefix(name).length),
      stack.template,
    ]),
  );
