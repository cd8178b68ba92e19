import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { families, workers } from "#functions/families.ts";
import { gatewayRoutes } from "#lib/gateway-routes.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { logicalId, samTemplate } from "../../scripts/sam/template.ts";
import { inPython, pythonEnvironment } from "../support/python.ts";

it("SAM accepts its template, and finds every function and every route of the public API in it", {
  ...inPython,
  timeout: 600_000,
}, ({ skip }) => {
  const environment = pythonEnvironment("aws-sam-cli==1.170.0");
  if (environment === undefined) return skip(`Needs ${inPython.meta.needs}`);
  const folder = mkdtempSync(join(tmpdir(), "parley-sam-"));
  const file = join(folder, "template.json");
  const access = {
    environment: {
      AWS_ENDPOINT_URL_SQS: "http://127.0.0.1:4100",
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: "local",
      AWS_SECRET_ACCESS_KEY: "secret",
    },
    prefix: "parley",
    publicUrl: "http://127.0.0.1:8080",
    settings: parseSettings({}),
  };
  try {
    writeFileSync(file, JSON.stringify(samTemplate({ access, bundles: "functions", architecture: "arm64" })));
    const validation = ["validate", "--lint", "--template", file, "--region", access.environment.AWS_REGION];
    const validated = environment.run("samcli", validation);
    expect(validated.status, validated.output).toBe(0);
    const found = environment.script("test/support/sam_provider.py", [file]);
    expect(found.status, found.output).toBe(0);
    const { functions, routes } = JSON.parse(found.output.slice(found.output.indexOf("{")));
    expect(functions.map(({ name }: { name: string }) => name).toSorted()).toEqual(
      [...families, ...workers].map(({ name }) => logicalId(name)).toSorted(),
    );
    const expected = gatewayRoutes(families, "public").map(
      ({ path, family }) => `${path} ${logicalId(family)}`,
    );
    expect(
      routes
        .map(({ path, function: name }: { path: string; function: string }) => `${path} ${name}`)
        .toSorted(),
    ).toEqual(expected.toSorted());
  } finally {
    rmSync(folder, { recursive: true });
  }
});
