// Loads the bundle of a function as Lambda does at a cold start, and sends its parent the milliseconds of CPU time.
import { createRequire } from "node:module";

const [, , bundle = ""] = process.argv;
const require = createRequire(import.meta.url);
const before = process.cpuUsage();
require(bundle);
const { user, system } = process.cpuUsage(before);
process.send?.((user + system) / 1000);
process.disconnect?.();
