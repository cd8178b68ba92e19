import { join } from "node:path";
import { rewrites } from "./rewrites.ts";
import { stackRewrites } from "./stack-rewrites.ts";
import type { Rewrite } from "./template.ts";

/** An emulator that can be installed from PyPI. */
export interface InstallableEmulator {
  readonly package: { readonly name: string; readonly version: string; readonly extras?: string };
  readonly command: string;
  /** Command that starts it on a port of 127.0.0.1, in its own folder. */
  start(place: { readonly folder: string; readonly port: number; readonly region: string }): {
    readonly parameters?: readonly string[];
    readonly environment?: Readonly<Record<string, string>>;
    readonly endpoint: string;
    /** Path that answers once the emulator is ready. */
    readonly health: string;
    /** Absent if it answers without TLS. */
    readonly certificateFile?: string;
  };
  readonly rewrites: readonly Rewrite[];
  /** Properties that it silently drops, each after its type and a space. */
  readonly drops: readonly string[];
}

const running = { name: "ministack", version: "1.5.33" } as const;

/** Path at which the emulator that runs functions shows sent mails. */
export const inboxPath = `/_${running.name}/ses/messages`;

export const emulators = {
  /** Runs the deployed functions: with TLS, because queues refuse requests without it, and with IAM enforced. */
  full: {
    package: running,
    command: running.name,
    start: ({ folder, port, region }) => ({
      environment: {
        S3_DATA_DIR: join(folder, "s3"),
        BIND_HOST: "127.0.0.1",
        GATEWAY_PORT: String(port),
        USE_SSL: "1",
        AUTH: "true",
        MINISTACK_REGION: region,
      },
      endpoint: `https://127.0.0.1:${port}`,
      health: "/health",
      certificateFile: join(folder, `${running.name}-tls`, "server.crt"),
    }),
    rewrites,
    drops: [
      "AWS::DynamoDB::Table PointInTimeRecoverySpecification",
      "AWS::DynamoDB::Table TimeToLiveSpecification",
      "AWS::Lambda::Function RecursiveLoop",
      "AWS::S3::Bucket LifecycleConfiguration",
      "AWS::S3::Bucket ObjectLockConfiguration",
    ],
  },
  /** Creates resources from templates, and runs nothing. */
  templates: {
    package: { name: "moto", version: "5.2.5", extras: "[all,server]" },
    command: "moto_server",
    start: ({ port }) => ({
      parameters: ["-H", "127.0.0.1", "-p", String(port)],
      endpoint: `http://127.0.0.1:${port}`,
      health: "/moto-api/",
    }),
    rewrites: stackRewrites,
    drops: [
      "AWS::DynamoDB::Table PointInTimeRecoverySpecification",
      "AWS::DynamoDB::Table TimeToLiveSpecification",
      "AWS::Lambda::Function Architectures",
      "AWS::Lambda::Function LoggingConfig",
      "AWS::Lambda::Function RecursiveLoop",
      "AWS::S3::Bucket CorsConfiguration",
      "AWS::S3::Bucket LifecycleConfiguration",
      "AWS::S3::Bucket ObjectLockConfiguration",
      "AWS::S3::Bucket OwnershipControls",
      "AWS::S3::Bucket PublicAccessBlockConfiguration",
      "AWS::S3::Bucket VersioningConfiguration",
    ],
  },
} as const satisfies Readonly<Record<string, InstallableEmulator>>;

export type EmulatorName = keyof typeof emulators;

export const isEmulatorName = (name: string): name is EmulatorName => Object.hasOwn(emulators, name);

/** The parts of an unchanged template that an emulator does not accept: types, and properties after their types. */
const refusedBy = (name: EmulatorName): string[] => {
  const { rewrites: changes, drops }: InstallableEmulator = emulators[name];
  return [...changes.flatMap(({ refuses = [] }) => refuses), ...drops];
};

/** The parts that not all emulators accept, and the emulator that does, if any. */
export function takenByAtMostOne(): { readonly what: string; readonly emulator?: EmulatorName }[] {
  const names = Object.keys(emulators) as EmulatorName[];
  const all = new Set(names.flatMap(refusedBy));
  return [...all].sort().map((what) => {
    const [type] = what.split(" ");
    const emulator = names.find((name) => !refusedBy(name).some((one) => one === what || one === type));
    return { what, emulator };
  });
}
