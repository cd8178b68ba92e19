import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, CfnResource, Stack } from "aws-cdk-lib";
import { expect, it } from "vitest";
import { replaceTemplate, templateIn } from "#lib/releases/assembly.ts";

it("a template is replaced under the name by which the CDK uploads it, and no other is", () => {
  const outdir = mkdtempSync(join(tmpdir(), "parley-assembly-"));
  try {
    const app = new App({ outdir });
    for (const name of ["one", "other"])
      new CfnResource(new Stack(app, name), "Topic", { type: "AWS::SNS::Topic" });
    app.synth();
    const names = () =>
      ["one", "other"].map((stackName) => {
        const { artifacts } = JSON.parse(readFileSync(join(outdir, "manifest.json"), "utf8"));
        const [uploaded] = Object.keys(
          JSON.parse(readFileSync(join(outdir, `${stackName}.assets.json`), "utf8")).files,
        );
        const used = artifacts[stackName].properties.stackTemplateAssetObjectUrl;
        expect(used).toContain(`/${uploaded}.json`);
        return uploaded;
      });
    const [one, other] = names();
    const template = templateIn(outdir, "one");
    template.Resources.Topic.Properties = { DisplayName: "changed" };
    replaceTemplate(outdir, "one", template);
    expect(templateIn(outdir, "one")).toEqual(template);
    const [oneAfter, otherAfter] = names();
    expect(otherAfter).toBe(other);
    expect(oneAfter).not.toBe(one);
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
});
