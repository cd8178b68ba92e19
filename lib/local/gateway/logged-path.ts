import type { Family } from "#shared/platform/manifest.ts";

/**
 * Creates the function that takes secrets out of the paths that the request log shows: the end of a path that
 * `endsInSecret` is replaced with the name of the parameter.
 */
export function loggedPaths(families: readonly Family[]): (path: string) => string {
  const routes = families.flatMap((family) => Object.values(family.routes));
  const literal = new Set(routes.map(({ path }) => path));
  const secret = routes.filter(({ endsInSecret }) => endsInSecret).map(({ path }) => path);
  return (path) => {
    const [, prefix = "", unversioned = ""] = /^(\/v\d+)?(.*)$/s.exec(path) ?? [];
    if (literal.has(unversioned)) return path;
    const masked = secret.find((template) => unversioned.startsWith(beginning(template)));
    return masked === undefined ? path : `${prefix}${masked}`;
  };
}

const beginning = (template: string) => template.slice(0, template.lastIndexOf("{"));
