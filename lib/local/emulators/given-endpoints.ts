import { SetupError } from "../setup-error.ts";

const variable = /^AWS_ENDPOINT_URL(_(DYNAMODB|SQS|S3|SESV2|SNS|SECRETS_MANAGER))?$/;
const timeoutMilliseconds = 10_000;

/**
 * Check that every replacement of AWS that a variable names can be reached, before anything relies on it.
 * @throws SetupError naming the variable
 */
export async function checkGivenEndpoints(environment: NodeJS.ProcessEnv = process.env): Promise<void> {
  const given = Object.entries(environment).filter(([name, value]) => variable.test(name) && value);
  await Promise.all(given.map(([name, url = ""]) => check(name, url)));
}

async function check(name: string, url: string): Promise<void> {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ""))
    throw new SetupError(`${name} is no address such as http://127.0.0.1:8000: ${url}`);
  try {
    // Any answer shows that it can be reached.
    await fetch(url, {
      method: "HEAD",
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMilliseconds),
    });
  } catch (error) {
    const { message, cause } = error as Error;
    throw new SetupError(
      `Nothing answers at ${name}, ${url}: ${cause instanceof Error ? cause.message : message}`,
    );
  }
}
