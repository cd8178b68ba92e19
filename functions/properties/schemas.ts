import * as z from "zod";

const key = z.string().regex(/^[ -~]+$/, "printable ASCII is needed");

export const propertyPath = z.object({ key: key.meta({ format: "printable" }) });

/** Any JSON, as it was written. */
export const propertyText = z.custom<string>((text) => typeof text === "string", "JSON is needed");

export const propertyValue = z.unknown().meta({ id: "PropertyValue" });

export const propertyKeys = z.array(z.string().meta({ id: "ASCII" }));

/** Not a zod record, which leaves out a key `__proto__`. */
export const propertyValues = z
  .custom<Readonly<Record<string, unknown>>>((values) => typeof values === "object" && values !== null)
  .meta({ id: "PropertyKeysAndValues", type: "object" });
