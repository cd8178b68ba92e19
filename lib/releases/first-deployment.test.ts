import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { afterAll, describe, expect, it } from "vitest";
import { prepareFirstDeployment } from "./first-deployment.ts";

interface State {
  readonly status: string;
  isProtected: boolean;
}

const stacks = new Map<string, State>();
const server = createServer(async (request, response) => {
  const call = new URLSearchParams(await text(request));
  const name = call.get("StackName") ?? "";
  const stack = stacks.get(name);
  if (stack === undefined) {
    response.writeHead(400, { "content-type": "text/xml" });
    response.end(
      `<ErrorResponse><Error><Code>ValidationError</Code><Message>Stack with id ${name} does not exist</Message></Error></ErrorResponse>`,
    );
    return;
  }
  const action = call.get("Action");
  if (action === "UpdateTerminationProtection")
    stack.isProtected = call.get("EnableTerminationProtection") === "true";
  const described =
    `<Stacks><member><StackName>${name}</StackName><StackStatus>${stack.status}</StackStatus>` +
    `<CreationTime>2030-01-01T00:00:00Z</CreationTime><EnableTerminationProtection>${stack.isProtected}</EnableTerminationProtection></member></Stacks>`;
  response.writeHead(200, { "content-type": "text/xml" });
  response.end(`<${action}Response><${action}Result>${described}</${action}Result></${action}Response>`);
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
afterAll(() => {
  server.close();
});

const clientIn = (region = "eu-central-1") =>
  new CloudFormationClient({
    region,
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  });

async function prepare(states: Readonly<Record<string, State>>) {
  stacks.clear();
  for (const [name, state] of Object.entries(states)) stacks.set(name, state);
  const said: string[] = [];
  const planned = ["data", "api"].map((name) => ({ name, region: undefined }));
  const incomplete = await prepareFirstDeployment(planned, clientIn, (line) => said.push(line));
  return { incomplete, said, isProtected: [...stacks.values()].map((one) => one.isProtected) };
}

describe("the preparation of a first deployment", () => {
  it("finds stacks that do not exist", async () => {
    const { incomplete, said } = await prepare({});
    expect(incomplete).toEqual(["data", "api"]);
    expect(said).toEqual([]);
  });

  it.each(["ROLLBACK_COMPLETE", "ROLLBACK_FAILED"])(
    "unprotects a stack whose creation ended as %s, so that it can be deleted",
    async (status) => {
      const { incomplete, said, isProtected } = await prepare({
        data: { status: "CREATE_COMPLETE", isProtected: true },
        api: { status, isProtected: true },
      });
      expect(incomplete).toEqual(["api"]);
      expect(said).toEqual([`api is ${status}: its creation failed, and it is deleted and created again.`]);
      expect(isProtected).toEqual([true, false]);
    },
  );

  it("counts a stack that has only a change set as not created", async () => {
    const state = { status: "REVIEW_IN_PROGRESS", isProtected: false };
    expect(await prepare({ data: state, api: state })).toMatchObject({
      incomplete: ["data", "api"],
      said: [],
    });
  });

  it.each([
    "CREATE_COMPLETE",
    "UPDATE_COMPLETE",
    "UPDATE_ROLLBACK_COMPLETE",
    "UPDATE_ROLLBACK_FAILED",
    "DELETE_FAILED",
  ])("does not touch a stack that has held data: %s", async (status) => {
    const states = { data: { status, isProtected: true }, api: { status, isProtected: true } };
    const { incomplete, said, isProtected } = await prepare(states);
    expect([incomplete, said, isProtected]).toEqual([[], [], [true, true]]);
  });
});
