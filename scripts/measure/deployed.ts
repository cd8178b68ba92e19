import { setTimeout as wait } from "node:timers/promises";
import { paginateDescribeStacks, paginateListStackResources } from "@aws-sdk/client-cloudformation";
import { functionsStack } from "#lib/guarded-deployment.ts";
import { isNameOf, stackPrefix } from "#lib/releases/deployed-stacks.ts";
import { signedFetch } from "#lib/signed-fetch.ts";
import type { Stage } from "#lib/stage.ts";
import { chunks } from "#shared/platform/chunks.ts";
import type { Clients } from "../preflight/clients.ts";

interface Alarm {
  readonly AlarmName: string;
  readonly StateValue: string;
  readonly StateReason?: string;
}

interface QueryResults {
  readonly status: string;
  readonly results: readonly (readonly { field: string; value: string }[])[];
}

interface StackResource {
  readonly type: string;
  readonly logical: string;
  readonly physical: string;
}

/** A metric of CloudWatch; without dimensions, it is one of the account. */
export interface Metric {
  readonly namespace: string;
  readonly name: string;
  readonly statistic: string;
  readonly dimensions?: Readonly<Record<string, string>>;
  /** A day by default. */
  readonly periodSeconds?: number;
}

/** A quota of a service that CloudWatch measures. */
interface Quota {
  readonly QuotaName: string;
  readonly Value: number;
  readonly Period?: { readonly PeriodValue: number; readonly PeriodUnit: string };
  readonly UsageMetric?: {
    readonly MetricNamespace: string;
    readonly MetricName: string;
    readonly MetricDimensions?: Readonly<Record<string, string>>;
    readonly MetricStatisticRecommendation?: string;
  };
}

/** Metrics that one request reads at most. */
const mostMetrics = 500;
/** Log groups that one query reads at most. */
const mostLogGroups = 50;
const measuredSeconds = 24 * 60 * 60;
const querySeconds = 60;

/** Reads the resources and metrics of a stage on AWS. */
export class Deployed {
  readonly stage: Stage;
  readonly clients: Clients;
  readonly #region: string;
  readonly #endpoint: string | undefined;
  readonly #resources = new Map<string, Promise<StackResource[]>>();

  /** @param endpoint used instead of AWS */
  constructor(stage: Stage, clients: Clients, region: string, endpoint?: string) {
    this.stage = stage;
    this.clients = clients;
    this.#region = region;
    this.#endpoint = endpoint;
  }

  /** Stacks in the region of the stage that were not deleted. */
  async stacks(): Promise<{ name: string; status: string }[]> {
    const found: { name: string; status: string }[] = [];
    for await (const { Stacks = [] } of paginateDescribeStacks({ client: this.clients.cloudFormation }, {}))
      for (const { StackName = "", StackStatus = "" } of Stacks)
        if (isNameOf(this.stage.name, StackName)) found.push({ name: StackName, status: StackStatus });
    if (found.length === 0) throw new Error(`no stack begins with ${this.#prefix}: it is not deployed here`);
    return found;
  }

  /** Name of the Lambda function of a family or worker. @throws Error when the stack has none */
  async functionOf(name: string): Promise<string> {
    const prefix = `${name.replaceAll("-", "")}functionFunction`;
    const found = (await this.#resourcesOf(functionsStack(this.stage))).find(
      ({ type, logical }) => type === "AWS::Lambda::Function" && logical.startsWith(prefix),
    );
    if (found === undefined)
      throw new Error(`the stack ${functionsStack(this.stage)} has no function ${name}`);
    return found.physical;
  }

