import { expect, it } from "vitest";
import { sbomOf } from "./sbom.ts";

const zod = { name: "zod", version: "4.0.0", licence: "MIT", folder: "/zod" };
const protobuf = {
  name: "@a/protobuf",
  version: "2.0.0",
  licence: "(Apache-2.0 AND ISC)",
  folder: "/protobuf",
};

it("lists each package once, with its licence, its hash and the bundles that contain it", () => {
  const bundles = [
    { bundle: "users", packages: [zod] },
    { bundle: "self", packages: [protobuf, zod] },
  ];
  const integrityOf = ({ name }: typeof zod) => (name === "zod" ? "sha512-AQID" : undefined);
  const sbom = sbomOf({ name: "parley", version: "1.0.0", licence: "Apache-2.0" }, bundles, integrityOf);
  expect(sbom.metadata.component).toMatchObject({ type: "application", purl: "pkg:npm/parley@1.0.0" });
  expect(sbom.components).toEqual([
    {
      type: "library",
      "bom-ref": "pkg:npm/%40a/protobuf@2.0.0",
      name: "@a/protobuf",
      version: "2.0.0",
      purl: "pkg:npm/%40a/protobuf@2.0.0",
      licenses: [{ expression: "(Apache-2.0 AND ISC)" }],
      properties: [{ name: "parley:bundle", value: "self" }],
    },
    {
      type: "library",
      "bom-ref": "pkg:npm/zod@4.0.0",
      name: "zod",
      version: "4.0.0",
      purl: "pkg:npm/zod@4.0.0",
      licenses: [{ license: { id: "MIT" } }],
      hashes: [{ alg: "SHA-512", content: "010203" }],
      properties: [
        { name: "parley:bundle", value: "self" },
        { name: "parley:bundle", value: "users" },
      ],
    },
  ]);
  expect(sbom.dependencies[0]).toEqual({
    ref: "pkg:npm/parley@1.0.0",
    dependsOn: ["pkg:npm/%40a/protobuf@2.0.0", "pkg:npm/zod@4.0.0"],
  });
});
