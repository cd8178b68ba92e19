import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseStage, type Stage } from "#lib/stage.ts";
import { secrets } from "#shared/registry/secrets.ts";
import { type DnsServer, startDnsServer } from "../../test/support/dns-server.ts";
import { routesFinding } from "./api-checks.ts";
import { preflight } from "./preflight.ts";

const account = "123456789012";
const region = "eu-central-1";
const topic = `arn:aws:sns:${region}:${account}:alarms`;
const certificateArn = `arn:aws:acm:us-east-1:${account}:certificate/0190a5b8`;

const ready = parseStage("test", {
  account,
  region,
  replicaRegion: "eu-west-1",
  backups: { region: "eu-west-1", days: 35 },
  isProtected: true,
  logRetentionDays: 7,
  memoryMegabytes: 512,
  workerConcurrency: 2,
  throttle: { requestsPerSecond: 10, burst: 10 },
  accountConcurrency: 500,
  smsMonthlyDollars: 50,
  alarmEmail: "operations@parley.org",
  canary: true,
  distribution: {
    domainName: "chat.parley.org",
    certificateArn,
    rateRules: { requests: 1000, credentialRequests: 100 },
  },
  settings: { domain: "parley.org", emailSender: "no-reply@parley.org" },
});

/** An answer of AWS: an object is sent as JSON, a text as XML. */
type Answer =
  | object
  | string
  | { readonly error: string; readonly message?: string; readonly status?: number };
type Answers = Readonly<Record<string, Answer | "hangs" | "garbles">>;

const xml = (action: string, result: string) =>
  `<${action}Response><${action}Result>${result}</${action}Result></${action}Response>`;
const resource = (type: string, logical: string, physical: string) =>
  `<member><ResourceType>${type}</ResourceType><LogicalResourceId>${logical}</LogicalResourceId>` +
  `<PhysicalResourceId>${physical}</PhysicalResourceId><ResourceStatus>CREATE_COMPLETE</ResourceStatus></member>`;
const resources = [
  resource("AWS::SNS::Topic", "Alarms0190", topic),
  ...Object.keys(secrets).map((name) =>
    resource("AWS::SecretsManager::Secret", `${name.replaceAll("-", "")}secret0190`, `arn:${name}`),
  ),
];
const subscriptions = (arn: string) =>
  `<Subscriptions><member><Endpoint>operations@parley.org</Endpoint><SubscriptionArn>${arn}</SubscriptionArn></member></Subscriptions>`;

const canaryAccount = {
  userId: "0b3c1a52-9d5e-4a3f-8f0e-2b1d4c5e6f70",
  email: "canary@parley.org",
  password: "correct horse battery",
  devices: ["a1", "b2"],
  contact: { userId: "0b3c1a52-9d5e-4a3f-8f0e-2b1d4c5e6f71", name: "Canary1" },
};

/** Answers of AWS when everything is ready, by the name of the call. */
const good: Answers = {
  GetCallerIdentity: xml(
    "GetCallerIdentity",
    `<Account>${account}</Account><Arn>arn:aws:iam::${account}:user/ada</Arn>`,
  ),
  AssumeRole: xml(
    "AssumeRole",
    "<Credentials><AccessKeyId>a</AccessKeyId><SecretAccessKey>b</SecretAccessKey>" +
      "<SessionToken>c</SessionToken><Expiration>2030-01-01T00:00:00Z</Expiration></Credentials>",
  ),
  GetParameter: { Parameter: { Value: "28" } },
  GetBackupSettings: { ResourceTypeManagementPreference: { DynamoDB: true, EFS: true } },
  GetAccountSettings: { AccountLimit: { ConcurrentExecutions: 500 } },
  GetSMSAttributes: xml(
    "GetSMSAttributes",
    "<attributes><entry><key>MonthlySpendLimit</key><value>50</value></entry></attributes>",
  ),
  GetApiAccount: { throttleSettings: { rateLimit: 10_000, burstLimit: 5000 } },
  GetSMSSandboxAccountStatus: xml("GetSMSSandboxAccountStatus", "<IsInSandbox>false</IsInSandbox>"),
  DescribeCertificate: {
    Certificate: { Status: "ISSUED", DomainName: "parley.org", SubjectAlternativeNames: ["*.parley.org"] },
  },
  GetAccount: {
    ProductionAccessEnabled: true,
    SendingEnabled: true,
    SendQuota: { Max24HourSend: 50_000, MaxSendRate: 14 },
  },
  GetEmailIdentity: { VerifiedForSendingStatus: true },
  DescribeStackResources: xml(
    "DescribeStackResources",
    `<StackResources>${resources.join("")}</StackResources>`,
  ),
  ListSubscriptionsByTopic: xml("ListSubscriptionsByTopic", subscriptions(`${topic}:0190`)),
  DescribeSecret: { Name: "some" },
  GetSecretValue: { SecretString: JSON.stringify(canaryAccount) },
};

