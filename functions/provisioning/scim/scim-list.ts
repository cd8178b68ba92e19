import * as z from "zod";
import { schemaUrns } from "./schema-urns.ts";

/** Schema of a list of resources (RFC 7644 §3.4.2). */
export const scimList = <Resource extends z.ZodType>(resource: Resource) =>
  z.object({
    schemas: z.array(z.string()),
    totalResults: z.int().meta({ description: "Of all pages" }),
    itemsPerPage: z.int().meta({ description: "Of this page" }),
    startIndex: z
      .int()
      .meta({ description: "Number of the first one of this page: they are counted from 1" }),
    Resources: z.array(resource),
  });

interface Page {
  readonly startIndex: number;
  readonly totalResults: number;
}

/** Shows resources as a list. @param page absent: they are all that there are */
export const toScimList = <Resource>(
  resources: readonly Resource[],
  { startIndex, totalResults }: Page = { startIndex: 1, totalResults: resources.length },
) => ({
  schemas: [schemaUrns.list],
  totalResults,
  itemsPerPage: resources.length,
  startIndex,
  Resources: [...resources],
});
