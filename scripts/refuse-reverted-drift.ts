/**
 * Refuse options that revert drift. For such a change set, CloudFormation compares deployed values, and may treat a
 * reference between stacks in another form as a replacement, even of a table. `cdk drift` only shows drift.
 *
 * @throws Error when the options of a deployment ask for it
 */
export function refuseRevertedDrift(options: readonly string[]): void {
  const found = options.find((option) => /^--revert-?drift(=(?!false$)|$)/i.test(option));
  if (found === undefined) return;
  throw new Error(
    `${found} is refused: it may replace what others refer to. npx cdk drift says what has drifted`,
  );
}
