import { families } from "#functions/families.ts";
import { gatewayRoutes, resolveRoute } from "#lib/gateway-routes.ts";
import type { OpenApiDocument } from "#shared/platform/http/openapi.ts";

interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly examples?: readonly unknown[];
}

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

/** Operations that need no login, each of a different function. */
const sampled = [
  { method: "get", path: "/api-version" },
  { method: "post", path: "/register" },
  { method: "post", path: "/login" },
  { method: "post", path: "/password-reset" },
  { method: "post", path: "/verification-code/send" },
] as const;

/** A request as API Gateway passes it to a function. */
export interface SampleEvent {
  readonly functionName: string;
  readonly operation: string;
  readonly event: object;
}

/** Events for some functions, with the examples of the API document as bodies. */
export function sampleEvents({ paths, components }: OpenApiDocument): SampleEvent[] {
  const exampleOf = (schema: Schema | undefined): unknown => {
    if (schema === undefined) return undefined;
    const name = schema.$ref?.replace(/.*\//, "");
    const target = name === undefined ? undefined : (components.schemas[name] as Schema);
    return schema.examples?.[0] ?? exampleOf(target) ?? exampleOf(schema.anyOf?.[0]);
  };
  return sampled.map(({ method, path }) => {
    const operation = paths[path]?.[method] as (Operation & { readonly operationId: string }) | undefined;
    const route = resolveRoute(gatewayRoutes(families, "public"), path);
    if (operation === undefined || route === undefined)
      throw new Error(`There is no operation ${method} ${path}`);
    const body = exampleOf(operation.requestBody?.content["application/json"]?.schema);
    return {
      functionName: route.family,
      operation: operation.operationId,
      event: eventOf(method.toUpperCase(), path, route.path, body),
    };
  });
}

const eventOf = (method: string, path: string, routePath: string, body: unknown) => ({
  version: "2.0",
  routeKey: routePath === "$default" ? routePath : `ANY ${routePath}`,
  rawPath: path,
  rawQueryString: "",
  headers: {
    accept: "application/json",
    host: "127.0.0.1",
    ...(body !== undefined && { "content-type": "application/json" }),
  },
  requestContext: {
    accountId: "000000000000",
    apiId: "local",
    domainName: "127.0.0.1",
    domainPrefix: "127",
    http: { method, path, protocol: "HTTP/1.1", sourceIp: "127.0.0.1", userAgent: "sam" },
    requestId: "sample",
    routeKey: routePath,
    stage: "$default",
    time: "01/Jan/2030:00:00:00 +0000",
    timeEpoch: Date.UTC(2030, 0, 1),
  },
  ...(body !== undefined && { body: JSON.stringify(body) }),
  isBase64Encoded: false,
});
