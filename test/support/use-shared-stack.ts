import { useSharedStack } from "./shared-stack.ts";

await useSharedStack();
