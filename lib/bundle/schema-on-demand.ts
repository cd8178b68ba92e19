import * as z from "zod";

/**
 * Placeholder that builds its schema on first use.
 * @param build makes the schema; called again only if it throws
 */
export function schemaOnDemand<Schema extends z.ZodType>(build: () => Schema): Schema {
  const schema = {} as Schema;
  function become(): Schema {
    const built = build();
    if ((built as Partial<Schema> | undefined)?._zod === undefined)
      throw new TypeError(`No schema: ${build}`);
    Object.setPrototypeOf(schema, Object.getPrototypeOf(built));
    Object.defineProperties(schema, Object.getOwnPropertyDescriptors(built));
    const metadata = built.meta();
    if (metadata !== undefined) z.globalRegistry.add(schema, metadata);
    return schema;
  }
  const unbuilt: ProxyHandler<object> = {
    get: (_, key) => Reflect.get(become(), key),
    has: (_, key) => Reflect.has(become(), key),
  };
  return Object.setPrototypeOf(schema, new Proxy({}, unbuilt));
}
