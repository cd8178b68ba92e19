import { inject } from "vitest";
import { waitPatiently } from "./patient-calls.ts";

Object.assign(process.env, inject("tablesEnvironment"));
waitPatiently();
