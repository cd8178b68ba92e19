/**
 * CloudFormation plans a change set that reverts drift by comparing what is deployed, and may take a reference between stacks
 * in another form for a replacement: of a table, too. Whoever wants to know what has drifted reads `cdk drift`.
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
