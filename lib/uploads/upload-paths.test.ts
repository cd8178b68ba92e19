import { describe, expect, it } from "vitest";
import { families } from "#functions/families.ts";
import { uploadPathPatterns, uploadRule } from "./upload-paths.ts";

describe("the rule for uploads", () => {
  const isUpload = uploadRule(families);

  it.each([
    ...["/assets", "/v2/assets", "/v9/assets", "/v8/assets?access_token=x", "/%61ssets", "/v8/asse%74s"],
    ...["/assets/v3", "/v0/assets/v3", "/v1/assets/v3"],
    ...["/bot/assets", "/v8/bot/assets", "/provider/assets", "/v0/provider/assets"],
  ])("finds POST %s", (target) => {
    expect(isUpload("POST", target)).toBe(true);
  });

  it.each([
    ...["/", "/assets/", "/Assets", "/assets%2Fv3", "/x/assets", "/assets/key/token", "/bot/assets/v3"],
    ...["/conversations", "/assets%", "", "?/assets"],
  ])("ignores POST %s", (target) => {
    expect(isUpload("POST", target)).toBe(false);
  });

  it.each(["GET", "PUT", "OPTIONS", "post"])("ignores the method %s", (method) => {
    expect(isUpload(method, "/assets")).toBe(false);
  });
});

it("the patterns of a distribution cover every path of an upload, in each version that has it", () => {
  expect(uploadPathPatterns(families).toSorted()).toEqual([
    "/assets",
    "/assets/v3",
    "/bot/assets",
    "/provider/assets",
    "/v?/assets",
    "/v?/assets/v3",
    "/v?/bot/assets",
    "/v?/provider/assets",
  ]);
});