const closing: (() => void)[] = [];
let dns: DnsServer;
beforeAll(async () => {
  dns = await startDnsServer();
  dns.zones.set("parley.org", ["ns1.parley.org"]);
  closing.push(() => dns.stop());
});
afterAll(() => {
  for (const close of closing) close();
});

/**
 * An imitation of AWS at a port of this machine.
 * @returns its address, and the calls that it received
 */
async function fakeAws(answers: Answers) {
  const calls: string[] = [];
  const server = createServer(async (request, response) => {
    const body = String(await buffer(request));
    const target = String(request.headers["x-amz-target"] ?? "");
    const action = target === "" ? actionIn(request.url ?? "", body) : (target.split(".").at(-1) ?? "");
    calls.push(action);
    const answer = answers[action];
    if (answer === "hangs") return;
    if (answer === "garbles") return void request.socket.end("HTTP, but not as it should be\r\n\r\n");
    const isJson = target !== "" || !body.startsWith("Action=");
    if (answer === undefined || (typeof answer === "object" && "error" in answer)) {
      const {
        error = "Unexpected",
        message = action,
        status = 400,
      } = (answer ?? {}) as Record<string, never>;
      response.writeHead(status, {
        "content-type": isJson ? "application/json" : "text/xml",
        "x-amzn-errortype": error,
      });
      response.end(
        isJson
          ? JSON.stringify({ __type: error, message })
          : `<ErrorResponse><Error><Type>Sender</Type><Code>${error}</Code><Message>${message}</Message></Error></ErrorResponse>`,
      );
      return;
    }
    response.writeHead(200, { "content-type": isJson ? "application/json" : "text/xml" });
    response.end(typeof answer === "string" ? answer : JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls };
}

function actionIn(url: string, body: string): string {
  const action = new URLSearchParams(body).get("Action");
  if (action !== null) return action;
  if (url === "/account") return "GetApiAccount";
  if (url === "/account-settings") return "GetBackupSettings";
  if (url.includes("account-settings")) return "GetAccountSettings";
  return url.includes("/identities/") ? "GetEmailIdentity" : "GetAccount";
}

async function check(answers: Answers = {}, stage: Stage = ready, checkMilliseconds?: number) {
  const { endpoint, calls } = await fakeAws({ ...good, ...answers });
  const lines: string[] = [];
  const isReady = await preflight(stage, (line) => lines.push(line), {
    endpoint,
    dnsServers: [dns.address],
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
    ...(checkMilliseconds !== undefined && { checkMilliseconds }),
  });
  return { isReady, calls, lines, open: lines.filter((line) => !line.startsWith("ok")) };
}

const refusal = { error: "AccessDeniedException", message: "User ada is not authorized", status: 403 };

describe.concurrent("a preflight", () => {
  it("finds nothing missing if everything is ready for the stage, and changes nothing", async () => {
    const { isReady, lines, open, calls } = await check();
    expect(open).toEqual([]);
    expect(isReady).toBe(true);
    expect(lines.length).toBeGreaterThanOrEqual(13);
    expect(calls.filter((call) => !/^(Get|List|Describe|AssumeRole)/.test(call))).toEqual([]);
    expect(lines.join()).not.toContain(canaryAccount.password);
  });

  it.each<[string, Answers, RegExp, RegExp]>([
    [
      "too little concurrency, with the number to request",
      { GetAccountSettings: { AccountLimit: { ConcurrentExecutions: 10 } } },
      /^missing Lambda concurrency: 10 instances; 500 needed \(0 reserved, \d+ for workers, 100 for requests\)/,
      /Concurrent executions \(L-B99A9384\): 500/,
    ],
    [
      "the sandbox of SES",
      {
        GetAccount: {
          ProductionAccessEnabled: false,
          SendingEnabled: true,
          SendQuota: { Max24HourSend: 200, MaxSendRate: 1 },
        },
      },
      /^missing SES: in the sandbox \(200 mails a day, 1 a second\)/,
      /Request production access/,
    ],
    [
      "a suspended sender",
      { GetAccount: { ProductionAccessEnabled: true, SendingEnabled: false } },
      /^missing SES: sending is paused/,
      /answer the case/,
    ],
    [
      "a sender that is not verified",
      { GetEmailIdentity: { VerifiedForSendingStatus: false } },
      /^missing mail sender: parley.org is not verified/,
      /DNS records that the stack parley-test-messaging outputs/,
    ],
    [
      "a subscription that nobody has confirmed",
      { ListSubscriptionsByTopic: xml("ListSubscriptionsByTopic", subscriptions("PendingConfirmation")) },
      /^missing alarm mails: operations@parley.org has not confirmed/,
      /follow the link/,
    ],
    [
      "credentials of another account",
      { GetCallerIdentity: xml("GetCallerIdentity", "<Account>210987654321</Account><Arn>arn:x</Arn>") },
      /^missing account: the credentials are for 210987654321, the stage for 123456789012/,
      /use credentials/,
    ],
    [
      "a certificate that waits for DNS records",
      {
        DescribeCertificate: { Certificate: { Status: "PENDING_VALIDATION", DomainName: "chat.parley.org" } },
      },
      /^missing certificate of distribution: its status is PENDING_VALIDATION/,
      /create the DNS records/,
    ],
    [
      "a certificate for another name",
      { DescribeCertificate: { Certificate: { Status: "ISSUED", DomainName: "*.chat.parley.org" } } },
      /^missing certificate of distribution: it is not for chat.parley.org/,
      /Request certificate for chat.parley.org/,
    ],
    [
      "an old bootstrap stack",
      { GetParameter: { Parameter: { Value: "4" } } },
      /^missing CDK bootstrap in eu-central-1: version 4, at least 6 needed/,
      /npx cdk bootstrap/,
    ],
    [
      "a region without one",
      { GetParameter: { error: "ParameterNotFound" } },
      /^missing CDK bootstrap in (eu-central-1|us-east-1): not done/,
      /npx cdk bootstrap aws:\/\/<account>\/(eu-central-1|us-east-1)/,
    ],
    [
      "a lower limit for SMS",
      { GetSMSAttributes: xml("GetSMSAttributes", "<attributes/>") },
      /^missing SMS spending limit: \$1 a month; \$50 wanted/,
      /MonthlySpendLimit=50/,
    ],
    [
      "a region that takes fewer requests, with the number to request",
      { GetApiAccount: { throttleSettings: { rateLimit: 500, burstLimit: 1250 } } },
      /^missing API Gateway requests: 500 a second; 540 needed \(30 to APIs, 500 pings, 10 posts to sockets\)/,
      /Throttle rate \(L-8A5B8E43\): 540/,
    ],
    [
      "backups that AWS does not copy",
      { GetBackupSettings: { ResourceTypeManagementPreference: { EFS: true } } },
      /^missing AWS Backup of tables in eu-(central|west)-1: without its advanced features/,
      /aws backup update-region-settings --region eu-(central|west)-1 .*DynamoDB=true$/,
    ],
    [
      "the sandbox for SMS",
      { GetSMSSandboxAccountStatus: xml("GetSMSSandboxAccountStatus", "<IsInSandbox>true</IsInSandbox>") },
      /^missing SMS sandbox: SNS sends only to phone numbers that the account has verified/,
      /Exit SMS sandbox/,
    ],
    [
      "a secret that is to be deleted",
      { DescribeSecret: { Name: "some", DeletedDate: 1_700_000_000 } },
      /^missing secrets: signing-keys,/,
      /restore-secret/,
    ],
    [
      "no account of the canary",
      { GetSecretValue: { SecretString: "{}" } },
      /^missing account of the canary: there is none/,
      /npm run canary -- create --stage test/,
    ],
  ])("reports %s", async (_, answers, found, request) => {
    const { isReady, open } = await check(answers);
    expect(isReady).toBe(false);
    expect(open[0]).toMatch(found);
    expect(open[1]).toMatch(request);
  });

  it("only warns of the sandbox for SMS if the stage names no spending limit", async () => {
    const sandbox = xml("GetSMSSandboxAccountStatus", "<IsInSandbox>true</IsInSandbox>");
    const { isReady, lines } = await check(
      { GetSMSSandboxAccountStatus: sandbox },
      { ...ready, smsMonthlyDollars: undefined },
    );
    expect(isReady).toBe(true);
    expect(lines).toContainEqual(expect.stringMatching(/^warning SMS sandbox: SNS sends only/));
  });

  it("warns of a protected stage without copies in a second region, and of copies without secrets", async () => {
    const { replicaRegion: _, ...withoutSecrets } = ready;
    const { backups: __, ...withoutCopies } = withoutSecrets;
    const found = await Promise.all([check({}, withoutSecrets), check({}, withoutCopies)]);
    expect(found.map(({ open }) => open[0])).toEqual([
      "warning copies of secrets: none: copied tables are worth little without them",
      "warning copies in a second region: none of tables and files: the loss of the region would be the loss of them",
    ]);
    expect(found.map(({ isReady }) => isReady)).toEqual([true, true]);
    expect((await check({}, { ...withoutCopies, isProtected: false })).open).toEqual([]);
  });

  it("warns that the apex of a zone needs an alias", async () => {
    const distribution = { domainName: "parley.org", certificateArn, secretGeneration: 1 };
    const { isReady, open } = await check({}, { ...ready, distribution });
    expect(isReady).toBe(true);
    expect(open).toEqual([
      "warning DNS record of distribution: parley.org is the apex of a zone, where DNS allows no CNAME",
      expect.stringMatching(/^ +→ create an alias there instead/),
    ]);
  });

  it("warns when an API has nearly as many routes as API Gateway allows", () => {
    expect(routesFinding(289).state).toBe("ok");
    expect(routesFinding(290)).toMatchObject({ state: "warning", found: "290; API Gateway allows 300" });
  });

  it("reports what the first deployment will create, without failing", async () => {
    const absent = { error: "ValidationError", message: "Stack with id parley-test-data does not exist" };
    const { isReady, open } = await check({
      DescribeStackResources: absent,
      GetEmailIdentity: { error: "NotFoundException", status: 404 },
    });
    expect(isReady).toBe(true);
    expect(open.map((line) => line.slice(0, 8).trim())).toEqual(["later", "later", "later", "later"]);
  });

  it("names each missing permission in a separate line", async () => {
    const answers = Object.fromEntries(Object.keys(good).map((action) => [action, refusal]));
    const { isReady, lines } = await check(answers);
    expect(isReady).toBe(false);
    const withoutRights = lines.filter((line) => line.startsWith("missing"));
    expect(withoutRights.length).toBeGreaterThanOrEqual(12);
    for (const line of withoutRights)
      expect(line).toMatch(/not known\. The credentials lack a permission: User ada is not authorized$/);
    expect(lines.join("\n")).toContain("→ allow lambda:GetAccountSettings, or look yourself");
    expect(lines.join("\n")).not.toMatch(/\n\s+at /);
  });

  it("does not wait for a call that is not answered", async () => {
    const { isReady, open } = await check({ GetAccountSettings: "hangs" }, ready, 1000);
    expect(isReady).toBe(false);
    // On a busy machine, other calls may be late as well.
    const at = open.indexOf("missing Lambda concurrency: AWS has not answered in time");
    expect(at).not.toBe(-1);
    expect(open[at + 1]).toBe("        → try again; check the way to AWS");
  });

  it("does not report a secret as deleted when AWS cannot be reached", async () => {
    const { open } = await check({ DescribeStackResources: "garbles" });
    const about = open.filter((line) => /^missing (secrets|account of the canary)/.test(line));
    expect(about).toEqual([
      expect.stringContaining("secrets: not known"),
      expect.stringContaining("account of the canary: not known"),
    ]);
  });

  it("reports a stage file that still has placeholders", async () => {
    const { open } = await check({}, { ...ready, account: "000000000000" });
    expect(open[0]).toBe("missing stage file: account: 000000000000");
    expect(open[1]).toBe("        → set them in stages/test.json");
  });
});
