// Imports the bundle of a function as Lambda does at a cold start, and sends its parent the milliseconds that took.
const [, , bundle = ""] = process.argv;
const startedAt = performance.now();
await import(bundle);
process.send?.(performance.now() - startedAt);
process.disconnect?.();
