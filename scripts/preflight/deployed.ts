/** How CloudFormation refuses to describe a stack that does not exist. */
export const isNotDeployed = (error: unknown): boolean =>
  error instanceof Error && error.name === "ValidationError" && /does not exist/.test(error.message);
