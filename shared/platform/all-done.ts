/**
 * Resolves and rejects like `Promise.all`, but only once all have settled: a running task would resume in a later
 * invocation. The first task of the list that has failed decides the error, whichever was faster.
 */
export async function allDone<const Tasks extends readonly unknown[]>(
  tasks: Tasks,
): Promise<{ -readonly [Index in keyof Tasks]: Awaited<Tasks[Index]> }> {
  await Promise.allSettled(tasks);
  const results: unknown[] = [];
  for (const task of tasks) results.push(await task);
  return results as { -readonly [Index in keyof Tasks]: Awaited<Tasks[Index]> };
}