  async alarms(): Promise<Alarm[]> {
    const alarms: Alarm[] = [];
    let NextToken: string | undefined;
    do {
      const page = await this.#call<{ MetricAlarms?: Alarm[]; NextToken?: string }>("monitoring", {
        target: "GraniteServiceVersion20100801.DescribeAlarms",
        version: "1.0",
        input: { AlarmNamePrefix: this.#prefix, MaxRecords: 100, NextToken },
      });
      const { MetricAlarms = [] } = page;
      alarms.push(...MetricAlarms.filter(({ AlarmName }) => isNameOf(this.stage.name, AlarmName)));
      NextToken = page.NextToken;
    } while (NextToken !== undefined);
    return alarms;
  }

  /** Names or ids of all resources of a type, in all stacks of the stage. */
  async named(type: string): Promise<string[]> {
    const stacks = await this.stacks();
    const resources = await Promise.all(stacks.map(({ name }) => this.#resourcesOf(name)));
    return resources.flat().flatMap((one) => (one.type === type ? [one.physical] : []));
  }

  /** CloudWatch's values of each metric for the last day; empty if nothing was measured. */
  async valuesOf(metrics: readonly Metric[]): Promise<number[][]> {
    const values: number[][] = metrics.map(() => []);
    const EndTime = Math.floor(Date.now() / 1000);
    const queries = metrics.map(({ namespace, name, statistic, dimensions = {}, periodSeconds }, index) => ({
      Id: `m${index}`,
      MetricStat: {
        Metric: {
          Namespace: namespace,
          MetricName: name,
          Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })),
        },
        Period: periodSeconds ?? measuredSeconds,
        Stat: statistic,
      },
    }));
    for (const MetricDataQueries of chunks(queries, mostMetrics)) {
      let NextToken: string | undefined;
      do {
        const page = await this.#call<{
          MetricDataResults: readonly { Id: string; Values: readonly number[] }[];
          NextToken?: string;
        }>("monitoring", {
          target: "GraniteServiceVersion20100801.GetMetricData",
          version: "1.0",
          input: { MetricDataQueries, StartTime: EndTime - measuredSeconds, EndTime, NextToken },
        });
        for (const { Id, Values } of page.MetricDataResults) values[Number(Id.slice(1))]?.push(...Values);
        NextToken = page.NextToken;
      } while (NextToken !== undefined);
    }
    return values;
  }

  /** The account's quotas of a service in this region, as far as CloudWatch measures their use. */
  async measuredQuotas(ServiceCode: string): Promise<Quota[]> {
    const quotas: Quota[] = [];
    let NextToken: string | undefined;
    do {
      const page = await this.#call<{ Quotas: Quota[]; NextToken?: string }>("servicequotas", {
        target: "ServiceQuotasV20190624.ListServiceQuotas",
        version: "1.1",
        input: { ServiceCode, MaxResults: 100, NextToken },
      });
      quotas.push(...page.Quotas.filter(({ UsageMetric }) => UsageMetric?.MetricName !== undefined));
      NextToken = page.NextToken;
    } while (NextToken !== undefined);
    return quotas;
  }

  /**
   * Query the logs of the last day of all functions.
   * @returns a line for each result; results of different log groups follow each other
   */
  async query(queryString: string): Promise<string[]> {
    const groups = (await this.#resourcesOf(functionsStack(this.stage)))
      .filter(({ type }) => type === "AWS::Logs::LogGroup")
      .map(({ physical }) => physical);
    const endTime = Math.floor(Date.now() / 1000);
    const lines: string[] = [];
    for (let index = 0; index < groups.length; index += mostLogGroups) {
      const logGroupNames = groups.slice(index, index + mostLogGroups);
      const { queryId } = await this.#logs<{ queryId: string }>("StartQuery", {
        logGroupNames,
        startTime: endTime - measuredSeconds,
        endTime,
        queryString,
      });
      lines.push(...(await this.#resultsOf(queryId)));
    }
    return lines.length === 0 ? ["nothing in the logs of the last day"] : lines;
  }

  async #resultsOf(queryId: string): Promise<string[]> {
    for (let second = 0; second < querySeconds; second += 1) {
      const { status, results } = await this.#logs<QueryResults>("GetQueryResults", { queryId });
      if (status === "Complete")
        return results.map((row) => row.map(({ field, value }) => `${field} ${value}`).join(", "));
      if (status !== "Running" && status !== "Scheduled")
        throw new Error(`the query of logs ended as ${status}`);
      await wait(1000);
    }
    throw new Error(`the query of logs has not ended after ${querySeconds} seconds`);
  }

  /** Prefix of the names of the stage's stacks and alarms. */
  get #prefix(): string {
    return stackPrefix(this.stage.name);
  }

  #resourcesOf(stack: string): Promise<StackResource[]> {
    const known = this.#resources.get(stack) ?? this.#readResources(stack);
    this.#resources.set(stack, known);
    return known;
  }

  async #readResources(StackName: string) {
    const pages = paginateListStackResources({ client: this.clients.cloudFormation }, { StackName });
    const found: StackResource[] = [];
    for await (const { StackResourceSummaries = [] } of pages)
      for (const {
        ResourceType = "",
        LogicalResourceId = "",
        PhysicalResourceId = "",
      } of StackResourceSummaries)
        found.push({ type: ResourceType, logical: LogicalResourceId, physical: PhysicalResourceId });
    return found;
  }

  #logs<T>(action: string, input: object): Promise<T> {
    return this.#call("logs", { target: `Logs_20140328.${action}`, version: "1.1", input });
  }

  async #call<T>(
    service: string,
    { target, version, input }: { target: string; version: string; input: object },
  ): Promise<T> {
    const response = await signedFetch(
      new URL(this.#endpoint ?? `https://${service}.${this.#region}.amazonaws.com/`),
      {
        service,
        region: this.#region,
        credentials: await this.clients.sts.config.credentials(),
        method: "POST",
        headers: { "content-type": `application/x-amz-json-${version}`, "x-amz-target": target },
        body: JSON.stringify(input),
      },
    );
    const text = await response.text();
    if (!response.ok) throw new Error(`${target} is refused with ${response.status}: ${text.slice(0, 300)}`);
    return JSON.parse(text) as T;
  }
}
