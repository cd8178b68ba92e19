import { describe, expect, it } from "vitest";
import { families, workers } from "#functions/families.ts";
import { openapiOf } from "#functions/platform/api-info/openapi-of.ts";
import { gatewayRoutes } from "#lib/gateway-routes.ts";
import { newestVersion } from "#shared/platform/http/versions.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { sampleEvents } from "./sample-events.ts";
import { logicalId, samTemplate } from "./template.ts";

const settings = parseSettings({});
const environment = {
  AWS_ENDPOINT_URL_SQS: "http://127.0.0.1:4100",
  AWS_ENDPOINT_URL_DYNAMODB: "http://127.0.0.1:4200",
  AWS_REGION: "eu-central-1",
};
const access = { environment, prefix: "parley", publicUrl: "http://127.0.0.1:8080", settings };
const template = samTemplate({ access, bundles: "functions", architecture: "arm64" });

interface Event {
  readonly Properties: { readonly Path?: string; readonly Method?: string };
}

interface Properties {
  readonly CodeUri: string;
  readonly Environment: { readonly Variables: Readonly<Record<string, string>> };
  readonly Events?: Readonly<Record<string, Event>>;
}

const propertiesOf = (name: string) =>
  (template.Resources as Record<string, { Properties: Properties }>)[logicalId(name)]
    ?.Properties as Properties;

describe("the SAM template", () => {
  it("has every function, and routes the public API to its families", () => {
    for (const { name } of [...families, ...workers])
      expect(propertiesOf(name).CodeUri).toBe(`functions/${name}`);
    const found = families.flatMap(({ name }) =>
      Object.values(propertiesOf(name).Events ?? {}).map(({ Properties: { Path = "$default" } }) => ({
        path: Path,
        family: name,
      })),
    );
    const byPath = (one: { path: string }, other: { path: string }) => (one.path < other.path ? -1 : 1);
    expect(found.toSorted(byPath)).toEqual([...gatewayRoutes(families, "public")].toSorted(byPath));
  });

  it("gives a function the names of the resources in its manifest, and the addresses of the emulators", () => {
    expect(propertiesOf("erasure").Environment.Variables).toMatchObject({
      ...environment,
      TABLE_ACCOUNTS: "parley-accounts",
      QUEUE_ERASURES: "http://127.0.0.1:4100/000000000000/parley-erasures",
      QUEUE_EVENTS: "http://127.0.0.1:4100/000000000000/parley-events.fifo",
      BUCKET_ASSETS: "parley-assets",
      SETTINGS_FILE: "/var/task/settings.json",
    });
    expect(propertiesOf("mail-feedback").Environment.Variables).not.toHaveProperty("TABLE_ACCOUNTS");
  });
});

describe("the sample events", () => {
  const samples = sampleEvents(openapiOf(newestVersion, settings));

  it("are requests to five functions, with the examples of the API document", () => {
    expect(new Set(samples.map(({ functionName }) => functionName)).size).toBe(5);
    for (const { operation, event } of samples) {
      const { body, requestContext } = event as {
        body?: string;
        requestContext: { http: { method: string } };
      };
      expect(JSON.parse(body ?? "{}"), operation).toEqual(expect.any(Object));
      expect(body === undefined, operation).toBe(requestContext.http.method === "GET");
    }
  });
});
