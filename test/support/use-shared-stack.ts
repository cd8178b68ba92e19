import { waitPatiently } from "./patient-calls.ts";
import { useSharedStack } from "./shared-stack.ts";
import { skipSignatures } from "./unsigned-calls.ts";

waitPatiently();
skipSignatures();
await useSharedStack();
