import { describe, expect, it } from "vitest";
import { creationOrder, largestGroup } from "./creation-order.ts";

const widthOf = (Resources: Record<string, object>) =>
  largestGroup(creationOrder({ Resources }), Object.keys(Resources));

describe("the largest group of independent resources", () => {
  it("has all that refer to nothing, and one of each chain", () => {
    expect(widthOf({ a: {}, b: {}, c: {} })).toBe(3);
    expect(widthOf({ a: {}, b: { DependsOn: ["a"] }, c: { Properties: { Name: { Ref: "b" } } } })).toBe(1);
    expect(
      widthOf({
        a: {},
        b: { Properties: { Arn: { "Fn::GetAtt": ["a", "Arn"] } } },
        c: { Properties: { Arn: { "Fn::Sub": `\${a.Arn}/\${AWS::Region}` } } },
        d: { DependsOn: "b" },
      }),
    ).toBe(2);
  });

  it("is found where a chain that is taken first stands in the way of others", () => {
    expect(widthOf({ a: {}, b: {}, c: { DependsOn: ["a", "b"] }, d: { DependsOn: ["a"] } })).toBe(2);
  });

  it("cannot be computed for resources that wait for each other", () => {
    expect(() => widthOf({ a: { DependsOn: ["b"] }, b: { DependsOn: ["a"] } })).toThrow("Cycle: a → b → a");
  });
});
