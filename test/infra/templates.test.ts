import { readdirSync } from "node:fs";
import { join, parse } from "node:path";
import { describe, expect, it } from "vitest";
import { synthesise } from "#lib/stacks/synthesise.ts";
import { readStage } from "#lib/stage.ts";
import { creationOrder, largestGroup } from "./creation-order.ts";

const stages = readdirSync(join(import.meta.dirname, "../../stages")).map((file) => parse(file).name);

describe.each(stages)("the templates of the stage %s", (name) => {
  const { stacks } = synthesise(readStage(name));

  it("let CloudFormation create at most ten parts of an API at the same time, in an order without cycles", () => {
    for (const { name, template } of stacks) {
      const order = creationOrder(template);
      const parts = [...order.keys()].filter((id) =>
        template.Resources[id].Type.startsWith("AWS::ApiGatewayV2::"),
      );
      expect(largestGroup(order, parts), name).toBeLessThanOrEqual(10);
    }
  });
});
