/** Address at which a web app opens a guest link. The link decides about nothing but two parameters of the query. */
export function webAppAddress(webAppUrl: string, { key, code }: { key: string; code: string }): string {
  const address = new URL(webAppUrl);
  address.pathname = address.pathname.replace(/\/?$/, "/join/");
  address.searchParams.set("key", key);
  address.searchParams.set("code", code);
  return address.href;
}
