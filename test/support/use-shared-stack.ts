import { waitPatiently } from "./patient-calls.ts";
import { useSharedStack } from "./shared-stack.ts";

waitPatiently();
await useSharedStack();
