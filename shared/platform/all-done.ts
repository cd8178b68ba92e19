/**
 * `Promise.all` that answers in order: settles only once all tasks have, and rejects with the failure that comes first
 * in the list, not in time. So the order of refusals is that of the list, and no running task resumes in a later
 * invocation.
 */
export async function allDone<Tasks extends readonly unknown[] | []>(tasks: Tasks) {
  await Promise.allSettled(tasks);
  for (const task of tasks) await task;
  return Promise.all(tasks);
}
