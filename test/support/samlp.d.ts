/** The parts of `samlp` that tests use; the package has no types. */
declare module "samlp" {
  interface Request {
    readonly method: string;
    readonly originalUrl?: string;
    readonly headers: Record<string, string>;
    readonly query: Record<string, string>;
    readonly body: Record<string, string>;
  }
  interface Response {
    set(name: string, value: string): void;
    send(body: string): void;
  }
  interface Options {
    readonly issuer: string;
    readonly cert: string;
    readonly key?: string;
    readonly recipient?: string;
    readonly destination?: string;
    readonly nameIdentifierFormat?: string;
    readonly postEndpointPath?: string;
    readonly redirectEndpointPath?: string;
    readonly getUserFromRequest?: () => unknown;
    readonly getPostURL?: (
      audience: string,
      request: unknown,
      incoming: Request,
      callback: (error: unknown, url: string) => void,
    ) => void;
    readonly responseHandler?: (response: Buffer) => void;
  }
  type Middleware = (request: Request, response: Partial<Response>, next: (error: unknown) => void) => void;
  const samlp: {
    auth(options: Options): Middleware;
    metadata(options: Options): Middleware;
  };
  export default samlp;
}
