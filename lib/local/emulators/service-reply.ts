/** Answer of an emulated service. */
export interface ServiceReply {
  readonly status: number;
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}
