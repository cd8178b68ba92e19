/** A call of AWS that was made on behalf of a request. */
export interface TracedCall {
  /** Time of the call, ISO 8601. */
  readonly at: string;
  readonly service: string;
  /** Such as `PutItem`. */
  readonly action: string;
  /** The targets: tables, a queue, a bucket or a socket. */
  readonly resource: string;
  readonly milliseconds: number;
  /** HTTP status, or the name of the error. */
  readonly outcome: string;
}

/** A message that a request has put into the outbox: an event, a mail, or work for later. */
export interface TracedMessage {
  readonly queue: string;
  /** Type of the event; undefined for work of other kinds. */
  readonly type: string | undefined;
}

/** The work of functions on behalf of a request, including that of workers. */
export interface Trace {
  readonly calls: readonly TracedCall[];
  readonly messages: readonly TracedMessage[];
  /** Lines of the log, as JSON. */
  readonly lines: readonly string[];
}

const noTrace: Trace = { calls: [], messages: [], lines: [] };

/** Limits of memory: entries of a kind in one trace, and characters of a line. */
const keptEntries = 100;
const lineLength = 1000;

/** Traces of the latest requests, by request id; the oldest are dropped first. */
export class TraceLog {
  readonly #keptTraces: number;
  readonly #traces = new Map<string, { [Kind in keyof Trace]: Trace[Kind][number][] }>();

  constructor(keptTraces = 500) {
    this.#keptTraces = keptTraces;
  }

  get(requestId: string): Trace {
    return this.#traces.get(requestId) ?? noTrace;
  }

  addCall(requestId: string, call: TracedCall): void {
    add(this.#of(requestId).calls, call);
  }

  addMessage(requestId: string, message: TracedMessage): void {
    add(this.#of(requestId).messages, message);
  }

  addLine(requestId: string, line: string): void {
    add(this.#of(requestId).lines, line.length > lineLength ? `${line.slice(0, lineLength)} …` : line);
  }

  #of(requestId: string) {
    const known = this.#traces.get(requestId);
    if (known !== undefined) return known;
    const trace = { calls: [], messages: [], lines: [] };
    this.#traces.set(requestId, trace);
    const [oldest] = this.#traces.keys();
    if (this.#traces.size > this.#keptTraces && oldest !== undefined) this.#traces.delete(oldest);
    return trace;
  }
}

function add<Entry>(entries: Entry[], entry: Entry): void {
  if (entries.length < keptEntries) entries.push(entry);
}
