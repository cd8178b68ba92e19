import createClient from "openapi-fetch";

/** The walk of a client in the browser that is generated for a version of the API. */

interface Token {
  readonly access_token: string;
}

interface Refresh {
  post: { responses: { 200: { content: { "application/json": Token } } } };
}

/** The part of the API that the walk uses, in the form of `openapi-typescript`. */
interface Paths {
  "/login": {
    post: {
      parameters: { query: { persist: boolean } };
      requestBody: { content: { "application/json": { email: string; password: string } } };
      responses: { 200: { content: { "application/json": Token } } };
    };
  };
  "/access": Refresh;
  "/access/logout": {
    post: { parameters: { header: { authorization: string } }; responses: { 200: { content: never } } };
  };
  "/self": {
    get: {
      parameters: { header: { authorization: string } };
      responses: { 200: { content: { "application/json": { id: string } } } };
    };
  };
}

export interface GeneratedClientPlan {
  readonly publicUrl: string;
  readonly email: string;
  readonly password: string;
}

const bearer = (token = "") => ({ header: { authorization: `Bearer ${token}` } });

/** Log in, refresh at `/v9/access` and at `/access`, use the new token, and log out. */
export async function walk({ publicUrl, email, password }: GeneratedClientPlan) {
  const client = createClient<Paths>({ baseUrl: `${publicUrl}/v9`, credentials: "include" });
  // The cookie is for these paths without a version.
  const unversioned = { baseUrl: publicUrl };
  const login = await client.POST("/login", {
    params: { query: { persist: true } },
    body: { email, password },
  });
  const versioned = await client.POST("/access");
  const refreshed = await client.POST("/access", unversioned);
  const params = bearer(refreshed.data?.access_token);
  const self = await client.GET("/self", { params });
  const logout = await client.POST("/access/logout", { ...unversioned, params, parseAs: "text" });
  const afterLogout = await client.POST("/access", unversioned);
  return {
    login: login.response.status,
    versioned: versioned.response.status,
    refreshed: refreshed.response.status,
    self: self.data?.id,
    logout: logout.response.status,
    afterLogout: afterLogout.response.status,
  };
}
