import type { ErrorName, Settings } from "../product.ts";
import { ApiError } from "./api-error.ts";
import type { FormContext } from "./older-form.ts";
import type { Requirement } from "./requirement.ts";

/** Whether a domain is that of this installation. */
export const isLocalDomain = (domain: string, settings: Settings): boolean =>
  domain.toLowerCase() === settings.domain.toLowerCase();

/** Refuses other domains, which cannot be reached. @throws ApiError `federation-not-enabled` */
export function checkLocalDomain(domain: string, settings: Settings): void {
  if (!isLocalDomain(domain, settings)) throw new ApiError("federation-not-enabled");
}

/** Requires that a path parameter names the domain of this installation, and answers another with an error. */
export const localDomain = (parameter: string, error: ErrorName = "federation-not-enabled"): Requirement => ({
  errors: [error],
  check: ({ params, settings }) => {
    if (!isLocalDomain(String(Object(params)[parameter]), settings)) throw new ApiError(error);
  },
});

/** Adapts older paths, which lack the domains in some parameters: they mean the one of this installation. */
export const inOwnDomain =
  <Parameter extends string>(...parameters: Parameter[]) =>
  <Params extends object>({ params }: { readonly params: Params }, { settings }: FormContext) => {
    const domains = Object.fromEntries(parameters.map((parameter) => [parameter, settings.domain]));
    return { params: { ...params, ...domains } as Params & Record<Parameter, string> };
  };
