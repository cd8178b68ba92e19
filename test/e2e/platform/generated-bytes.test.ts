import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { api } from "../../support/api.ts";
import { download, fetchBytes, locationOf } from "../../support/assets.ts";
import { localDomain } from "../../support/connections.ts";
import { newConversation } from "../../support/conversations.ts";
import { withEffects } from "../../support/effects.ts";
import { eventually } from "../../support/eventually.ts";
import { programIn } from "../../support/guides.ts";
import { addDevices, encodeQualifiedMessage } from "../../support/otr-messages.ts";
import { generatePythonClient, hasPython, inPython, pythonGenerator } from "../../support/python.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { newUser } from "../../support/users.ts";

/** Bodies that are not JSON, sent to a stack by clients that tools have generated from its document. */

const file = "a file with two\r\n\r\nlines";
const ciphertext = "ciphertext";

/** Two users with a device each, in a conversation. */
async function newPlan() {
  const [ada, ben] = await Promise.all([newUser(), newUser()]);
  const [[sender = ""], [device = ""], { id }] = await Promise.all([
    addDevices(ada),
    addDevices(ben),
    newConversation([ada, ben]),
  ]);
  const plan = {
    publicUrl: sharedStack().publicUrl,
    token: ada.token,
    domain: localDomain,
    conversation: id,
    sender,
    recipient: { user: ben.id, device },
    file,
    ciphertext,
  };
  return { plan, ada, ben };
}

type Answers = readonly [
  asset: { status: number; body: { key: string; token: string } },
  sent: { status: number; body: object },
];

/** Checks the answers to the clients, and the file and the message as they arrived. */
async function expectArrival([asset, sent]: Answers, { plan, ben }: Awaited<ReturnType<typeof newPlan>>) {
  expect(asset.status).toBe(201);
  const { key, token } = asset.body;
  const { bytes } = await fetchBytes(locationOf(await download(ben, key, { header: token })));
  expect(bytes.toString()).toBe(plan.file);

  expect(sent).toMatchObject({ status: 201, body: { missing: {}, redundant: {}, deleted: {} } });
  const message = expect.objectContaining({
    type: "conversation.otr-message-add",
    data: expect.objectContaining({
      sender: plan.sender,
      recipient: plan.recipient.device,
      text: Buffer.from(plan.ciphertext).toString("base64"),
    }),
  });
  await eventually(async () => {
    const path = `/notifications?client=${plan.recipient.device}`;
    const { body } = await api("GET", path, { token: ben.token });
    const events = body.notifications.flatMap(({ payload }: { payload: object[] }) => payload);
    expect(events).toContainEqual(message);
  });
}

const folder = mkdtempSync(join(tmpdir(), "parley-bytes-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function answersOf(command: string, args: readonly string[]): Promise<Answers> {
  const { stdout } = await withEffects(() => promisify(execFile)(command, args, { timeout: 110_000 }));
  return JSON.parse(stdout);
}

describe("clients that are generated from the API document", () => {
  it("upload a file and send a message in protobuf, by openapi-fetch as the guide says", async () => {
    const arranged = await newPlan();
    const { plan, ada } = arranged;
    const { sender, recipient, domain, conversation } = plan;
    const text = Buffer.from(ciphertext).toString("base64");
    const message = encodeQualifiedMessage({
      sender,
      recipients: { [domain]: { [recipient.user]: { [recipient.device]: text } } },
      strategy: "report_all",
    });
    const program = join(folder, "client.ts");
    symlinkSync(resolve("node_modules"), join(folder, "node_modules"), "junction");
    writeFileSync(
      program,
      `${programIn("generated.md", "ts", sharedStack())}
      await logIn(${JSON.stringify(ada.email)}, ${JSON.stringify(ada.password)});
      const answers = [
        await upload(new TextEncoder().encode(${JSON.stringify(file)})),
        await send("${domain}", "${conversation}", Uint8Array.of(${message})),
      ];
      console.log(JSON.stringify(answers.map(({ response, data }) => ({ status: response.status, body: data }))));`,
    );
    await expectArrival(await answersOf(process.execPath, [program]), arranged);
  });

  it.skipIf(!hasPython)(
    "do the same in Python, with protobuf as the document describes it",
    inPython,
    async ({ skip }) => {
      const environment = pythonGenerator();
      if (environment === undefined) return skip(`Needs ${inPython.meta.needs}`);
      const { body: document } = await api("GET", "/v8/api/openapi.json");
      const documentFile = join(folder, "openapi.json");
      writeFileSync(documentFile, JSON.stringify(document));
      expect(
        generatePythonClient(environment, { documentFile, folder: join(folder, "client") }),
      ).toMatchObject({
        status: 0,
      });
      writeFileSync(join(folder, "messages.proto"), protoIn(document));
      expect(
        environment.run("grpc_tools.protoc", [`-I${folder}`, `--python_out=${folder}`, "messages.proto"]),
      ).toEqual({ status: 0, output: "" });

      const arranged = await newPlan();
      const args = ["test/e2e/platform/send_bytes.py", folder, JSON.stringify(arranged.plan)];
      await expectArrival(await answersOf(environment.python, args), arranged);
    },
  );
});

/** The description of a message in protobuf, as the document has it. */
function protoIn({ paths }: { paths: Record<string, { post?: { requestBody: object } }> }): string {
  const { requestBody } = paths["/conversations/{domain}/{cid}/proteus/messages"]?.post ?? {};
  const { description } = Object(requestBody).content["application/x-protobuf"].schema;
  return /```proto\n(.*?)```/s.exec(description)?.[1] ?? "";
}
