import { type ILogGroup, QueryDefinition, QueryString } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { Stage } from "../stage.ts";

interface RequestQueryProps {
  readonly stage: Pick<Stage, "name">;
  /** At most 50, the limit of one query of CloudWatch Logs Insights. */
  readonly logGroups: readonly ILogGroup[];
}

/** Placeholder, which the operator replaces with the id of a request. */
const requestIdPlace = "REQUEST-ID";

/** A saved query for CloudWatch Logs Insights: all lines about one request, from its answer to the last socket. */
export class RequestQuery extends Construct {
  constructor(scope: Construct, { stage, logGroups }: RequestQueryProps) {
    super(scope, "request-query");
    new QueryDefinition(this, "Query", {
      queryDefinitionName: `parley/${stage.name}/request`,
      queryString: new QueryString({
        fields: ["@timestamp", "service", "message", "operation", "status", "error.message", "@message"],
        // Lines about several requests have a list of ids.
        filterStatements: [`@message like "${requestIdPlace}"`],
        sort: "@timestamp asc",
        limit: 1000,
      }),
      logGroups: [...logGroups],
    });
  }
}
