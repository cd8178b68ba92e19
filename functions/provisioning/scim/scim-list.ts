import { schemaUrns } from "./schemas.ts";

interface Page {
  readonly startIndex: number;
  readonly totalResults: number;
}

/** Shows resources as a list. @param page absent: the resources are complete */
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
