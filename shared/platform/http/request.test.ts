import { expect, it } from "vitest";
import { cookieValues, type HttpEvent } from "./request.ts";

const values = (...cookies: string[]) =>
  cookieValues({ cookies, headers: {} } as unknown as HttpEvent, "zuid");

it("the values of a cookie are read in their order, with and without quotes", () => {
  expect(values('zuid="a=.v=1"', "zuid2=b", " zuid=c", 'zuid="', "zuid=")).toEqual(["a=.v=1", "c", '"', ""]);
});
